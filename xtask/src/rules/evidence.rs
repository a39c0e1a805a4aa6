//! The tests of a rule, from the names in the files of the workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::workspace::{files, read};

/// Cases that must hold before anything runs, and the rules that they are about.
///
/// A case is the number in the name of its tests: `case_02_…`. A case without a rule is held by
/// something else: by the grant, by the reader, or because nothing is found.
const CASES: &[(&str, &[&str])] = &[
    ("01", &["P206"]),
    ("02", &["P202"]),
    ("03", &["P203"]),
    ("04", &["P103"]),
    ("05", &["P305"]),
    ("06", &["P304"]),
    ("07", &["P601"]),
    ("08", &["P503", "P504"]),
    ("09", &["P202", "P410"]),
    ("10", &["P506"]),
    ("11", &["P203"]),
    ("12", &["P209"]),
    ("13", &["P203", "P403"]),
    ("14", &["P103"]),
    ("15", &["P106"]),
    ("16", &["P101", "P107", "P108", "P301", "P901"]),
    ("17", &["P106"]),
    ("18", &["P101", "P102", "P105"]),
    ("19", &["P401", "P406"]),
    ("20", &["P407", "P408"]),
    ("21", &["P510", "P605"]),
    ("22", &["P603"]),
    ("23", &[]),
    ("24", &["P607"]),
    ("25", &["P307"]),
    ("25a", &["P107", "P209"]),
    ("25b", &[]),
    ("25c", &["P501"]),
];

/// The first case that is about a run, and not about a plan.
const FIRST_OF_RUNS: u32 = 26;

/// What was found for each rule.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Evidence {
    /// Names of mutators, by code.
    pub(super) mutators: BTreeMap<String, Vec<String>>,
    /// Codes that the second opinion speaks of.
    pub(super) compared: BTreeSet<String>,
    /// Numbers of cases, by code.
    pub(super) cases: BTreeMap<String, BTreeSet<String>>,
    /// Corpora of other people's plans whose tests name the rule, by code.
    pub(super) corpora: BTreeMap<String, BTreeSet<String>>,
}

impl Evidence {
    pub(super) fn read(root: &Path) -> Result<Self, String> {
        let mut evidence = Self::default();
        for path in files(&root.join("crates/plan-testkit/src/mutate"), "rs") {
            evidence.take_mutators(&read(&path)?);
        }
        evidence.take_compared(&read(&root.join("crates/plan-testkit/src/oracle.rs"))?);
        for folder in ["crates", "src", "tests"] {
            for path in files(&root.join(folder), "rs") {
                evidence.take_cases(&read(&path)?)?;
            }
        }
        for path in files(&root.join("tests/corpora"), "rs") {
            let corpus = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            evidence.take_corpus(&corpus, &read(&path)?);
        }
        Ok(evidence)
    }

    fn take_mutators(&mut self, source: &str) {
        for constructor in ["Mutator::new(", "Mutator::of_planner_lists("] {
            for row in source.split(constructor).skip(1) {
                let mut texts = row.split('"').skip(1).step_by(2);
                if let (Some(code), Some(name)) = (texts.next(), texts.next()) {
                    self.mutators
                        .entry(code.to_owned())
                        .or_default()
                        .push(name.to_owned());
                }
            }
        }
    }

    fn take_compared(&mut self, source: &str) {
        let codes = source
            .split_once("pub const CODES")
            .and_then(|(_, rest)| rest.split(';').next());
        let texts = codes.unwrap_or_default().split('"').skip(1).step_by(2);
        self.compared.extend(texts.map(str::to_owned));
    }

    fn take_cases(&mut self, source: &str) -> Result<(), String> {
        for name in source.split("fn case_").skip(1) {
            let number = name.split('_').next().unwrap_or_default();
            let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
            let rules = CASES
                .iter()
                .find(|(case, _)| *case == number)
                .map(|(_, rules)| rules);
            match (rules, digits.parse::<u32>()) {
                (Some(rules), _) => {
                    for rule in *rules {
                        self.cases
                            .entry((*rule).to_owned())
                            .or_default()
                            .insert(number.to_owned());
                    }
                }
                (None, Ok(case)) if case >= FIRST_OF_RUNS => {}
                // such as the `case_` of this very search
                (None, Err(_)) => {}
                (None, Ok(_)) => {
                    return Err(format!(
                        "case {number} has a test, and is in no row of `CASES`"
                    ));
                }
            }
        }
        Ok(())
    }

    fn take_corpus(&mut self, corpus: &str, source: &str) {
        for text in source.split('P').skip(1) {
            let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
            if digits.len() == 3 {
                self.corpora
                    .entry(format!("P{digits}"))
                    .or_default()
                    .insert(corpus.to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_found_by_their_names() {
        let mut evidence = Evidence::default();
        evidence.take_mutators("Mutator::new(\"P301\", \"rename-tool\", |case, random| {}), Mutator::of_planner_lists(\n \"P209\",\n \"null\", x)");
        evidence.take_compared("pub const CODES: &[&str] = &[\"P201\", \"P202\"];\n\"P203\"");
        evidence
            .take_cases("fn case_02_twins() {} fn case_40_later() {}")
            .unwrap();
        evidence.take_corpus("taskbench", "finds(\"P311\")");
        assert_eq!(evidence.mutators["P301"], ["rename-tool"]);
        assert_eq!(evidence.mutators["P209"], ["null"]);
        assert_eq!(evidence.compared.len(), 2);
        assert!(evidence.cases["P202"].contains("02"));
        assert!(evidence.corpora["P311"].contains("taskbench"));
    }

    #[test]
    fn a_case_that_nobody_placed_is_said() {
        assert!(
            Evidence::default()
                .take_cases("fn case_09b_new() {}")
                .is_err()
        );
    }
}
