//! Tests that `docs/flags.md` equals the help texts of the command.

use crate::pages::{read, root};
use std::{collections::BTreeSet, fmt::Write, fs, process::Command};

/// Commands on the page, in order.
const COMMANDS: [&str; 6] = ["fit", "predict", "eval", "inspect", "export", "lab"];

/// Environment variable that makes the test rewrite the page instead of failing.
const WRITE: &str = "SUREFOOT_WRITE_DOCS";

const HEAD: &str = "# Flags

The help of the command, as `surefoot help COMMAND` prints it. Flags of `fit` that other commands share are listed once.
Written by `SUREFOOT_WRITE_DOCS=1 cargo test --test docs flags`; a test compares it with the command.
";

/// Returns the output of `surefoot help COMMAND`.
fn help(command: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_surefoot")).args(["help", command]).env_remove("COLUMNS").output();
    String::from_utf8(output.unwrap().stdout).unwrap()
}

/// Escapes the characters that have a meaning in Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '*' | '_' | '<' | '`' | '|' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Joins the lines of a help text to Markdown paragraphs and list items, each on one line.
fn paragraphs(lines: &[&str]) -> String {
    let (mut out, mut open) = (String::new(), false);
    for line in lines.iter().map(|line| line.trim()) {
        let point = line.strip_prefix("- ");
        match (line.is_empty(), point) {
            (true, _) => open = false,
            (_, Some(point)) => {
                let (name, meaning) = point.split_once(':').unwrap_or((point, ""));
                let _ = write!(out, "\n* `{name}`: {}", escaped(meaning.trim()));
                open = true;
            }
            _ if open => {
                let _ = write!(out, " {}", escaped(line));
            }
            _ => {
                let gap = if out.is_empty() { "" } else { "\n\n" };
                let _ = write!(out, "{gap}{}", escaped(line));
                open = line != "Possible values:";
                out.push_str(if open { "" } else { "\n" });
            }
        }
    }
    out
}

/// Flag or argument in a help text: the heading above it, its syntax, and its description.
type Entry = (String, String, String);

/// Parses the flags and arguments listed in a help text after the usage line.
fn entries(lines: &[&str]) -> Vec<Entry> {
    let (mut found, mut heading, mut at) = (Vec::new(), "", 0);
    while at < lines.len() {
        let (line, rest) = (lines[at], &lines[at + 1..]);
        let belongs = |line: &&&str| line.is_empty() || line.starts_with("        ");
        let below = rest.iter().take_while(belongs).count();
        if line.starts_with(' ') {
            // A short text stands on the line of the flag, behind two blanks.
            let (flag, text) = line.trim().split_once("  ").unwrap_or((line.trim(), ""));
            let text = paragraphs(&[&[text], &rest[..below]].concat());
            found.push((heading.to_owned(), flag.to_owned(), text));
        } else if !line.is_empty() {
            heading = line.trim_end_matches(':');
        }
        at += 1 + below;
    }
    found
}

/// Returns the section of the page about a command; flags in `seen`, which were described before, are only named.
fn section(command: &str, seen: &mut BTreeSet<(String, String)>) -> String {
    let text = help(command);
    let lines: Vec<&str> = text.lines().collect();
    let usage = lines.iter().position(|line| line.starts_with("Usage: ")).expect("a line of usage");
    let mut out =
        format!("\n## {command}\n\n{}\n\n```text\n{}\n```\n", paragraphs(&lines[..usage]), &lines[usage][7..]);
    let (mut last, mut again) = (String::new(), Vec::new());
    for (heading, flag, text) in entries(&lines[usage + 1..]) {
        if flag.contains("--help") {
            continue;
        }
        if !seen.insert((flag.clone(), text.clone())) {
            again.push(format!("`{flag}`"));
            continue;
        }
        if heading != last {
            let _ = write!(out, "\n### {command}: {heading}\n");
            last = heading;
        }
        let _ = write!(out, "\n**`{flag}`**: {text}\n");
    }
    if !again.is_empty() {
        let _ = write!(out, "\nAs above: {}.\n", again.join(", "));
    }
    out
}

#[test]
fn the_page_of_flags_is_the_help() {
    let mut seen = BTreeSet::new();
    let mut page = HEAD.to_owned();
    COMMANDS.iter().for_each(|command| page.push_str(&section(command, &mut seen)));
    let path = root().join("docs/flags.md");
    if std::env::var_os(WRITE).is_some() {
        fs::write(&path, &page).unwrap();
    }
    let stored = read(&path);
    let differs = stored.lines().zip(page.lines()).find(|(stored, now)| stored != now);
    assert!(stored == page, "docs/flags.md is not the help any more: {differs:?}; set {WRITE}=1 to write it anew");
}
