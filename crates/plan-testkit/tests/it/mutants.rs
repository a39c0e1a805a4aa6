//! Thousands of plans with a fault: nothing panics, and every run in every process says the same bytes.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::{Command, Stdio};

use plan_testkit::mutate::{self, Mutator};

use crate::campaign::cases;

/// Set in the second process, which prints its digest and compares nothing.
const CHILD: &str = "PLANWRIGHT_MUTANTS_CHILD";
const MARK: &str = "digest of all that is said: ";

/// What is said of so many mutated plans, digested; `look` sees each text.
fn digest(mutants: u64, mut look: impl FnMut(u64, &plan_testkit::Case, &str)) -> u64 {
    let mutators: Vec<&Mutator> = mutate::mutators().collect();
    let mut hasher = DefaultHasher::new();
    let (mut seed, mut done) = (0, 0);
    while done < mutants {
        let mutator = mutators[usize::try_from(seed).unwrap() % mutators.len()];
        if let Some(mutated) = mutator.apply(&mutator.base(seed), seed) {
            let said = mutated.case.said();
            look(seed, &mutated.case, &said);
            said.hash(&mut hasher);
            done += 1;
        }
        seed += 1;
    }
    hasher.finish()
}

#[test]
fn mutants_get_the_same_bytes_in_two_runs_and_in_two_processes() {
    let mutants = u64::from(cases(10_000));
    if std::env::var_os(CHILD).is_some() {
        println!("{MARK}{:x}", digest(mutants, |_, _, _| {}));
        return;
    }
    let this = "mutants::mutants_get_the_same_bytes_in_two_runs_and_in_two_processes";
    let child = Command::new(std::env::current_exe().unwrap())
        .args([this, "--exact", "--nocapture"])
        .env(CHILD, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut single = 0;
    let here = digest(mutants, |seed, case, said| {
        // the other process is a second run of all of them; this is one within this process
        if (seed >> 8) % 4 == 0 {
            assert_eq!(case.said(), said, "seed {seed}");
        }
        let findings = said.lines().next().unwrap_or_default();
        single += u64::from(findings.matches("\"severity\":\"error\"").count() <= 1);
    });
    assert!(
        single * 100 >= mutants * 95,
        "{single} of {mutants} have at most one error"
    );
    let output = child.wait_with_output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        printed.contains(&format!("{MARK}{here:x}")),
        "another process says something else: {printed}"
    );
}
