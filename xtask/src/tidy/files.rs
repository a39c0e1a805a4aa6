//! Sizes of files, docs of modules, names of files.

use std::fs;
use std::path::{Path, PathBuf};

use super::Untidy;

/// The most lines of a file, its unit tests not counted.
const LINES: usize = 500;

pub(super) fn check(root: &Path) -> Vec<Untidy> {
    let mut files = Vec::new();
    for folder in [
        "src", "crates", "examples", "benches", "tests", "xtask", "fuzz",
    ] {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    files
        .iter()
        .flat_map(|path| {
            let place = path
                .strip_prefix(root)
                .unwrap_or(path)
                .display()
                .to_string();
            match fs::read_to_string(path) {
                Ok(text) => examine(&place, &text),
                Err(error) => vec![Untidy::new(place, error.to_string())],
            }
        })
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            if !path.ends_with("target") {
                collect(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn examine(place: &str, text: &str) -> Vec<Untidy> {
    let mut untidy = Vec::new();
    if place.ends_with("/mod.rs") {
        untidy.push(Untidy::new(
            place,
            "is a `mod.rs`; name the file after its module",
        ));
    }
    let first = text
        .lines()
        .find(|line| !line.is_empty() && !line.starts_with("#![cfg("));
    if !first.is_some_and(|line| line.starts_with("//!") || line.starts_with("#![doc")) {
        untidy.push(Untidy::new(
            place,
            "does not begin with the doc of its module",
        ));
    }
    let lines = text
        .lines()
        .take_while(|line| *line != "#[cfg(test)]")
        .count();
    if lines > LINES {
        untidy.push(Untidy::new(
            place,
            format!("has {lines} lines before its tests, over {LINES}"),
        ));
    }
    untidy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_file_with_a_doc_is_fine() {
        assert!(examine("src/a.rs", "//! A.\n\nfn a() {}\n").is_empty());
    }

    #[test]
    fn a_missing_doc_a_long_file_and_a_mod_rs_are_untidy() {
        let long = "fn a() {}\n".repeat(LINES + 1);
        assert_eq!(examine("src/a/mod.rs", &long).len(), 3);
    }

    #[test]
    fn unit_tests_do_not_count() {
        let text = format!("//! A.\n#[cfg(test)]\n{}", "fn a() {}\n".repeat(LINES));
        assert!(examine("src/a.rs", &text).is_empty());
    }
}
