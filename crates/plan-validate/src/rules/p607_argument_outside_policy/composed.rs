//! Text around references that no value could make fit.

use plan_model::{Reference, Schema, Shape, TextPart, ValueType, text_of};
use serde_json::Value;

use super::known::{self, Known};
use super::partial;
use crate::facts::Facts;
use crate::grant::ArgRule;

/// Text of which some parts are not known: each is any text, and may be empty.
#[derive(Debug)]
pub(super) struct Pattern {
    /// The parts between those that are not known; one more than there are of these.
    known: Vec<String>,
}

/// Why a rule takes no text of this form, as a clause.
pub(super) fn fault(facts: &Facts<'_>, parts: &[TextPart], rule: &ArgRule) -> Option<String> {
    Pattern::of(facts, parts, &mut |_| None).fault(rule)
}

/// Why a rule takes no text of this form once inputs have their defaults, and the reference
/// to the first of these.
pub(super) fn default_fault<'p>(
    facts: &Facts<'_>,
    parts: &'p [TextPart],
    rule: &ArgRule,
) -> Option<(&'p Reference, String)> {
    let mut first = None;
    let pattern = Pattern::of(facts, parts, &mut |reference| match known::at(
        facts,
        reference.first(),
    ) {
        Some(Known::Default { value, .. }) => {
            first.get_or_insert(reference);
            Some(text_of(value).into_owned())
        }
        _ => None,
    });
    Some((first?, pattern.fault(rule)?))
}

impl Pattern {
    /// Constants of the plan are part of what is known, and what `read` says.
    fn of<'p>(
        facts: &Facts<'_>,
        parts: &'p [TextPart],
        read: &mut dyn FnMut(&'p Reference) -> Option<String>,
    ) -> Self {
        let mut known = vec![String::new()];
        for part in parts {
            let text = match part {
                TextPart::Literal(text) => Some(text.clone()),
                TextPart::Reference(reference) => match known::at(facts, reference.first()) {
                    Some(Known::Constant { value, .. }) if reference.otherwise().is_empty() => {
                        Some(text_of(value).into_owned())
                    }
                    _ => read(reference),
                },
            };
            match (text, known.last_mut()) {
                (Some(text), Some(last)) => last.push_str(&text),
                _ => known.push(String::new()),
            }
        }
        Self { known }
    }

    /// The text itself, where all of it is known.
    fn whole(&self) -> Option<&str> {
        match self.known.as_slice() {
            [whole] => Some(whole),
            _ => None,
        }
    }

    fn first(&self) -> &str {
        self.known.first().map_or("", String::as_str)
    }

    fn last(&self) -> &str {
        self.known.last().map_or("", String::as_str)
    }

    fn fault(&self, rule: &ArgRule) -> Option<String> {
        if let Some(whole) = self.whole() {
            return known::fault(rule, &whole.into());
        }
        let clause = |fault: &str| Some(fault.to_owned());
        match rule {
            ArgRule::Exact(value) if !self.may_be(value) => {
                clause("can never be the one value that is allowed")
            }
            ArgRule::OneOf(values) if !values.iter().any(|value| self.may_be(value)) => {
                clause("can never be one of the allowed values")
            }
            ArgRule::Range { .. } => clause("is text, and never a number"),
            ArgRule::Subpath(root) if !self.may_lie_in(root) => Some(format!(
                "can never be a path in {}",
                crate::text::quoted(root)
            )),
            ArgRule::Url { schemes, hosts } if !self.may_be_url(rule, schemes, hosts) => {
                clause("can never be a URL of an allowed scheme and host")
            }
            ArgRule::Schema(Schema(schema)) => self.schema_fault(schema),
            ArgRule::All(rules) => rules.iter().find_map(|rule| self.fault(rule)),
            _ => None,
        }
    }

    fn may_be(&self, value: &Value) -> bool {
        let fits = |text: &str| {
            let rest = text.strip_prefix(self.first());
            rest.is_some_and(|rest| rest.ends_with(self.last()))
        };
        value.as_str().is_some_and(fits)
    }

    /// The parts behind one that is not known, and whether nothing follows them.
    fn further(&self) -> impl Iterator<Item = (&str, bool)> {
        let last = self.known.len().saturating_sub(1);
        let parts = self.known.iter().enumerate().skip(1);
        parts.map(move |(at, part)| (part.as_str(), at == last))
    }

    fn may_lie_in(&self, root: &str) -> bool {
        let mut further = self.further();
        partial::may_begin_path(self.first(), root)
            && further.all(|(part, is_last)| partial::may_go_on_path(part, is_last))
    }

    fn may_be_url(&self, rule: &ArgRule, schemes: &[String], hosts: &[String]) -> bool {
        let mut further = self.further();
        further.all(|(part, _)| partial::may_stand_in_url(part))
            && partial::may_begin_url(self.first(), rule, schemes, hosts)
    }

    fn schema_fault(&self, schema: &Value) -> Option<String> {
        let shape = Shape::of_schema(&Schema(schema.clone()));
        if let Some(choices) = shape.choices() {
            let none = !choices.iter().any(|choice| self.may_be(choice));
            return none.then(|| "can never be one of the allowed values".to_owned());
        }
        (!shape.may_be(ValueType::String)).then(|| "is text, which is not allowed".to_owned())
    }
}
