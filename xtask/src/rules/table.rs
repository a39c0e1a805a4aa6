//! The index as a page, and the table of tests within it.

use std::fmt::Write as _;

use super::evidence::Evidence;
use super::pages::Rule;

/// The groups of codes.
const GROUPS: &[(&str, &str)] = &[
    ("P1", "The document"),
    ("P2", "Structure and graph"),
    ("P3", "Tools and arguments"),
    ("P4", "Data flow and types"),
    ("P5", "Control flow"),
    ("P6", "Capability and effects"),
    ("P7", "Bounds"),
    ("P8", "Versions and repair"),
    ("P9", "Catalog, policy, inputs of a run"),
];

/// The whole file.
pub(super) fn index(rules: &[Rule], table: &str) -> String {
    let mut page = format!(
        "# Rules\n\n\
         <!-- written by `cargo xtask rules`; do not edit -->\n\n\
         What `check` looks for: {} rules, each with a page that says what it finds, why it matters, and shows a plan that is\n\
         rejected and the same plan mended. `planwright explain CODE` prints a page. Every page is executed as its rule's test.\n",
        rules.len()
    );
    for (prefix, title) in GROUPS {
        let group: Vec<&Rule> = rules
            .iter()
            .filter(|rule| rule.code.starts_with(prefix))
            .collect();
        if group.is_empty() {
            continue;
        }
        let _ = write!(
            page,
            "\n## {title}\n\n| code | name | severity | what it finds |\n|---|---|---|---|\n"
        );
        for rule in group {
            let off = if rule.is_on {
                ""
            } else {
                ", off unless the policy asks"
            };
            let Rule {
                code,
                name,
                severity,
                finds,
                page: file,
                ..
            } = rule;
            let _ = writeln!(
                page,
                "| [{code}](../../crates/plan-validate/rules/{file}) | {name} | {severity}{off} | {finds} |"
            );
        }
    }
    page.push_str(
        "\n## Tests\n\n\
         Beside its page a rule has *mutators*, each of which plants one fault in thousands of generated plans that the rule has to\n\
         find and nothing else may be said of; a *second opinion*, which compares the rule with another implementation of it; and the\n\
         *cases* that were seen to go wrong elsewhere, by the numbers in the names of their tests, or the *corpora* of other people's\n\
         plans whose tests speak of the rule.\n\n",
    );
    page.push_str(table);
    page
}

/// The tests of each rule.
pub(super) fn of_tests(rules: &[Rule], evidence: &Evidence) -> String {
    let mut table = String::from(
        "| rule | page | mutators | second opinion | cases | corpora |\n|---|---|---|---|---|---|\n",
    );
    for Rule { code, name, .. } in rules {
        let mutators = evidence
            .mutators
            .get(code)
            .map(|names| names.join(", "))
            .unwrap_or_default();
        let compared = if evidence.compared.contains(code) {
            "yes"
        } else {
            ""
        };
        let cases = evidence
            .cases
            .get(code)
            .into_iter()
            .flatten()
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        let corpora = evidence
            .corpora
            .get(code)
            .into_iter()
            .flatten()
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        let _ = writeln!(
            table,
            "| {code} {name} | yes | {mutators} | {compared} | {cases} | {corpora} |"
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_has_a_row_in_the_index_and_in_the_table() {
        let rule = Rule {
            code: "P208".to_owned(),
            name: "unused-output".to_owned(),
            severity: "note".to_owned(),
            is_on: false,
            finds: "An output that nothing reads".to_owned(),
            page: "P208-unused-output.md".to_owned(),
        };
        let rules = [rule];
        let table = of_tests(&rules, &Evidence::default());
        assert!(table.contains("| P208 unused-output | yes |"), "{table}");
        let index = index(&rules, &table);
        let row = "| [P208](../../crates/plan-validate/rules/P208-unused-output.md) | unused-output | note, off unless the policy asks | An output that nothing reads |";
        assert!(index.contains(row), "{index}");
    }
}
