//! The index of the rules, and the tests that each of them has, from the files of the workspace.
//!
//! It reads files and links nothing, so that it stays as quick to build as the other chores.

mod evidence;
mod pages;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use evidence::Evidence;

/// Where the index is.
const INDEX: &str = "docs/rules/README.md";

/// What is done with the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Write,
    Check,
    /// Prints the table of rules and their tests alone.
    Print,
}

/// Does it, and says what is wrong.
pub(crate) fn run(action: Action) -> ExitCode {
    match act(action, &root()) {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn act(action: Action, root: &Path) -> Result<String, String> {
    let rules = pages::read_workspace(root)?;
    let evidence = Evidence::read(root)?;
    let table = table::of_tests(&rules, &evidence);
    if action == Action::Print {
        return Ok(table);
    }
    let index = table::index(&rules, &table);
    let path = root.join(INDEX);
    if action == Action::Check {
        return match fs::read_to_string(&path) {
            Ok(there) if there == index => Ok(format!("{INDEX} is fresh")),
            _ => Err(format!(
                "{INDEX} is not fresh: run `cargo xtask rules` and commit it"
            )),
        };
    }
    let folder = path.parent().unwrap_or(root);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&path, index))
        .map_err(|error| format!("{INDEX}: {error}"))?;
    Ok(format!("{INDEX} has {} rules", rules.len()))
}

/// The files below a folder with this extension, in the order of their paths.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
        {
            if path.is_dir() {
                if !path.ends_with("target") {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
