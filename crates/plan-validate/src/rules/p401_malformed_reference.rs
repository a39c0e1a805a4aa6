//! P401 malformed-reference: `${` without a well-formed reference after it.
//!
//! In what a script is given, a name of this plan in the syntax of a shell is
//! one too: no shell ever reads `args`, `env` or `stdin`.

use plan_model::document::{Problem, ProblemKind};
use plan_model::{Reference, Spelling, plan_references};

use super::known;
use super::literal_text::{self, LiteralText, Reader};
use crate::facts::Facts;
use crate::finding::{Finding, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P401",
    "malformed-reference",
    Severity::Error,
    include_str!("../../rules/P401-malformed-reference.md"),
    Check::Several(&[Check::Problem(problem), Check::Step(check)]),
);

fn problem(problem: &Problem) -> Option<Finding> {
    let ProblemKind::MalformedReference { error, in_quotes } = &problem.kind else {
        return None;
    };
    let mut finding = RULE.at(problem.pointer.clone(), error.message.clone());
    if let Some(reference) = in_quotes {
        let written = quoted(reference);
        finding = finding.help(format!(
            "a name that holds blanks or marks stands in quotes: {written}"
        ));
    }
    Some(finding.help("write `$${` where the text is meant as it stands"))
}

fn check(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    literal_text::each_marked(visit, &mut |literal| {
        for (spelled, reference) in in_shell_syntax(facts, literal) {
            let message = format!("{} is not in braces, and stays text", quoted(spelled));
            let finding = RULE.at(literal.pointer.clone(), message);
            findings.add(finding.help(format!("write {}", quoted(reference.to_string()))));
        }
    });
}

/// What a script is given and names something of this plan as a shell would.
pub(super) fn in_shell_syntax<'t>(
    facts: &Facts<'_>,
    literal: &LiteralText<'t>,
) -> Vec<(&'t str, Reference)> {
    if literal.reader != Reader::Script {
        return Vec::new();
    }
    plan_references(literal.text)
        .filter(|found| found.spelling == Spelling::Shell)
        .filter_map(|found| {
            let spelled = literal.text.get(found.range)?;
            let spelled = spelled.trim_end_matches(['.', '[']);
            let reference = Reference::parse(spelled.trim_start_matches('$')).ok()?;
            known::is_known(facts, &reference, Some(literal.step)).then_some((spelled, reference))
        })
        .collect()
}
