//! P610 code-injection: untrusted text becomes a part of code, or names the script that runs.
//!
//! Only text around a reference is found: a value that is passed whole is all that the argument is, and
//! what may be that is for `sensitive_arguments` to say.

use plan_model::ValueType;

use super::untrusted;
use crate::catalog::Mark;
use crate::facts::{Facts, Site, Use};
use crate::finding::{Finding, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P610",
    "code-injection",
    Severity::Error,
    include_str!("../../rules/P610-code-injection.md"),
    Check::Step(check),
);

fn check(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    let mut told: Option<&Use<'_>> = None;
    for read in visit.reads {
        // one finding for each string
        let is_told =
            told.is_some_and(|told| (told.site, &told.within) == (read.site, &read.within));
        if is_told {
            continue;
        }
        let finding = match read.site {
            Site::Argument(argument) if !read.whole => in_argument(facts, read, argument),
            Site::File => in_file(facts, read),
            _ => None,
        };
        if let Some(finding) = finding {
            findings.add(finding);
            told = Some(read);
        }
    }
}

fn in_argument(facts: &Facts<'_>, read: &Use<'_>, argument: &str) -> Option<Finding> {
    let step = read.step?;
    let tool = facts.tool(step).filter(|tool| tool.quarantine.is_none())?;
    let what = match tool.mark(argument, read.within.segments())? {
        Mark::Code => "code",
        Mark::Url => "a URL",
    };
    if !may_be_text(facts, read) {
        return None;
    }
    let cause = facts.cause_of_distrust(step, read.reference)?;
    let message = format!(
        "untrusted text from {} becomes a part of the argument {}, which is {what}",
        facts.source_of(cause),
        quoted(argument)
    );
    let finding = RULE
        .at(read.pointer(), message)
        .help("pass the value whole, as an argument of its own");
    Some(untrusted::told(
        finding,
        &facts.way_of(cause),
        read.reference,
    ))
}

fn in_file(facts: &Facts<'_>, read: &Use<'_>) -> Option<Finding> {
    let step = read.step?;
    let cause = facts.cause_of_distrust(step, read.reference)?;
    let message = format!(
        "an untrusted value from {} names the script that runs",
        facts.source_of(cause)
    );
    let finding = RULE
        .at(read.pointer(), message)
        .help("name the script in the plan, and pass the value through `args`, `env` or `stdin`");
    Some(untrusted::told(
        finding,
        &facts.way_of(cause),
        read.reference,
    ))
}

/// Numbers, truth values and words of a closed list are no code, whoever chose them.
fn may_be_text(facts: &Facts<'_>, read: &Use<'_>) -> bool {
    let shape = facts.shape_of(read);
    let types = [ValueType::String, ValueType::Array, ValueType::Object];
    shape.choices().is_none() && types.into_iter().any(|it| shape.may_be(it))
}
