//! Chores of the workspace: `cargo xtask tidy`, `cargo xtask rules`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line chore"
)]

mod rules;
mod tidy;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask CHORE
  tidy           holds the rules of the house
  rules          writes docs/rules/README.md from the pages of the rules
  rules --check  fails where that file is not what would be written
  rules --table  prints which tests each rule has";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["tidy"] => tidy::run(),
        ["rules"] => rules::run(rules::Action::Write),
        ["rules", "--check"] => rules::run(rules::Action::Check),
        ["rules", "--table"] => rules::run(rules::Action::Print),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
