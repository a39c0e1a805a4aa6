//! Chores of the workspace: `cargo xtask tidy`, `cargo xtask rules`, `cargo xtask cases`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line chore"
)]

mod cases;
mod rules;
mod tidy;
mod workspace;

use std::process::ExitCode;

use workspace::Action;

const USAGE: &str = "\
usage: cargo xtask CHORE
  tidy           holds the rules of the house
  rules          writes docs/rules/README.md from the pages of the rules
  rules --check  fails where that file is not what would be written
  rules --table  prints which tests each rule has
  cases          writes docs/cases.md from the names of the tests
  cases --check  fails where that file is not what would be written
  cases --table  prints which tests each case has

A case that has to hold and has no test fails each of the last three.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["tidy"] => tidy::run(),
        ["rules"] => rules::run(Action::Write),
        ["rules", "--check"] => rules::run(Action::Check),
        ["rules", "--table"] => rules::run(Action::Print),
        ["cases"] => cases::run(Action::Write),
        ["cases", "--check"] => cases::run(Action::Check),
        ["cases", "--table"] => cases::run(Action::Print),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
