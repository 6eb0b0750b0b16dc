//! Tests the manifests of all crates: the metadata required by the registry, and the minimum supported Rust version.

use serde_json::Value;
use std::process::Command;

/// Categories of crates.io that may appear in the manifests.
const CATEGORIES: [&str; 5] =
    ["command-line-utilities", "mathematics", "parser-implementations", "science", "visualization"];

fn output(command: &mut Command) -> String {
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the manifests of all crates, dependencies included, that are built for this machine, as reported by `cargo
/// metadata`.
fn packages() -> Vec<Value> {
    let rustc = output(Command::new("rustc").arg("-vV"));
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: ")).expect("the machine");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host]);
    let mut metadata: Value = serde_json::from_str(&output(&mut cargo)).unwrap();
    let Value::Array(packages) = metadata["packages"].take() else { panic!("packages") };
    packages
}

fn is_ours(package: &Value) -> bool {
    package["source"].is_null()
}

/// Splits a Rust version such as `"1.85"` into its numbers; `[0]` if the manifest states none.
fn version(text: &Value) -> Vec<u32> {
    text.as_str().unwrap_or("0").split('.').map(|part| part.parse().unwrap()).collect()
}

#[test]
fn crates_to_be_published_say_what_they_are() {
    let packages = packages();
    let published: Vec<_> = packages.iter().filter(|p| is_ours(p) && p["publish"].is_null()).collect();
    assert!(published.len() >= 7, "{} crates", published.len());
    for package in published {
        let name = &package["name"];
        let texts = |field: &str| -> Vec<String> { serde_json::from_value(package[field].clone()).unwrap() };
        assert!(package["description"].as_str().is_some_and(|text| text.len() > 20), "{name}");
        assert!(package["readme"].is_string(), "{name}");
        assert_eq!(package["license"], "MIT OR Apache-2.0", "{name}");
        assert_eq!(package["version"], env!("CARGO_PKG_VERSION"), "{name}");
        let (keywords, categories) = (texts("keywords"), texts("categories"));
        assert!(
            (1..=5).contains(&keywords.len()) && keywords.iter().all(|word| word.len() <= 20),
            "{name}: {keywords:?}"
        );
        assert!(
            !categories.is_empty() && categories.iter().all(|c| CATEGORIES.contains(&c.as_str())),
            "{name}: {categories:?}"
        );
        // No address is stated before there is one.
        assert!(["repository", "homepage", "documentation"].iter().all(|field| package[field].is_null()), "{name}");
        for dependency in package["dependencies"].as_array().unwrap() {
            let is_for_tests = dependency["kind"] == "dev";
            assert!(is_for_tests || dependency["req"] != "*", "{name}: {} has no version", dependency["name"]);
        }
    }
}

/// All crates of the workspace state the same minimum Rust version, and no dependency needs a later one.
#[test]
fn no_dependency_needs_a_later_rust_than_is_stated() {
    let packages = packages();
    let stated = version(&Value::from(env!("CARGO_PKG_RUST_VERSION")));
    for package in &packages {
        let (name, needs) = (&package["name"], version(&package["rust_version"]));
        if is_ours(package) {
            assert_eq!(needs, stated, "{name}");
        } else {
            assert!(needs <= stated, "{name} {} needs Rust {}", package["version"], package["rust_version"]);
        }
    }
}
