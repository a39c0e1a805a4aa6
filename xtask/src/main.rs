//! Chores of the workspace: `cargo xtask tidy`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line chore"
)]

mod tidy;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["tidy"] {
        return tidy::run();
    }
    eprintln!("usage: cargo xtask tidy");
    ExitCode::from(2)
}
