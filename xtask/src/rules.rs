//! The index of the rules, and the tests that each of them has, from the files of the workspace.
//!
//! It reads files and links nothing, so that it stays as quick to build as the other chores.

mod evidence;
mod pages;
mod table;

use std::path::Path;
use std::process::ExitCode;

use evidence::Evidence;

use crate::workspace::{self, Action, is_fresh, write};

/// Where the index is.
const INDEX: &str = "docs/rules/README.md";

/// Does it, and says what is wrong.
pub(crate) fn run(action: Action) -> ExitCode {
    workspace::told(act(action, &workspace::root()))
}

fn act(action: Action, root: &Path) -> Result<String, String> {
    let rules = pages::read_workspace(root)?;
    let evidence = Evidence::read(root)?;
    let table = table::of_tests(&rules, &evidence);
    if action == Action::Print {
        return Ok(table);
    }
    let index = table::index(&rules, &table);
    if action == Action::Check {
        return is_fresh(root, INDEX, &index, "cargo xtask rules");
    }
    write(root, INDEX, &index)?;
    Ok(format!("{INDEX} has {} rules", rules.len()))
}
