//! Scalars and values of closed sets.

use serde_json::Value;

use super::{Decoder, Place};
use crate::document::number::Number;
use crate::document::problem::capped;
use crate::document::string::quoted;
use crate::document::tree::{Kind, NodeRef};
use crate::document::words::Word;
use crate::{Schema, Seconds};

impl Decoder {
    pub(crate) fn text(&mut self, at: Option<Place<'_, '_>>) -> Option<String> {
        let at = at?;
        let text = at.node.as_text();
        if text.is_none() {
            self.wrong_shape(&at, "text", &[]);
        }
        text.map(str::to_owned)
    }

    pub(crate) fn truth(&mut self, at: Option<Place<'_, '_>>) -> Option<bool> {
        let at = at?;
        match at.node.kind() {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => {
                self.wrong_shape(&at, "true or false", &[]);
                None
            }
        }
    }

    /// A whole number of at least `from`.
    pub(crate) fn whole(&mut self, at: Option<Place<'_, '_>>, from: u64) -> Option<u64> {
        let at = at?;
        let number = match at.node.as_number() {
            Some(Number::Int(value)) => u64::try_from(value).ok(),
            Some(Number::Uint(value)) => Some(value),
            _ => None,
        };
        let number = number.filter(|number| *number >= from);
        if number.is_none() {
            self.wrong_shape(&at, format!("a whole number from {from}"), &[]);
        }
        number
    }

    /// Seconds with at most three decimals.
    pub(crate) fn seconds(&mut self, at: Option<Place<'_, '_>>) -> Option<Seconds> {
        let at = at?;
        let millis = match at.node.as_number() {
            Some(Number::Int(value)) => u64::try_from(value)
                .ok()
                .and_then(|value| value.checked_mul(1000)),
            Some(Number::Uint(value)) => value.checked_mul(1000),
            Some(Number::Float(value)) => millis(value),
            None => None,
        };
        if millis.is_none() {
            self.wrong_shape(&at, "seconds from 0 with at most three decimals", &[]);
        }
        millis.map(Seconds::from_millis)
    }

    /// Any number.
    pub(crate) fn number(&mut self, at: Option<Place<'_, '_>>) -> Option<f64> {
        let at = at?;
        let number = match at.node.as_number() {
            Some(Number::Int(_) | Number::Uint(_)) => at.node.source().parse().ok(),
            Some(Number::Float(value)) => Some(value),
            None => None,
        };
        if number.is_none() {
            self.wrong_shape(&at, "a number", &[]);
        }
        number
    }

    /// One of a closed set of words.
    pub(crate) fn word<T: Word>(&mut self, at: Option<Place<'_, '_>>) -> Option<T> {
        let at = at?;
        let text = at.node.as_text();
        let found = T::WORDS.iter().find(|(word, _)| Some(*word) == text);
        if found.is_none() {
            let words: Vec<&str> = T::WORDS.iter().map(|(word, _)| *word).collect();
            let expected = format!("one of `{}`", words.join("`, `"));
            self.wrong_shape(&at, expected, &words);
        }
        found.map(|(_, value)| *value)
    }

    /// The number 1: the only version of a format there is.
    pub(crate) fn version_one(&mut self, at: Option<Place<'_, '_>>) {
        if let Some(at) = at
            && at.node.as_number() != Some(Number::Int(1))
        {
            self.wrong_shape(&at, "1, the version of the format", &[]);
        }
    }

    /// A JSON Schema: an object, or true or false.
    pub(crate) fn schema(&mut self, at: Option<Place<'_, '_>>) -> Option<Schema> {
        let at = at?;
        if let Kind::Object | Kind::True | Kind::False = at.node.kind() {
            return self.value(Some(at)).map(Schema);
        }
        self.wrong_shape(&at, "a JSON Schema", &[]);
        None
    }

    /// Any value, as it stands.
    pub(crate) fn value(&mut self, at: Option<Place<'_, '_>>) -> Option<Value> {
        let at = at?;
        self.note_inexact(&at);
        Some(at.node.to_value())
    }

    /// Notes a stand-in for every number in a value that is not exact.
    pub(crate) fn note_inexact(&mut self, at: &Place<'_, '_>) {
        if at.is_inexact() {
            self.stand_in(at);
        }
        at.elements()
            .for_each(|element| self.note_inexact(&element));
        at.members()
            .for_each(|(_, member)| self.note_inexact(&member));
    }
}

/// Milliseconds, when that many seconds have no finer part.
fn millis(seconds: f64) -> Option<u64> {
    const LIMIT: f64 = 9_007_199_254_740_991.0;
    let millis = (seconds * 1000.0).round();
    let exact = (0.0..=LIMIT).contains(&millis) && (millis / 1000.0).to_bits() == seconds.to_bits();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value is a whole number from 0 to 2^53"
    )]
    exact.then_some(millis as u64)
}

/// A value in a few words, for a message.
pub(crate) fn describe(node: NodeRef<'_>) -> String {
    match node.kind() {
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Inexact => {
            format!("`{}`", capped(node.source()))
        }
        Kind::Plain | Kind::Escaped => format!("the text `{}`", quoted(&capped(node.text()))),
        Kind::Array => "an array".to_owned(),
        Kind::Object => "an object".to_owned(),
    }
}
