//! The cases that must hold, and the tests that each of them has, from the names of the tests.

mod said;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use crate::workspace::{self, Action, files, is_fresh, read, write};

use said::{CHAPTERS, Case, OPEN};

/// Where the table is.
const TABLE: &str = "docs/cases.md";

/// Names of tests by the number of their case, each with the crate that it is in.
type Tests = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// Does it, and says what is wrong.
pub(crate) fn run(action: Action) -> ExitCode {
    workspace::told(act(action, &workspace::root()))
}

fn act(action: Action, root: &Path) -> Result<String, String> {
    let mut tests = Tests::new();
    for folder in ["crates", "src", "tests"] {
        for path in files(&root.join(folder), "rs") {
            let place = path.strip_prefix(root).unwrap_or(&path);
            take(&mut tests, &owner(place), &read(&path)?);
        }
    }
    held(&tests)?;
    let table = table(&tests);
    match action {
        Action::Print => Ok(table),
        Action::Check => is_fresh(root, TABLE, &page(&table), "cargo xtask cases"),
        Action::Write => {
            write(root, TABLE, &page(&table))?;
            Ok(format!("{TABLE} has {} cases", cases().count()))
        }
    }
}

fn cases() -> impl Iterator<Item = &'static Case> {
    CHAPTERS.iter().flat_map(|chapter| chapter.cases)
}

/// The crate that a file is in.
fn owner(place: &Path) -> String {
    let mut parts = place.iter().map(|part| part.to_string_lossy().into_owned());
    match (parts.next().as_deref(), parts.next()) {
        (Some("crates"), Some(name)) => name,
        _ => "planwright".to_owned(),
    }
}

/// The tests of a source: `fn case_45_…`. Other functions whose names begin so have no number there.
fn take(tests: &mut Tests, owner: &str, source: &str) {
    for rest in source.split("fn case_").skip(1) {
        let name: String = rest
            .chars()
            .take_while(|char| char.is_alphanumeric() || *char == '_')
            .collect();
        let Some((number, said)) = name.split_once('_') else {
            continue;
        };
        if number.starts_with(|char: char| char.is_ascii_digit()) {
            let of_case = tests.entry(number.to_owned()).or_default();
            let names = of_case.entry(owner.to_owned()).or_default();
            names.push(said.replace('_', " "));
        }
    }
}

/// Fails where a case has no test that has to have one, and where a test has a case that nobody described.
fn held(tests: &Tests) -> Result<(), String> {
    let mut wrong = Vec::new();
    for Case { number, says } in cases() {
        match (tests.contains_key(*number), OPEN.contains(number)) {
            (false, false) => wrong.push(format!("case {number} has no test: {says}")),
            (true, true) => wrong.push(format!("case {number} has a test: take it from `OPEN`")),
            _ => {}
        }
    }
    let unknown = tests
        .keys()
        .filter(|number| cases().all(|case| case.number != number.as_str()));
    wrong.extend(unknown.map(|number| format!("case {number} has a test and no sentence")));
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

fn page(table: &str) -> String {
    format!(
        "# Cases\n\n\
         <!-- written by `cargo xtask cases`; do not edit -->\n\n\
         Each of these went wrong in some system of this kind, or is asked for by the people who use them. Each has tests, with its\n\
         number in their names: `cargo nextest run case_45`, or `cargo test case_45`. `cargo xtask cases --table` prints the table.\n\
         Tests of the same name in several crates look at the same thing at several heights: the reader, the rule, the machine,\n\
         the executor, the store, the command.\n\n{table}"
    )
}

fn table(tests: &Tests) -> String {
    let mut table = String::new();
    for chapter in CHAPTERS {
        let _ = writeln!(table, "## {}\n", chapter.title);
        for Case { number, says } in chapter.cases {
            let _ = writeln!(table, "**{number}.** {says}\n");
            match tests.get(*number) {
                None => table.push_str("- not built yet\n"),
                Some(of_case) => {
                    for (owner, names) in of_case {
                        let _ = writeln!(table, "- {owner}: {}", names.join("; "));
                    }
                }
            }
            table.push('\n');
        }
    }
    table.truncate(table.trim_end().len());
    table.push('\n');
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_found_by_their_numbers() {
        let mut tests = Tests::new();
        take(
            &mut tests,
            &owner(Path::new("crates/plan-run/tests/it/a.rs")),
            "fn case_45_a_run_goes_on() {}\nasync fn case_46a_more() {}\nfn case_blanks_do() {}",
        );
        take(
            &mut tests,
            &owner(Path::new("tests/it/a.rs")),
            "fn case_45_again()",
        );
        assert_eq!(tests["45"]["plan-run"], ["a run goes on"]);
        assert_eq!(tests["45"]["planwright"], ["again"]);
        assert_eq!(tests["46a"]["plan-run"], ["more"]);
        assert_eq!(tests.len(), 2);
    }

    #[test]
    fn a_case_without_a_test_and_a_test_without_a_case_are_said() {
        let mut tests = Tests::new();
        take(&mut tests, "it", "fn case_99_nobody_knows()");
        let wrong = held(&tests).unwrap_err();
        assert!(wrong.contains("case 26 has no test"), "{wrong}");
        assert!(
            wrong.contains("case 99 has a test and no sentence"),
            "{wrong}"
        );
        let open = cases().filter(|case| OPEN.contains(&case.number));
        assert_eq!(open.count(), OPEN.len());
    }
}
