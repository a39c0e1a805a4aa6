//! The expressions of conditions: a small, statically typed, total subset of CEL.
//!
//! ```text
//! expression = or [ "?" expression ":" expression ]
//! or         = and { "||" and }
//! and        = relation { "&&" relation }
//! relation   = sum { ( "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" ) sum }
//! sum        = product { ( "+" | "-" ) product }
//! product    = unary { ( "*" | "/" | "%" ) unary }
//! unary      = { "!" | "-" } member
//! member     = primary { "." function "(" [ expression { "," expression } ] ")" }
//! primary    = literal | reference | "(" expression ")" | "[" [ expression { "," expression } ] "]"
//!            | function "(" [ expression { "," expression } ] ")"
//! literal    = "null" | "true" | "false" | whole number | number with "." or exponent | text in ' or "
//! reference  = "${" … "}" | path
//! function   = "size" | "has" | "contains" | "startsWith" | "endsWith"
//! ```
//!
//! A path outside braces, such as `step.review.score`, has names of letters, digits and `_`;
//! any other name stands inside `${…}`, as does `??`. `f(x, y)` and `x.f(y)` are the same.
//!
//! Values:
//! - Numbers compare by value: `5 == 5.0`. Whole numbers are exact and range from the least 64-bit
//!   signed to the greatest 64-bit unsigned integer; leaving that range fails. `/` on two whole numbers
//!   drops the fraction, as in CEL; a value that a reference reads is whole when it has no fraction.
//! - Values of different types are never equal and have no order: `==` is false, `<` fails.
//! - `+` also joins two texts and two lists. `in` looks for an element of a list or a member of an object.
//! - `&&` and `||` have an answer as soon as one side decides, even if the other side fails.
//! - `size` counts characters, elements or members. `has(path)` is whether the path leads somewhere: false
//!   for a skipped step and for an input that is null.

mod check;
mod evaluate;
mod foreign;
mod impossible;
mod lex;
mod operand;
mod outcomes;
mod parse;
#[cfg(test)]
mod tests;
mod tree;

use std::ops::Range;
use std::sync::Arc;

use crate::{Limits, Reference, Scope, Shape};
use tree::Node;

pub use impossible::ImpossibleComparison;
pub use outcomes::Outcomes;

/// A boolean expression that has been parsed.
///
/// Equal when the source text is equal.
///
/// ```
/// use plan_model::{Expression, Limits, Shape};
///
/// let limits = Limits::default();
/// let expression = Expression::parse("step.review.score >= 0.8 && !${step.review.spam}", &limits)?;
/// assert_eq!(expression.references().len(), 2);
/// assert!(expression.type_errors(&|_| Shape::any()).is_empty());
///
/// let error = Expression::parse("${step.review.verdict} == approved", &limits).unwrap_err();
/// assert_eq!(error.suggestion.as_deref(), Some("\"approved\""));
/// # Ok::<(), plan_model::ExpressionError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Expression {
    source: Arc<str>,
    root: Arc<Node>,
}

/// What is wrong with an expression, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// What is wrong, as a clause.
    pub message: String,
    /// The byte range in the source.
    pub range: Range<usize>,
    /// What to write instead of that range, where it is known.
    pub suggestion: Option<String>,
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Expression {
    /// Parses an expression within the bounds of `limits`.
    ///
    /// The bounds on nesting and operators count no further than 64 and 128, whatever `limits` says, so
    /// that no expression can exhaust a stack.
    ///
    /// # Errors
    /// The first fault, with its place and, for a form that is known from other systems, what to write instead.
    pub fn parse(source: &str, limits: &Limits) -> Result<Self, ExpressionError> {
        Ok(Self {
            root: Arc::new(parse::expression(source, limits)?),
            source: source.into(),
        })
    }

    /// The text as written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Every reference, in the order of the text.
    pub fn references(&self) -> Vec<&Reference> {
        let mut references = Vec::new();
        self.root
            .each_reference(&mut |reference, _| references.push(reference));
        references
    }

    /// Every reference with its byte range in the source, in the order of the text.
    pub fn reference_ranges(&self) -> Vec<(&Reference, Range<usize>)> {
        let mut references = Vec::new();
        self.root
            .each_reference(&mut |reference, range| references.push((reference, range.clone())));
        references
    }

    /// Every fault of type, given the shape of each reference. Empty when the expression is boolean,
    /// as far as the shapes say.
    pub fn type_errors(&self, shape_of: &dyn Fn(&Reference) -> Shape) -> Vec<ExpressionError> {
        check::errors(&self.source, &self.root, shape_of)
    }

    /// Every comparison whose sides can never be equal, given the shape of each reference where it reads
    /// anything at all; that it may also be null is taken into account.
    pub fn impossible_comparisons(
        &self,
        shape_of: &dyn Fn(&Reference) -> Shape,
    ) -> Vec<ImpossibleComparison> {
        impossible::of(&self.source, &self.root, shape_of)
    }

    /// What it can come to where only the values that `known` gives are known, and every other
    /// reference may read anything or lead nowhere.
    ///
    /// Sound: an outcome that some evaluation with these values has is never left out.
    ///
    /// ```
    /// use plan_model::{Expression, Limits};
    /// use serde_json::json;
    ///
    /// let expression = Expression::parse("step.ask.ok && step.look.n > 3", &Limits::default())?;
    /// let rejected = expression.outcomes(&|reference| {
    ///     (reference.to_string() == "${step.ask.ok}").then(|| json!(false))
    /// });
    /// assert!(!rejected.can_be(true));
    /// # Ok::<(), plan_model::ExpressionError>(())
    /// ```
    pub fn outcomes(&self, known: &dyn Fn(&Reference) -> Option<serde_json::Value>) -> Outcomes {
        outcomes::of(&self.root, known)
    }

    /// The value under `scope`.
    ///
    /// # Errors
    /// A path that leads nowhere, a value of a type that an operator does not take, a division by zero, an
    /// overflow.
    pub fn evaluate(&self, scope: &dyn Scope) -> Result<bool, ExpressionError> {
        evaluate::boolean(&self.root, scope)
    }
}

impl ExpressionError {
    fn new(message: impl Into<String>, range: Range<usize>) -> Self {
        Self {
            message: message.into(),
            range,
            suggestion: None,
        }
    }

    fn suggesting(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }
}
