//! The files of the workspace, and those of them that chores write.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What is done with a file that a chore writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Write,
    /// Fails where it is not what would be written.
    Check,
    /// Prints its table alone.
    Print,
}

/// Says how a chore came out.
pub(crate) fn told(result: Result<String, String>) -> ExitCode {
    match result {
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

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Fails where a file is not what `command` would write.
pub(crate) fn is_fresh(
    root: &Path,
    file: &str,
    text: &str,
    command: &str,
) -> Result<String, String> {
    match fs::read_to_string(root.join(file)) {
        Ok(there) if there == text => Ok(format!("{file} is fresh")),
        _ => Err(format!(
            "{file} is not fresh: run `{command}` and commit it"
        )),
    }
}

/// Writes a file, with the folders that it is in.
pub(crate) fn write(root: &Path, file: &str, text: &str) -> Result<(), String> {
    let path = root.join(file);
    let folder = path.parent().unwrap_or(root);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&path, text))
        .map_err(|error| format!("{file}: {error}"))
}

/// The files below a folder with this extension, in the order of their paths.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
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

pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
