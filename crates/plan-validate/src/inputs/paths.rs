//! What is wrong with the paths that a run is given.

use std::fmt;

use plan_model::{Input, InputKind, ValueType};
use serde_json::Value;

use crate::path;
use crate::policy::{Policy, Roots};

/// What a host's file system has against a path.
///
/// Found by whoever starts a run and can look: this crate does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PathProblem {
    /// There is nothing of this name.
    Missing,
    /// It is no file.
    NoFile,
    /// It is no folder.
    NoFolder,
    /// The folder that the file would be in does not exist.
    NoParent,
    /// Nothing can be written in the folder that the file would be in, or to the file that is there.
    Unwritable,
    /// It cannot be looked at.
    Hidden,
    /// Its links lead out of the folders that the policy lists.
    Outside,
}

impl fmt::Display for PathProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "does not exist",
            Self::NoFile => "is no file",
            Self::NoFolder => "is no folder",
            Self::NoParent => "would be in a folder that does not exist",
            Self::Unwritable => "cannot be written",
            Self::Hidden => "cannot be looked at",
            Self::Outside => "leads out of the folders that the policy lists",
        })
    }
}

/// What can be said of a path without a file system, as a clause after the input's name.
pub(super) fn problem(input: &Input, value: &Value, policy: &Policy) -> Option<&'static str> {
    let path = match value.as_str() {
        None if input.value_type == ValueType::Any => return Some("is not a path"),
        None => return None,
        Some("") => return Some("is an empty path"),
        Some(path) if path.contains('\0') => return Some("holds a NUL, and no path does"),
        Some(path) => path,
    };
    match (&policy.roots, input.input_kind) {
        (Roots::Listed(roots), kind) if !roots.iter().any(|root| path::is_inside(path, root)) => {
            match kind {
                InputKind::Value => None,
                InputKind::DirectoryPath => {
                    Some("is a folder outside of those that the policy lists")
                }
                InputKind::FilePath | InputKind::OutputFilePath => {
                    Some("is a file outside of the folders that the policy lists")
                }
            }
        }
        _ => None,
    }
}
