//! Expansion of addresses (prefixes and glob patterns) into objects.

use std::io;

use futures_util::TryStreamExt;
use glob::{MatchOptions, Pattern};
use object_store::{ObjectMeta, path::Path};

use super::{
    failure::Failure,
    object_name::{ObjectName, Stat, key, root, unfit},
    runtime,
    store::Scheme,
};
use crate::files::hidden::is_hidden;

/// Expands an address into the objects that it stands for, as [`expand`](crate::expand) does for files: an object stands for itself, a
/// prefix for the objects below it, in the order of their names, folder by folder, and a pattern for what matches.
///
/// # Errors
/// If there are none, or the store cannot be read.
pub(crate) fn expand(name: ObjectName) -> io::Result<Vec<ObjectName>> {
    let scheme = name.scheme();
    if scheme == Scheme::Web {
        return Ok(vec![name]);
    }
    let fault = |failure: Failure| failure.error(scheme);
    let key = key(name.address());
    let is_pattern = key.contains(['*', '?', '[']);
    if !key.is_empty() && !key.ends_with('/') {
        match name.stat() {
            Ok(_) => return Ok(vec![name]),
            Err(failure) if failure.is_absent() || is_pattern && failure.is_denied() => {}
            Err(failure) => return Err(fault(failure)),
        }
    }
    let parts: Vec<&str> = key.split('/').filter(|part| !part.is_empty()).collect();
    let wild = parts.iter().position(|part| part.contains(['*', '?', '[']));
    let from = if is_pattern { wild.unwrap_or(parts.len()) } else { parts.len() };
    let listed = list(&name, &parts[..from]).map_err(fault)?;
    let chosen = Chosen::new(&parts, from, is_pattern)?;
    let mut found: Vec<&ObjectMeta> = listed.iter().filter(|meta| !is_marker(meta, &listed)).collect();
    found.retain(|meta| chosen.has(meta.location.as_ref()));
    if found.is_empty() {
        let hidden = !listed.is_empty() && !is_pattern;
        return Err(unfit(match (is_pattern, hidden) {
            (true, _) => "no object matches this pattern; names that begin with _ or . are passed over",
            (false, true) => "the folder holds no data; names that begin with _ or . are passed over",
            (false, false) => "there is no such object and no folder of this name; check the address",
        }));
    }
    found.sort_by(|a, b| a.location.parts().cmp(b.location.parts()));
    let of = |meta: &ObjectMeta| {
        let address = format!("{}/{}", root(name.address()), meta.location);
        ObjectName::found(address, from, Stat { size: meta.size, etag: meta.e_tag.clone() })
    };
    Ok(found.into_iter().map(of).collect())
}

/// Lists all objects below a folder, hidden ones included.
fn list(name: &ObjectName, folder: &[&str]) -> Result<Vec<ObjectMeta>, Failure> {
    let (store, _) = ObjectName::parse(root(name.address())).unwrap_or_else(|| name.clone()).locate()?;
    let prefix = Path::parse(folder.join("/")).map_err(object_store::Error::from)?;
    let listed = runtime::wait(async move {
        let prefix = Some(&prefix).filter(|prefix| !prefix.as_ref().is_empty());
        store.list(prefix).try_collect::<Vec<_>>().await
    });
    let failed = |error| object_store::Error::Generic { store: "network", source: Box::new(error) };
    Ok(listed.map_err(failed)??)
}

/// Whether an object only marks a folder, as some programs create them.
fn is_marker(meta: &ObjectMeta, listed: &[ObjectMeta]) -> bool {
    let below = |other: &ObjectMeta| other.location != meta.location && other.location.prefix_matches(&meta.location);
    meta.size == 0 && listed.iter().any(below)
}

/// Choice among the objects of a listing.
struct Chosen {
    /// Pattern of the key; `None` for all objects below a folder.
    pattern: Option<Pattern>,
    /// Number of leading folders that the user gave.
    from: usize,
    /// Whether objects below a matching folder match too.
    by_folder: bool,
    /// Whether the pattern asks for names that begin with `_`, and for those that begin with a point.
    asks: [bool; 2],
}

impl Chosen {
    fn new(parts: &[&str], from: usize, is_pattern: bool) -> io::Result<Chosen> {
        let asks = ["_", "."].map(|mark| parts[from..].iter().any(|part| part.starts_with(mark)));
        let mut text = parts.join("/");
        if parts.last() == Some(&"**") {
            text.push_str("/*");
        }
        let wrong = |_| unfit("the pattern is not valid; * ? [...] and ** may occur, [ and ** as a whole");
        let pattern = is_pattern.then(|| Pattern::new(&text)).transpose().map_err(wrong)?;
        Ok(Chosen { pattern, from, by_folder: !parts.contains(&"**"), asks })
    }

    fn has(&self, key: &str) -> bool {
        let parts: Vec<&str> = key.split('/').collect();
        let of_no_data = |name: &&str| is_hidden(name.as_bytes()) && !self.asks[usize::from(name.starts_with('.'))];
        if parts.iter().skip(self.from).any(of_no_data) {
            return false;
        }
        let Some(pattern) = &self.pattern else { return true };
        let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
        let folders = (self.from + 1..parts.len()).filter(|_| self.by_folder);
        folders.chain([parts.len()]).any(|end| pattern.matches_with(&parts[..end].join("/"), options))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, key: &str) -> bool {
        let parts: Vec<&str> = pattern.split('/').collect();
        let wild = parts.iter().position(|part| part.contains(['*', '?', '[']));
        Chosen::new(&parts, wild.unwrap_or(parts.len()), wild.is_some()).unwrap().has(key)
    }

    #[test]
    fn patterns_match_as_those_of_files_do() {
        for (pattern, key, expected) in [
            ("a/*.csv", "a/b.csv", true),
            ("a/*.csv", "a/b/c.csv", false),
            ("a/*", "a/b/c.csv", true),
            ("a/*", "a/_b/c.csv", false),
            ("a/*", "a/_day=1/c.csv", true),
            ("a/_*", "a/_b/c.csv", true),
            ("a/**", "a/b/c/d.csv", true),
            ("a/**/*.csv", "a/b/c/d.csv", true),
            ("a/**/*.csv", "a/d.csv", true),
            ("a/**/*.csv", "a/b/d.csv/x", false),
            ("a/day=?/x.svm", "a/day=1/x.svm", true),
            ("a/day=?/x.svm", "a/day=12/x.svm", false),
            ("a/b", "a/b/_SUCCESS", false),
            ("a/b", "a/b/.x", false),
            ("a/b", "a/b/c", true),
        ] {
            assert_eq!(matches(pattern, key), expected, "{pattern} {key}");
        }
    }
}
