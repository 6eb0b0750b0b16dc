//! The public functions of a crate, extracted from its sources, for tests that must call all of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Returns the names of the public functions of a crate, with sources in the folder `sources`, that the `text` of its tests does not
/// mention as `Type::function`, or as `function` for free functions. Functions named first in a pair of `exceptions` need no mention;
/// exceptions that are mentioned or do not exist are returned too. Traits count as types, so tests must call methods by the name of their
/// type.
///
/// Exported files are recognised by the `pub use` and `pub mod` of `lib.rs`, functions by the indentation that rustfmt gives them.
///
/// # Panics
/// If the sources cannot be read.
#[must_use]
pub fn unexercised(sources: &Path, text: &str, exceptions: &[(&str, &str)]) -> Vec<String> {
    let known = public_functions(sources);
    let excepted = |name: &str| exceptions.iter().any(|(excepted, _)| *excepted == name);
    let missing = known.iter().filter(|name| !is_named(text, name) && !excepted(name)).cloned();
    let stale = exceptions.iter().filter(|(name, _)| !known.contains(*name) || is_named(text, name));
    missing.chain(stale.map(|(name, _)| format!("{name}, which is no exception"))).collect()
}

/// Returns the names of all public functions of the crate with its sources in this folder: `Type::function`, or `function` for free
/// functions.
///
/// # Panics
/// If the sources cannot be read.
#[must_use]
pub fn public_functions(sources: &Path) -> BTreeSet<String> {
    let (mut exported, mut open) = (BTreeSet::new(), Vec::new());
    let mut roots = vec![sources.join("lib.rs")];
    while let Some(root) = roots.pop() {
        let text = read(&root);
        for line in statements(&text) {
            if let Some(module) = line.strip_prefix("pub mod ") {
                let own = module_file(&root, module.trim_end_matches(';'));
                roots.push(own.clone());
                open.push(own);
            } else if let Some(names) = line.strip_prefix("pub use ") {
                exported.extend(leaves(names));
            }
        }
    }
    // Modules that are exported under their names are open as well.
    let by_name =
        |file: &Path| file.file_stem().and_then(|stem| stem.to_str()).is_some_and(|stem| exported.contains(stem));
    let open: Vec<_> = files(sources).into_iter().filter(|(file, _)| open.contains(file) || by_name(file)).collect();
    let names = open.iter().flat_map(|(_, text)| statements(text)).filter(|line| line.starts_with("pub use "));
    let names: Vec<String> = names.flat_map(|line| leaves(&line).collect::<Vec<_>>()).collect();
    let open: BTreeSet<PathBuf> = open.into_iter().map(|(file, _)| file).collect();
    exported.extend(names);
    let mut found = BTreeSet::new();
    for (file, text) in files(sources) {
        let all = open.contains(&file);
        let is_exported = |name: &str| all || exported.contains(name);
        for (owner, function) in functions(&text) {
            match owner {
                Some(owner) if is_exported(&owner) => found.insert(format!("{owner}::{function}")),
                None if is_exported(&function) => found.insert(function),
                _ => false,
            };
        }
    }
    found
}

/// Whether `name` occurs in `text` as a separate word.
fn is_named(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + name.len()..].chars().next());
        // A free function is not a method of the same name, but may be called with its module.
        let module = words(&text[..at]).last().is_some_and(|word| word.starts_with(char::is_lowercase));
        let free = before != Some('.') && (before != Some(':') || module) && after == Some('(');
        let alone = name.contains(':') || free;
        alone && !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Returns the names that a `pub use` statement exports, without the modules in their paths.
fn leaves(line: &str) -> impl Iterator<Item = String> {
    line.split([',', '{', '}', ';', ' ']).filter_map(|path| words(path.rsplit("::").next()?).next().map(str::to_owned))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn module_file(root: &Path, name: &str) -> PathBuf {
    let folder = match root.file_name().is_some_and(|file| file == "lib.rs" || file == "mod.rs") {
        true => root.parent().expect("a folder").to_owned(),
        false => root.with_extension(""),
    };
    let folded = folder.join(name).join("mod.rs");
    if folded.exists() { folded } else { folder.join(format!("{name}.rs")) }
}

/// Splits source text into lines, with each multi-line `pub use` statement joined to one line.
fn statements(text: &str) -> impl Iterator<Item = String> {
    let mut joined = BTreeMap::new();
    let mut start = None;
    for (at, line) in text.lines().enumerate() {
        let of = *start.get_or_insert(at);
        joined.entry(of).or_insert_with(String::new).push_str(line);
        let goes_on = joined[&of].starts_with("pub use") && !line.ends_with(';');
        start = start.filter(|_| goes_on);
    }
    joined.into_values()
}

fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.expect("an entry of a folder").path()) {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = read(&path);
            found.push((path, text));
        }
    }
    found
}

/// Returns the functions declared `pub` in the source text of a file, each preceded by its type or trait (`None` for a free function).
fn functions(text: &str) -> Vec<(Option<String>, String)> {
    let (mut owner, mut is_trait, mut found) = (None, false, Vec::new());
    for line in text.lines().take_while(|line| *line != "mod tests {") {
        if let Some(rest) = line.strip_prefix("impl") {
            let head = rest.split(" for ").last().unwrap_or(rest);
            owner = words(without_parameters(head)).next().map(str::to_owned);
            is_trait = false;
        } else if let Some(rest) = line.strip_prefix("pub trait ") {
            (owner, is_trait) = (words(rest).next().map(str::to_owned), true);
        } else if line == "}" {
            owner = None;
        }
        let of_trait = line.strip_prefix("    fn ").filter(|_| is_trait);
        let name = ["pub fn ", "pub const fn ", "pub unsafe fn "]
            .iter()
            .find_map(|start| line.trim_start().strip_prefix(start));
        if let (Some(name), true) = (name.or(of_trait).and_then(|rest| words(rest).next()), !line.contains("fn $")) {
            found.push((owner.clone(), name.to_owned()));
        }
    }
    found
}

/// Returns `head`, the rest of an `impl` line after the word `impl`, without the generic parameters `<…>` at its start.
fn without_parameters(head: &str) -> &str {
    let mut depth = 0;
    let end = head.find(|c| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0 && c != '>'
    });
    &head[end.unwrap_or(0)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_with_their_types() {
        let text = "impl<T: Into<u8>> Kind<T> {\n    pub fn one() {\n    }\n    fn two() {}\n    pub(crate) fn three() {}\n}\n\
                    pub trait Shelf: Send {\n    fn put(&self);\n}\npub fn free() {}\nmod tests {\n    pub fn not() {}\n";
        let of = |owner: &str, name: &str| (Some(owner.to_owned()), name.to_owned());
        let expected = [of("Kind", "one"), of("Shelf", "put"), (None, "free".to_owned())];
        assert_eq!(functions(text), expected);
    }

    #[test]
    fn what_is_not_called_is_missed() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let text = "Public::none hostile_ids(3)";
        let missing = unexercised(&sources, text, &[("Number::of", "a reason"), ("Number::none", "nothing")]);
        assert!(missing.contains(&"public_functions".to_owned()) && missing.contains(&"Domain::project".to_owned()));
        assert!(missing.contains(&"Number::none, which is no exception".to_owned()), "{missing:?}");
        assert!(!missing.contains(&"hostile_ids".to_owned()) && !missing.contains(&"Number::of".to_owned()));
        assert!(is_named("a(b), Kind::one(x)", "Kind::one") && !is_named("Kind::one_more(x)", "Kind::one"));
        assert!(is_named("share(2)", "share") && !is_named("x.share(2)", "share") && !is_named("A::share(2)", "share"));
    }
}
