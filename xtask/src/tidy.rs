//! What no compiler checks: directions of dependency, sizes of files, docs of modules, pages of rules.

mod dependencies;
mod files;
mod rules;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// One thing that is not tidy, and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Untidy {
    /// The file, crate or rule.
    pub(crate) place: String,
    /// What is wrong there.
    pub(crate) what: String,
}

impl Untidy {
    pub(crate) fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            what: what.into(),
        }
    }
}

/// Runs every check and prints what it found.
pub(crate) fn run() -> ExitCode {
    let root = workspace_root();
    let checks: [(&str, Vec<Untidy>); 3] = [
        ("dependencies", dependencies::check(&root)),
        ("files", files::check(&root)),
        ("rules", rules::check(&root)),
    ];
    let mut clean = true;
    for (name, found) in checks {
        println!(
            "tidy: {name}: {}",
            if found.is_empty() { "fine" } else { "not tidy" }
        );
        for untidy in found {
            clean = false;
            println!("  {}: {}", untidy.place, untidy.what);
        }
    }
    if clean {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}
