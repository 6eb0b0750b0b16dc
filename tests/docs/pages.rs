//! The pages of the repository, and their text by kind.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file of the repository as text.
pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All files below `folder` with this extension, without hidden folders and build outputs.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap_or_default());
        if entry.file_type().unwrap().is_dir() {
            let is_source = !name.starts_with('.') && name != "target" && !path.join("CACHEDIR.TAG").exists();
            if is_source {
                found.extend(files(&path, extension));
            }
        } else if path.extension().is_some_and(|other| other == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A page, taken apart.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Lines outside of fenced blocks.
    pub(crate) prose: Vec<String>,
    /// Fenced blocks: their language and their text.
    pub(crate) blocks: Vec<(String, String)>,
}

impl Page {
    /// The page in this file.
    pub(crate) fn read(path: &Path) -> Page {
        let text = read(path);
        let (mut page, mut lines) = (Page::default(), text.lines());
        while let Some(line) = lines.next() {
            match line.strip_prefix("```") {
                None => page.prose.push(line.to_owned()),
                Some(language) => {
                    let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
                    page.blocks.push((language.to_owned(), block.join("\n")));
                }
            }
        }
        page
    }

    /// The pieces of prose that are code (`true`) and those that are not.
    pub(crate) fn pieces(&self, code: bool) -> impl Iterator<Item = &str> {
        self.prose.iter().flat_map(move |line| line.split('`').skip(usize::from(code)).step_by(2))
    }

    /// The anchors of the headings, as GitHub and mdBook make them.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let headings = self.prose.iter().filter(|line| line.starts_with('#'));
        let slug = |heading: &String| {
            let kept = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
            kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
        };
        headings.map(slug).collect()
    }
}

/// The front page and the guide, whose commands can be run as they stand.
pub(crate) fn runnable() -> Vec<PathBuf> {
    let mut pages = files(&root().join("docs/guide"), "md");
    pages.push(root().join("README.md"));
    pages
}
