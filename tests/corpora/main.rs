//! Real plans that nobody here wrote, checked and run.
//!
//! They are read from the folder that `PLANWRIGHT_CORPORA` names; where that is
//! unset every test is listed as ignored, by name.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test without the harness that would say so"
)]

mod agentdojo;
mod nestful;
mod rows;
mod seal_tools;
mod taskbench;
mod worfbench;
mod workbench;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = std::env::var_os("PLANWRIGHT_CORPORA").map(PathBuf::from);
    if folder.is_none() {
        println!("PLANWRIGHT_CORPORA is unset: every corpus test is skipped");
    }
    let corpora = folder.map(|folder| Arc::new(rows::Corpora::new(folder)));
    let tests = [
        agentdojo::TESTS,
        taskbench::TESTS,
        seal_tools::TESTS,
        nestful::TESTS,
        worfbench::TESTS,
        workbench::TESTS,
    ]
    .concat();
    let trials = tests
        .into_iter()
        .map(|test| match &corpora {
            Some(corpora) => {
                let corpora = Arc::clone(corpora);
                Trial::test(test.name, move || {
                    (test.run)(&corpora);
                    Ok(())
                })
            }
            None => Trial::test(test.name, || Ok(())).with_ignored_flag(true),
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}
