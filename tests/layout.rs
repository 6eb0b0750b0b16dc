//! Tests the dependencies between the modules of the libraries: top-level modules of a crate (each with its submodules) depend on
//! each other in one direction only, files within one top-level module do not form import cycles of three or more, and imports name
//! the module of an item rather than a re-export of `lib.rs`.
//!
//! Imports are read from the source text: `use` statements and paths that begin with `crate`. Tests are exempt. A submodule counts
//! as part of the module that declares it, so that only what it imports from that module counts.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// Path of a module within its crate, such as `formats::csv`; empty for the root of the crate.
type Module = String;
/// Modules imported by each module of a crate.
type Imports = BTreeMap<Module, BTreeSet<Module>>;

/// Adds the source text of each module below `folder` to `all`, where `module` is the module path of that folder.
fn modules(folder: &Path, module: &str, all: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_stem().unwrap().to_str().unwrap();
        let inner = if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") };
        if entry.is_dir() {
            modules(&entry, &inner, all);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let module = if matches!(name, "lib" | "main" | "mod") { module } else { &inner };
            all.insert(module.to_owned(), fs::read_to_string(&entry).unwrap());
        }
    }
}

/// Removes test modules (those behind `#[cfg(test)]`) from the source texts, whether they are inline or in files of their own.
fn without_tests(mut all: BTreeMap<Module, String>) -> BTreeMap<Module, String> {
    const TEST: &str = "#[cfg(test)]\n";
    let declared = |(module, text): (&Module, &String)| -> Vec<Module> {
        let behind = text.split(TEST).skip(1).filter_map(|rest| rest.split_once(";")?.0.rsplit_once("mod "));
        let names = behind
            .map(|(before, name)| (before.trim(), name))
            .filter(|(before, _)| matches!(*before, "" | "pub(crate)"));
        names.map(|(_, name)| format!("{module}::{name}").trim_start_matches(':').to_owned()).collect()
    };
    let tests: Vec<Module> = all.iter().flat_map(declared).collect();
    all.retain(|module, _| !tests.iter().any(|test| module == test || module.starts_with(&format!("{test}::"))));
    for text in all.values_mut() {
        text.truncate(text.find(&format!("{TEST}mod tests {{")).unwrap_or(text.len()));
    }
    all
}

/// Expands a tree of imports to single paths: `a::{b, c as d}` gives `a::b` and `a::c`.
fn leaves(tree: &str) -> Vec<String> {
    let (mut depth, mut parts, mut start) = (0, Vec::new(), 0);
    for (at, c) in tree.char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && depth == 0 {
            parts.push(&tree[start..at]);
            start = at + 1;
        }
    }
    parts.push(&tree[start..]);
    let inner = |part: &str| match part.trim().split_once('{') {
        Some((prefix, rest)) => {
            let rest = rest.strip_suffix('}').expect("braces match");
            leaves(rest).into_iter().map(|leaf| format!("{prefix}{leaf}")).collect()
        }
        None => vec![part.split(" as ").next().unwrap_or_default().trim().to_owned()],
    };
    parts.into_iter().filter(|part| !part.trim().is_empty()).flat_map(inner).collect()
}

/// Returns the paths that the text of a module imports, or names beginning with `crate`, and whether each is imported at the top
/// level of the file.
fn paths(text: &str) -> Vec<(String, bool)> {
    let code: String =
        text.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect();
    let mut paths = Vec::new();
    for statement in code.split_inclusive(';') {
        let line = statement.rfind("use ").map(|at| statement[..at].rfind('\n').map_or(0, |end| end + 1));
        let (before, line) = statement.split_at(line.unwrap_or(statement.len()));
        let (visible, tree) = line.split_once("use ").unwrap_or_default();
        let is_use = visible.trim().is_empty() || visible.trim().starts_with("pub");
        if is_use && !tree.is_empty() {
            let tree: Vec<_> = tree.trim_end_matches(';').split_whitespace().collect();
            paths.extend(leaves(&tree.join(" ")).into_iter().map(|leaf| (leaf, !visible.starts_with(' '))));
        }
        let rest = if is_use { before } else { statement };
        for (at, _) in rest.match_indices("crate::") {
            let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
            let path = rest[at..].split(|c| !is_path(c)).next().unwrap_or_default();
            paths.push((path.trim_end_matches(':').to_owned(), true));
        }
    }
    paths
}

/// Builds the graph of imports between the modules of a crate.
///
/// # Panics
/// If a module imports a re-export from the root of the crate.
fn imports(all: &BTreeMap<Module, String>) -> Imports {
    let mut imports = Imports::new();
    for (module, text) in all.iter().filter(|(module, _)| !module.is_empty()) {
        for (path, is_top) in paths(text) {
            let mut parts: Vec<&str> = path.split("::").collect();
            let mut from: Vec<&str> = module.split("::").collect();
            match parts[0] {
                "crate" => from.clear(),
                "super" if is_top => {}
                _ => continue,
            }
            while matches!(parts.first(), Some(&"super" | &"crate")) {
                from.pop();
                parts.remove(0);
            }
            let named: Vec<&str> = from.into_iter().chain(parts).collect();
            let known =
                (0..=named.len()).rev().map(|length| named[..length].join("::")).find(|path| all.contains_key(path));
            let imported = known.unwrap_or_default();
            let is_macro = named.len() == 1 && text.contains(&format!("{}!", named[0]));
            assert!(!imported.is_empty() || is_macro, "{module} imports {path} through the root of its crate");
            if imported != *module {
                imports.entry(module.clone()).or_default().insert(imported);
            }
        }
    }
    imports
}

/// Returns the modules that can be reached from a module by following imports.
fn reached<'a>(graph: &'a Imports, from: &Module) -> BTreeSet<&'a Module> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&Module> = graph.get(from).into_iter().flatten().collect();
    while let Some(node) = open.pop() {
        if seen.insert(node) {
            open.extend(graph.get(node).into_iter().flatten());
        }
    }
    seen
}

/// Returns the cycles of a graph of imports: the sets of at least two modules each of which reaches every other.
fn circles(graph: &Imports) -> BTreeSet<Vec<&Module>> {
    let reach: BTreeMap<_, _> = graph.keys().map(|node| (node, reached(graph, node))).collect();
    let circle = |node: &Module| -> Vec<&Module> {
        let back = |other: &&&Module| reach.get(**other).is_some_and(|reached| reached.contains(node));
        reach[node].iter().filter(back).copied().collect()
    };
    graph.keys().map(circle).filter(|circle| circle.len() > 1).collect()
}

fn room(module: &Module) -> Module {
    module.split("::").next().unwrap_or_default().to_owned()
}

/// Returns the imports between different top-level modules, each with its submodules.
fn of_rooms(imports: &Imports) -> Imports {
    let mut rooms = Imports::new();
    for (module, imported) in imports {
        let others = imported.iter().map(room).filter(|other| *other != room(module));
        rooms.entry(room(module)).or_default().extend(others);
    }
    rooms
}

#[test]
fn rooms_import_each_other_in_one_direction_and_files_in_no_ring() {
    for name in ["crates/surefoot-fit", "crates/surefoot-glm", "crates/surefoot-io", "."] {
        let mut all = BTreeMap::new();
        modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join(name).join("src"), "", &mut all);
        let imports = imports(&without_tests(all));
        let rooms = of_rooms(&imports);
        assert_eq!(circles(&rooms), BTreeSet::new(), "rooms of {name} that import each other");
        let rings: Vec<_> = circles(&imports).into_iter().filter(|ring| ring.len() > 2).collect();
        assert!(rings.is_empty(), "files of {name} that import each other in a ring: {rings:?}");
    }
}

/// Builds the modules of a small crate for a test from pairs of module path and source text.
fn small(files: &[(&str, &str)]) -> BTreeMap<Module, String> {
    without_tests(files.iter().map(|(module, text)| ((*module).to_owned(), (*text).to_owned())).collect())
}

#[test]
fn rings_and_circles_are_found() {
    let files = [
        ("", "mod a;\nmod b;\npub use a::x::X;\n"),
        ("a", "mod x;\nmod y;\nmod z;\n"),
        ("a::x", "use super::{y::{self, Y as W}};\npub struct X;\n"),
        ("a::y", "/// See [X](crate::a::x::X).\npub(crate) use super::z::Z;\n"),
        ("a::z", "fn z() -> crate::a::x::X {}\n#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}\n"),
        ("b", "use std::fmt;\nuse crate::a::{\n    x::X,\n};\n#[cfg(test)]\nmod t;\n"),
        ("b::t", "use crate::c::C;\n"),
    ];
    let found = imports(&small(&files));
    let text = |graph: &Imports| circles(graph).iter().map(|ring| format!("{ring:?}")).collect::<String>();
    assert_eq!(text(&found), r#"["a::x", "a::y", "a::z"]"#);
    assert_eq!(text(&of_rooms(&found)), "");
    let back = [&files[..], &[("a::w", "    use crate::b::B;\n")]].concat();
    assert_eq!(text(&of_rooms(&imports(&small(&back)))), r#"["a", "b"]"#);
}

#[test]
#[should_panic(expected = "through the root")]
fn imports_through_the_root_are_found() {
    imports(&small(&[("", "pub use a::X;\n"), ("a", "pub struct X;\n"), ("b", "use crate::X;\n")]));
}
