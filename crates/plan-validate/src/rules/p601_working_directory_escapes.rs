//! P601 working-directory-escapes: a folder or a script outside what the run may reach.

use plan_model::{CodeSource, Pointer, StepConfig, Template, TextPart};

use crate::facts::{Facts, step_pointer};
use crate::finding::Severity;
use crate::findings::Findings;
use crate::path;
use crate::policy::Roots;
use crate::rule::{Check, Rule};
use crate::text;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P601",
    "working-directory-escapes",
    Severity::Error,
    include_str!("../../rules/P601-working-directory-escapes.md"),
    Check::Step(check),
);

fn check(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    let (index, step) = (visit.index, visit.step);
    let field = |name: &str| step_pointer(index).join("config").join(name);
    let mut see = |template: &Template, name: &str| {
        if let Some(fault) = fault(facts, template) {
            findings.add(told(field(name), template, fault));
        }
    };
    match &step.config {
        StepConfig::CodeCall(call) => {
            if let Some(folder) = &call.working_dir {
                see(folder, "working_dir");
            }
            if let CodeSource::File(file) = &call.source {
                see(file, "file");
            }
        }
        StepConfig::AgentCall(call) => see(&call.working_dir, "working_dir"),
        _ => {}
    }
}

fn told(at: Pointer, template: &Template, fault: &str) -> crate::finding::Finding {
    let value = template.to_value();
    let shown = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let message = format!("the path {} leaves its root: {fault}", text::quoted(&shown));
    RULE.at(at, message).actual(&shown)
}

fn fault(facts: &Facts<'_>, template: &Template) -> Option<&'static str> {
    match template {
        Template::Literal(value) => {
            let path = value.as_str()?;
            if is_granted(&facts.policy.roots, path) {
                return None;
            }
            path::escape(path)
        }
        Template::Text(parts) => parts.iter().enumerate().find_map(|(index, part)| {
            let TextPart::Literal(literal) = part else {
                return None;
            };
            // dots at the edge of a value may join with the value's own
            if index == 0 {
                path::escape(literal)
            } else {
                path::inner_escape(literal)
            }
        }),
        _ => None,
    }
}

/// Whether the policy lets the run reach an absolute path.
fn is_granted(roots: &Roots, path: &str) -> bool {
    match roots {
        Roots::RunOnly => false,
        Roots::Unrestricted => path::is_plain_absolute(path),
        Roots::Listed(folders) => folders.iter().any(|root| path::is_inside(path, root)),
    }
}
