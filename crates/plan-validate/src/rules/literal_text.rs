//! Every text of a plan that is no reference, where references are read.

use plan_model::{CodeSource, Pointer, Step, StepConfig, Template, TextPart};
use serde_json::Value;

use super::{foreign, place};
use crate::facts::Facts;
use crate::visit::Visit;

/// A text as it will be used, and where it stands.
#[derive(Debug)]
pub(super) struct LiteralText<'v> {
    /// The step that holds it.
    pub(super) step: usize,
    /// What reads it.
    pub(super) reader: Reader,
    /// The string that it is, or is a part of.
    pub(super) pointer: &'v Pointer,
    /// The text: all of the string, or what stands between its references.
    pub(super) text: &'v str,
    /// Whether the text is all of the string.
    pub(super) whole: bool,
}

/// What reads a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// A tool: an argument.
    Tool,
    /// A script: its arguments, environment, or standard input.
    Script,
    /// A person, a model or an agent: prose.
    Prose,
}

/// Calls `visit` for every text of the plan with a mark of a foreign form, in document order.
pub(super) fn each_marked_of_plan(facts: &Facts<'_>, visit: &mut dyn FnMut(&LiteralText<'_>)) {
    for (index, step) in facts.steps() {
        of_step(index, step, foreign::has_mark, visit);
    }
}

/// Calls `see` for every text of a step with a mark of a foreign form, in document order.
///
/// Several rules look at these few, so that the steps without any are known after the first look.
pub(super) fn each_marked(visit: &Visit<'_, '_>, see: &mut dyn FnMut(&LiteralText<'_>)) {
    let (index, step) = (visit.index, visit.step);
    let is_marked = visit.is_marked(|| {
        let mut found = false;
        of_step(index, step, foreign::has_mark, &mut |_| found = true);
        found
    });
    if is_marked {
        of_step(index, step, foreign::has_mark, see);
    }
}

/// Calls `visit` for every text of a step in which `worth` holds, in document order.
pub(super) fn of_step(
    index: usize,
    step: &Step,
    worth: fn(&str) -> bool,
    visit: &mut dyn FnMut(&LiteralText<'_>),
) {
    let mut look = |reader: Reader, fields: &[&dyn std::fmt::Display], template: &Template| {
        if !template_is_worth(template, worth) {
            return;
        }
        let mut pointer = place::step(index).join("config");
        for field in fields {
            pointer.push(field);
        }
        let mut walk = Walk {
            step: index,
            reader,
            worth,
            visit: &mut *visit,
        };
        walk.template(&mut pointer, template);
    };
    match &step.config {
        StepConfig::ToolCall(call) => {
            for (name, template) in &call.arguments {
                look(Reader::Tool, &[&"arguments", name], template);
            }
        }
        StepConfig::CodeCall(call) => {
            if let CodeSource::File(file) = &call.source {
                look(Reader::Script, &[&"file"], file);
            }
            for (at, template) in call.args.iter().enumerate() {
                look(Reader::Script, &[&"args", &at], template);
            }
            if let Some(stdin) = &call.stdin {
                look(Reader::Script, &[&"stdin"], stdin);
            }
            for (name, template) in &call.env {
                look(Reader::Script, &[&"env", name], template);
            }
        }
        StepConfig::PromptCall(call) => {
            if let Some(prompt) = &call.system_prompt {
                look(Reader::Prose, &[&"system_prompt"], prompt);
            }
            look(Reader::Prose, &[&"user_prompt"], &call.user_prompt);
        }
        StepConfig::AgentCall(call) => look(Reader::Prose, &[&"objective"], &call.objective),
        StepConfig::HumanInteraction(ask) => look(Reader::Prose, &[&"prompt"], &ask.prompt),
        StepConfig::Condition(_) | StepConfig::FanOut(_) | StepConfig::FanIn(_) => {}
    }
}

/// Whether some text in it is worth a visit, before its place is spelled out.
///
/// Recurses as deep as the document is nested, which the reader bounds.
fn template_is_worth(template: &Template, worth: fn(&str) -> bool) -> bool {
    match template {
        Template::Literal(value) => value_is_worth(value, worth),
        Template::Reference(_) => false,
        Template::Text(parts) => parts.iter().any(|part| match part {
            TextPart::Literal(text) => worth(text),
            TextPart::Reference(_) => false,
        }),
        Template::Array(items) => items.iter().any(|item| template_is_worth(item, worth)),
        Template::Object(members) => members.values().any(|item| template_is_worth(item, worth)),
    }
}

fn value_is_worth(value: &Value, worth: fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => worth(text),
        Value::Array(items) => items.iter().any(|item| value_is_worth(item, worth)),
        Value::Object(members) => members.values().any(|item| value_is_worth(item, worth)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

struct Walk<'w> {
    step: usize,
    reader: Reader,
    worth: fn(&str) -> bool,
    visit: &'w mut dyn FnMut(&LiteralText<'_>),
}

impl Walk<'_> {
    fn template(&mut self, at: &mut Pointer, template: &Template) {
        match template {
            Template::Literal(value) => self.value(at, value),
            Template::Reference(_) => {}
            Template::Text(parts) => {
                for part in parts {
                    if let TextPart::Literal(text) = part {
                        self.text(at, text, false);
                    }
                }
            }
            Template::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    at.push(index);
                    self.template(at, item);
                    at.pop();
                }
            }
            Template::Object(members) => {
                for (name, member) in members {
                    at.push(name);
                    self.template(at, member);
                    at.pop();
                }
            }
        }
    }

    fn value(&mut self, at: &mut Pointer, value: &Value) {
        match value {
            Value::String(text) => self.text(at, text, true),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    at.push(index);
                    self.value(at, item);
                    at.pop();
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    at.push(name);
                    self.value(at, member);
                    at.pop();
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn text(&mut self, at: &Pointer, text: &str, whole: bool) {
        if (self.worth)(text) {
            (self.visit)(&LiteralText {
                step: self.step,
                reader: self.reader,
                pointer: at,
                text,
                whole,
            });
        }
    }
}
