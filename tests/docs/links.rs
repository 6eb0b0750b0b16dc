//! Tests that links in the documents lead to existing files and headings.

use crate::pages::{Page, files, read, root};
use std::path::{Path, PathBuf};

/// Returns the targets of the links on a page, except web addresses and links that rustdoc resolves.
fn targets(page: &Page) -> Vec<String> {
    let prose = page.prose.join("\n");
    let after = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    after.filter(|target| !target.starts_with("http") && !target.contains("crate::")).map(str::to_owned).collect()
}

/// Returns the reason why a link on the page at `path` leads nowhere; `None` if it is valid.
fn broken(path: &Path, page: &Page, target: &str) -> Option<&'static str> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let aim = if file.is_empty() { path.to_owned() } else { path.parent().unwrap().join(file) };
    if !aim.exists() {
        return Some("there is no such file");
    }
    if anchor.is_empty() {
        return None;
    }
    let anchors = if file.is_empty() { page.anchors() } else { Page::read(&aim).anchors() };
    (!anchors.iter().any(|known| known == anchor)).then_some("there is no such heading")
}

#[test]
fn links_lead_somewhere() {
    let mut faults = Vec::new();
    let mut count = 0;
    for path in files(root(), "md") {
        let page = Page::read(&path);
        for target in targets(&page) {
            count += 1;
            let fault = broken(&path, &page, &target);
            faults.extend(fault.map(|why| format!("{}: {target}: {why}", path.display())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 50, "only {count} links were found");
}

/// Every source file mentioned in a document exists; the document may give only the end of its path.
#[test]
fn files_of_code_that_documents_name_exist() {
    let code: Vec<PathBuf> = ["rs", "py", "sh"].iter().flat_map(|extension| files(root(), extension)).collect();
    let documents = files(&root().join("docs"), "md").into_iter();
    let documents = documents.chain(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    let mut faults = Vec::new();
    for path in documents {
        let page = Page::read(&path);
        let words = page.pieces(true).flat_map(str::split_whitespace).map(|word| word.trim_end_matches(','));
        let names =
            words.filter(|word| [".rs", ".py", ".sh"].iter().any(|end| word.ends_with(end)) && !word.contains("NAME"));
        let unknown = names.filter(|name| !code.iter().any(|file| file.ends_with(name)));
        faults.extend(unknown.map(|name| format!("{}: {name}", path.display())));
    }
    assert!(faults.is_empty(), "no such files:\n{}", faults.join("\n"));
}

#[test]
fn every_page_is_in_the_summary() {
    let docs = root().join("docs");
    let summary = read(&docs.join("SUMMARY.md"));
    for page in files(&docs, "md") {
        let name = page.strip_prefix(&docs).unwrap().to_str().unwrap();
        assert!(name == "SUMMARY.md" || summary.contains(&format!("({name})")), "{name} is not in docs/SUMMARY.md");
    }
}

/// `README.md` and `ARCHITECTURE.md` stay short enough to be read to the end.
#[test]
fn the_front_page_and_the_map_are_short() {
    for (name, most) in [("README.md", 7 * 1024), ("ARCHITECTURE.md", 8 * 1024)] {
        let length = read(&root().join(name)).len();
        assert!(length <= most, "{name} has {length} bytes of {most}: move details to docs/");
    }
}
