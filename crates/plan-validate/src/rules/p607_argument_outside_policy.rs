//! P607 argument-outside-policy: an argument that no call could send under the policy's rule for it.
//!
//! What is known before the run is looked at: literals, constants, defaults of
//! inputs, values of a closed set, and the text around references. The rest is
//! checked at the call.

mod composed;
mod known;
mod partial;

use plan_model::edit::Edit;
use plan_model::{Pointer, Reference, Template, TextPart};
use serde_json::Value;

use super::call::{self, Call};
use super::place;
use crate::facts::Facts;
use crate::finding::{Applicability, Expected, Finding, Severity};
use crate::findings::Findings;
use crate::grant::ArgRule;
use crate::normal::{self, Form};
use crate::rule::{Check, Rule};
use crate::text::{self, quoted};
use crate::visit::Visit;
use known::Known;

pub(super) const RULE: Rule = Rule::new(
    "P607",
    "argument-outside-policy",
    Severity::Error,
    include_str!("../../rules/P607-argument-outside-policy.md"),
    Check::Step(check),
);

fn check<'a>(facts: &Facts<'a>, visit: &Visit<'_, 'a>, findings: &mut Findings) {
    if facts.policy.arguments.is_empty() {
        return;
    }
    let Some(call) = call::of(facts, visit) else {
        return;
    };
    let rules = facts.policy.arguments.get(&call.data.tool);
    for (name, rule) in rules.into_iter().flatten() {
        let one = Argument {
            facts,
            call,
            name,
            rule,
        };
        match call.data.arguments.get(name) {
            None => one.left_out(findings),
            Some(template) => one.given(template, findings),
        }
    }
}

/// One argument of one call, and what the policy lets it be.
struct Argument<'r, 'a> {
    facts: &'r Facts<'a>,
    call: Call<'a>,
    name: &'r str,
    rule: &'r ArgRule,
}

impl Argument<'_, '_> {
    fn pointer(&self) -> Pointer {
        self.call.pointer().join(self.name)
    }

    /// The argument and its tool, for a message.
    fn spelled(&self) -> String {
        format!("{} of {}", quoted(self.name), quoted(&self.call.data.tool))
    }

    /// The tool's own default would apply, and it is not the policy's.
    fn left_out(&self, findings: &mut Findings) {
        // where the tool itself asks for it, one finding is enough
        let argument = self.call.tool.argument(self.name);
        if argument.is_some_and(|argument| argument.required) {
            return;
        }
        let message = format!(
            "the call leaves out the argument {}, which the policy rules: the tool's own default is not the policy's",
            self.spelled()
        );
        let finding = RULE.at(self.call.pointer(), message);
        findings.add(self.with_only_value(self.told(finding)));
    }

    fn given(&self, template: &Template, findings: &mut Findings) {
        let fault = match template {
            Template::Literal(value) => {
                return self.literal(value, findings);
            }
            Template::Reference(reference) => return self.reference(reference, findings),
            Template::Text(parts) => return self.text(parts, findings),
            Template::Array(_) => known::kind_fault(self.rule, &|value| value.is_array()),
            Template::Object(_) => known::kind_fault(self.rule, &|value| value.is_object()),
        };
        if let Some(fault) = fault {
            let finding = RULE.at(self.pointer(), self.outside(&fault));
            findings.add(self.told(finding));
        }
    }

    fn literal(&self, value: &Value, findings: &mut Findings) {
        let sent = match normal::argument(self.call.tool, self.name, value) {
            Form::AsIs => value.clone(),
            Form::Text(text) => text.into(),
            Form::Dropped => {
                let message = format!(
                    "the argument {} is null, which is not sent, and the policy rules it",
                    self.spelled()
                );
                findings.add(self.told(RULE.at(self.pointer(), message)));
                return;
            }
        };
        // what the tool does not take either has its finding
        let argument = self.call.tool.argument(self.name);
        if argument.is_some_and(|argument| !argument.shape.admits(&sent)) {
            return;
        }
        if let Some(fault) = known::fault(self.rule, &sent) {
            let finding = RULE.at(self.pointer(), self.outside(&fault));
            let finding = self.told(finding).actual(&value.to_string());
            findings.add(self.with_only_value(finding));
        }
    }

    fn text(&self, parts: &[TextPart], findings: &mut Findings) {
        if let Some(fault) = composed::fault(self.facts, parts, self.rule) {
            let finding = RULE.at(self.pointer(), self.outside(&fault));
            findings.add(self.told(finding));
        } else if let Some((reference, fault)) =
            composed::default_fault(self.facts, parts, self.rule)
            && let Some(known) = known::at(self.facts, reference.first())
        {
            findings.add(self.known(&known, &format!("makes text that {fault}")));
        }
    }

    fn reference(&self, reference: &Reference, findings: &mut Findings) {
        let from = Some(self.call.step);
        for known in known::of(self.facts, reference) {
            let sent = match normal::argument(self.call.tool, self.name, &known.value()) {
                Form::AsIs => known.value(),
                Form::Text(text) => text.into(),
                Form::Dropped => Value::Null,
            };
            if let Some(fault) = known::fault(self.rule, &sent) {
                findings.add(self.known(&known, &fault));
                return;
            }
        }
        let shape = self.facts.reference_shape(reference, from);
        if let Some(fault) = known::shape_fault(self.rule, &shape) {
            let message = format!(
                "the argument {} is outside the policy: {reference} {fault}",
                self.spelled()
            );
            findings.add(self.told(RULE.at(self.pointer(), message)));
        }
    }

    /// What is known of the value stands elsewhere: a default at its input, a constant in `config`.
    fn known(&self, known: &Known<'_>, fault: &str) -> Finding {
        match known {
            Known::Default { index, input, .. } => {
                let message = format!(
                    "the default of the input {} reaches the argument {}, and it {fault}",
                    quoted(&input.name),
                    self.spelled()
                );
                let at = place::input(*index).join("default");
                let finding = self.told(RULE.at(at, message));
                let finding = finding.related(self.pointer(), "sent from here");
                if input.sensitive {
                    finding
                } else {
                    finding.actual(&known.value().to_string())
                }
            }
            Known::Constant { key, value } => {
                let message = self.outside(fault);
                let at = Pointer::root().join("config").join(key);
                self.told(RULE.at(self.pointer(), message))
                    .related(at, "the value stands here")
                    .actual(&value.to_string())
            }
        }
    }

    fn outside(&self, fault: &str) -> String {
        format!(
            "the argument {} is outside the policy: it {fault}",
            self.spelled()
        )
    }

    /// With what the policy takes.
    fn told(&self, finding: Finding) -> Finding {
        let expected = match self.rule {
            ArgRule::OneOf(values) => Expected::OneOf(
                values
                    .iter()
                    .take(crate::finding::MOST_CANDIDATES)
                    .map(|value| text::capped(&plain(value)).into_owned())
                    .collect(),
            ),
            ArgRule::Exact(value) => {
                Expected::OneOf(vec![text::capped(&plain(value)).into_owned()])
            }
            ArgRule::Range { .. } => Expected::Range(self.rule.to_string()),
            ArgRule::Schema(schema) => Expected::Schema(schema.0.clone()),
            rule => Expected::Type(text::capped(&rule.to_string()).into_owned()),
        };
        finding.expected(expected)
    }

    /// Where the policy takes one value alone, that value.
    fn with_only_value(&self, finding: Finding) -> Finding {
        let only = match self.rule {
            ArgRule::Exact(value) => value,
            ArgRule::OneOf(values) => match values.as_slice() {
                [only] => only,
                _ => return finding,
            },
            _ => return finding,
        };
        finding.suggest(
            "send the one value that the policy takes",
            Applicability::MaybeIncorrect,
            Some(Edit::Set {
                pointer: self.pointer(),
                value: only.clone(),
            }),
        )
    }
}

/// A string as it is, anything else as JSON.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
