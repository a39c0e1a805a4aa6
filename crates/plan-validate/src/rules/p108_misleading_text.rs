//! P108 misleading-text: text that shows as something else than it is.

use plan_model::edit::Edit;
use plan_model::{Pointer, StepConfig, Template, TextPart};

use crate::facts::{Facts, step_pointer};
use crate::finding::{Applicability, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P108",
    "misleading-text",
    Severity::Warning,
    include_str!("../../rules/P108-misleading-text.md"),
    Check::Several(&[Check::Plan(check_plan), Check::Step(check_step)]),
);

fn check_plan(facts: &Facts<'_>, findings: &mut Findings) {
    let plan = facts.plan;
    let mut see = Seen(findings);
    let name = |pointer: &str| Pointer::root().join(pointer);
    see.shown(&plan.name, || name("name"));
    for (index, output) in plan.outputs.iter().enumerate() {
        see.named(output.name.as_str(), || {
            name("outputs").join(index).join("name")
        });
    }
}

fn check_step(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    let (index, step) = (visit.index, visit.step);
    let mut see = Seen(findings);
    let at = || step_pointer(index);
    see.shown(&step.name, || at().join("name"));
    for (number, output) in step.outputs.iter().enumerate() {
        see.named(output.name.as_str(), || {
            at().join("outputs").join(number).join("name")
        });
    }
    let field = |name: &str| at().join("config").join(name);
    match &step.config {
        // of a tool that is not there P301 tells, and which one it looks like
        StepConfig::ToolCall(call) if facts.tool(index).is_some() => {
            see.named(call.tool.as_str(), || field("tool"));
        }
        StepConfig::PromptCall(call) => {
            if let Some(prompt) = &call.system_prompt {
                see.template(prompt, || field("system_prompt"));
            }
            see.template(&call.user_prompt, || field("user_prompt"));
        }
        StepConfig::AgentCall(call) => see.template(&call.objective, || field("objective")),
        StepConfig::HumanInteraction(ask) => see.template(&ask.prompt, || field("prompt")),
        _ => {}
    }
}

/// Whether a name holds what cannot be seen in it.
pub(super) fn is_misleading(name: &str) -> bool {
    !name.is_ascii() && hidden(name).or_else(|| stranger(name)).is_some()
}

struct Seen<'f>(&'f mut Findings);

impl Seen<'_> {
    /// A name that is compared byte for byte: what cannot be seen in it refuses the plan.
    fn named(&mut self, text: &str, at: impl FnOnce() -> Pointer) {
        if text.is_ascii() {
            return;
        }
        let found = hidden(text).or_else(|| stranger(text));
        if let Some(found) = found {
            let message = format!("the name {} holds {found}", text::quoted(text));
            self.0.add(RULE.at(at(), message).severity(Severity::Error));
        }
    }

    /// Text that a person or a model reads. A right-to-left language alone is fine.
    fn shown(&mut self, text: &str, at: impl FnOnce() -> Pointer) {
        if text.is_ascii() {
            return;
        }
        if let Some(found) = hidden(text) {
            let pointer = at();
            let finding = RULE.at(pointer.clone(), format!("the text holds {found}"));
            // what is left may not be what was meant, so a person decides
            self.0.add(finding.suggest(
                "take out what does not show",
                Applicability::MaybeIncorrect,
                Some(Edit::Set {
                    pointer,
                    value: without_hidden(text).into(),
                }),
            ));
        }
    }

    fn template(&mut self, template: &Template, at: impl FnOnce() -> Pointer) {
        match template {
            Template::Literal(value) => {
                if let Some(text) = value.as_str() {
                    self.shown(text, at);
                }
            }
            Template::Text(parts) => {
                let literals = parts.iter().filter_map(|part| match part {
                    TextPart::Literal(text) => Some(text.as_str()),
                    TextPart::Reference(_) => None,
                });
                if literals.into_iter().any(|text| hidden(text).is_some())
                    && let Some(text) = template.to_value().as_str()
                {
                    self.shown(text, at);
                }
            }
            _ => {}
        }
    }
}

/// The text without the characters that [`hidden`] speaks of.
fn without_hidden(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for c in text.chars() {
        if hides(kept.chars().next_back(), c).is_none() {
            kept.push(c);
        }
    }
    kept
}

/// The first character that does not show and changes what does.
fn hidden(text: &str) -> Option<String> {
    let mut before = None;
    for c in text.chars() {
        if let Some(kind) = hides(before, c) {
            return Some(format!("the {kind} U+{:04X}", u32::from(c)));
        }
        before = Some(c);
    }
    None
}

/// What kind of character does not show here, if it does not.
fn hides(before: Option<char>, c: char) -> Option<&'static str> {
    if text::is_bidi_control(c) && !matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}') {
        return Some("bidirectional control");
    }
    // joiners shape emoji and the scripts that need them; between ASCII letters they only hide
    let joins = matches!(c, '\u{200c}' | '\u{200d}');
    let shapes = joins && before.is_some_and(|before| !before.is_ascii());
    (text::is_zero_width(c) && !shapes).then_some("invisible character")
}

/// A letter in a name that looks like an ASCII one and is not. A name wholly in its own script is fine.
fn stranger(text: &str) -> Option<String> {
    let letters = || text.chars().filter(|c| c.is_alphabetic());
    let look_alike = letters().find(|c| looks_ascii(*c))?;
    let disguised = letters().all(|c| c.is_ascii() || looks_ascii(c));
    let mixed = letters().any(|c| c.is_ascii());
    (disguised || mixed).then(|| {
        format!(
            "U+{:04X}, which looks like a plain letter and is another one",
            u32::from(look_alike)
        )
    })
}

/// Whether a character outside ASCII looks like one ASCII letter.
fn looks_ascii(c: char) -> bool {
    let mut bytes = [0; 4];
    let mut look = unicode_security::skeleton(c.encode_utf8(&mut bytes)).fuse();
    !c.is_ascii()
        && look.next().is_some_and(|first| first.is_ascii_alphabetic())
        && look.next().is_none()
}
