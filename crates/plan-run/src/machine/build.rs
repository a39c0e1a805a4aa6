//! Values built from templates, within what a journal holds and a reader reads back.

use plan_model::{Limits, Scope, Template, text_of};
use serde_json::Value;

use super::measure::{Excess, weigh};
use super::resolve::invalid;
use crate::{Effect, Failure, FailureClass, RetryAdvice};

/// References that a template may hold before its size is summed up ahead of building it.
const FEW: usize = 16;

/// Builds the values of one effect, one question or one set of outputs.
///
/// Each value nests no deeper than any value that enters, and together they keep to
/// the size of a document: small templates can name large values many times.
pub(super) struct Builder<'a> {
    scope: &'a dyn Scope,
    limits: Limits,
    left: usize,
    problems: Vec<String>,
    excess: Option<String>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(scope: &'a dyn Scope, limits: Limits) -> Self {
        Self {
            scope,
            limits,
            left: limits.document_bytes,
            problems: Vec::new(),
            excess: None,
        }
    }

    /// The value of one template; null once anything is wrong. `place` says where it stands.
    pub(super) fn value(&mut self, place: impl Fn() -> String, template: &Template) -> Value {
        if self.excess.is_some() {
            return Value::Null;
        }
        if let Some(literal) = template.as_literal() {
            return literal.clone();
        }
        if let Err(excess) = self.foresee(template) {
            self.exceeds(&place, excess);
            return Value::Null;
        }
        match template.resolve(self.scope) {
            Ok(value) => match self.admit(&value) {
                Ok(()) => value,
                Err(excess) => {
                    self.exceeds(&place, excess);
                    Value::Null
                }
            },
            Err(errors) => {
                let place = place();
                let problems = errors.iter().map(|error| format!("{place}: {error}"));
                self.problems.extend(problems);
                Value::Null
            }
        }
    }

    /// The text of one template.
    pub(super) fn text(&mut self, place: impl Fn() -> String, template: &Template) -> String {
        match self.value(place, template) {
            Value::String(text) => text,
            other => text_of(&other).into_owned(),
        }
    }

    /// Says whether every value could be built.
    ///
    /// # Errors
    /// What crosses a bound, or else every path that leads nowhere. Nothing was done.
    pub(super) fn finish(self) -> Result<(), Failure> {
        if let Some(excess) = self.excess {
            return Err(Failure::new(FailureClass::LimitExceeded, excess)
                .with_effect(Effect::None)
                .with_retry(RetryAdvice::Never));
        }
        if self.problems.is_empty() {
            Ok(())
        } else {
            Err(invalid(&self.problems))
        }
    }

    /// What a template of many references will come to, before memory is spent on it.
    fn foresee(&self, template: &Template) -> Result<(), Excess> {
        let mut count = 0_usize;
        template.references(&mut |_| count += 1);
        if count <= FEW {
            return Ok(());
        }
        let mut left = Ok(self.left);
        template.references(&mut |reference| {
            if let (Ok(bytes), Ok(value)) = (left, reference.resolve(self.scope)) {
                left = weigh(&value, self.limits.depth, bytes);
            }
        });
        left.map(drop)
    }

    fn admit(&mut self, value: &Value) -> Result<(), Excess> {
        self.left = weigh(value, self.limits.depth, self.left)?;
        Ok(())
    }

    fn exceeds(&mut self, place: &dyn Fn() -> String, excess: Excess) {
        let (place, limits) = (place(), self.limits);
        self.excess = Some(match excess {
            Excess::Depth => format!("{place} nests deeper than {} levels", limits.depth),
            Excess::Bytes => format!(
                "with {place} the values have more than {} bytes",
                limits.document_bytes
            ),
        });
    }
}
