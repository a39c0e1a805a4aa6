//! Whether the paths that a run is given are there, and of the right kind.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;

use plan_model::{Input, InputKind};
use plan_validate::PathProblem;
use plan_validate::policy::{Policy, Roots};

use crate::folder::real;

/// Whether any input is a path that can be looked at.
pub(super) fn any(inputs: &[Input]) -> bool {
    inputs
        .iter()
        .any(|input| input.input_kind != InputKind::Value)
}

/// The folders that paths have to lie in, where a policy lists some.
pub(super) fn listed(policy: &Policy) -> Option<Vec<String>> {
    match &policy.roots {
        Roots::Listed(folders) => Some(folders.clone()),
        Roots::RunOnly | Roots::Unrestricted => None,
    }
}

/// Whether a path, links followed, leads into none of these folders.
fn leads_out(path: &Path, roots: &[String]) -> bool {
    let Ok(path) = real(path) else { return true };
    !roots
        .iter()
        .filter_map(|root| real(Path::new(root)).ok())
        .any(|root| path.starts_with(root))
}

/// What keeps a path from being what an input of this kind is. Changes nothing.
///
/// Relative paths begin in the folder of this process.
pub(super) fn look(kind: InputKind, path: &str, roots: Option<&[String]>) -> Option<PathProblem> {
    let path = Path::new(path);
    let problem = of_kind(kind, path);
    if problem.is_some() || kind == InputKind::Value {
        return problem;
    }
    let roots = roots?;
    leads_out(path, roots).then_some(PathProblem::Outside)
}

fn of_kind(kind: InputKind, path: &Path) -> Option<PathProblem> {
    match kind {
        InputKind::Value => None,
        InputKind::FilePath => match fs::metadata(path) {
            Ok(found) if found.is_dir() => Some(PathProblem::NoFile),
            Ok(_) => None,
            Err(error) => Some(unseen(&error)),
        },
        InputKind::DirectoryPath => match fs::metadata(path) {
            Ok(found) if found.is_dir() => None,
            Ok(_) => Some(PathProblem::NoFolder),
            Err(error) => Some(unseen(&error)),
        },
        InputKind::OutputFilePath => output(path),
    }
}

fn output(path: &Path) -> Option<PathProblem> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Some(PathProblem::NoFile),
        Ok(found) if found.is_file() => {
            // neither made nor cut short
            let opened = OpenOptions::new().append(true).open(path);
            return opened.is_err().then_some(PathProblem::Unwritable);
        }
        // a device or a pipe: opening it may wait for its other end
        Ok(_) => return None,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Some(unseen(&error)),
    }
    let parent = match path.parent() {
        None => return Some(PathProblem::NoFile),
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
    };
    match fs::metadata(parent) {
        Ok(found) if !found.is_dir() => Some(PathProblem::NoParent),
        Ok(_) => (!is_writable(parent)).then_some(PathProblem::Unwritable),
        Err(error) if error.kind() == ErrorKind::NotFound => Some(PathProblem::NoParent),
        Err(error) => Some(unseen(&error)),
    }
}

#[cfg(unix)]
fn is_writable(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_writable(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|found| !found.permissions().readonly())
}

fn unseen(error: &std::io::Error) -> PathProblem {
    match error.kind() {
        ErrorKind::NotFound => PathProblem::Missing,
        _ => PathProblem::Hidden,
    }
}
