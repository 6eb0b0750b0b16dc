//! Finds the Markdown pages of the repository, and splits them into prose and code.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Returns the root folder of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Reads a file as text.
pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns all files below `folder` with this extension, except in hidden folders and build outputs.
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

/// Markdown page, split into prose and fenced code blocks.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Lines outside fenced code blocks.
    pub(crate) prose: Vec<String>,
    /// Fenced code blocks, each with its language and its content.
    pub(crate) blocks: Vec<(String, String)>,
}

impl Page {
    /// Reads and splits the page at `path`.
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

    /// Returns the pieces of prose in inline code (if `code`), or those outside it.
    pub(crate) fn pieces(&self, code: bool) -> impl Iterator<Item = &str> {
        self.prose.iter().flat_map(move |line| line.split('`').skip(usize::from(code)).step_by(2))
    }

    /// Returns the anchors of the headings, as GitHub and mdBook generate them.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let headings = self.prose.iter().filter(|line| line.starts_with('#'));
        let slug = |heading: &String| {
            let kept = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
            kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
        };
        headings.map(slug).collect()
    }
}

/// Returns the paths of `README.md` and the pages of the guide, whose commands can be run as shown.
pub(crate) fn runnable() -> Vec<PathBuf> {
    let mut pages = files(&root().join("docs/guide"), "md");
    pages.push(root().join("README.md"));
    pages
}
