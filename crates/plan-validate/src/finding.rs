//! What a check has to say about one place of a document.

mod json;
mod parts;
mod within;

use std::borrow::Cow;
use std::ops::Range;

use plan_model::document::{Document, Parsed, Span};
use plan_model::edit::Edit;
use plan_model::{Pointer, StepId};
use serde::Serialize;
use serde_json::Value;

pub(crate) use json::path_in_step;
pub(crate) use parts::MOST_CANDIDATES;
pub use parts::{Applicability, Code, Expected, FindingSpan, Related, Severity, Suggestion};

use crate::credential;
use crate::text;

/// One finding: a rule, a place, and what is wrong there.
///
/// Pointers lead into the document that was given to the check, whatever its
/// kind. Values of sensitive inputs are masked, and every quoted value is capped.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The rule's code, such as `P203`. Codes are never reused.
    pub code: Code,
    /// The rule's name, such as `dependency-cycle`.
    pub name: &'static str,
    /// Whether it refuses the document.
    pub severity: Severity,
    /// What is wrong: one clause in lower case.
    pub message: String,
    /// Where in the document.
    pub pointer: Pointer,
    /// The step that the place belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// Where in the text, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<FindingSpan>,
    /// The bytes of the string at the pointer that this is about; all of it where there are none.
    #[serde(skip)]
    pub(crate) within: Option<Range<usize>>,
    /// Further places of the same cause.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
    /// What could have stood there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    /// What stands there, capped and redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<Suggestion>,
    /// The rule's page.
    pub url: String,
}

impl Finding {
    pub(crate) fn new(
        code: Code,
        name: &'static str,
        severity: Severity,
        pointer: Pointer,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            name,
            severity,
            message: message.into(),
            pointer,
            step: None,
            span: None,
            within: None,
            related: Vec::new(),
            expected: None,
            actual: None,
            suggestions: Vec::new(),
            url: format!(
                "https://docs.rs/plan-validate/latest/plan_validate/pages/{}/",
                code.as_str().to_ascii_lowercase()
            ),
        }
    }

    /// With another severity than the rule's own.
    #[must_use]
    pub(crate) fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// About these bytes of the string at the pointer.
    #[must_use]
    pub(crate) fn within(mut self, part: Range<usize>) -> Self {
        self.within = Some(part);
        self
    }

    /// With one more place.
    #[must_use]
    pub(crate) fn related(mut self, pointer: Pointer, note: impl Into<String>) -> Self {
        self.related.push(Related {
            pointer,
            span: None,
            note: note.into(),
        });
        self
    }

    /// With one more place, of which the bytes are known.
    #[must_use]
    pub(crate) fn related_span(
        mut self,
        pointer: Pointer,
        span: Span,
        note: impl Into<String>,
    ) -> Self {
        self.related.push(Related {
            pointer,
            span: Some(FindingSpan::of_bytes(span)),
            note: note.into(),
        });
        self
    }

    /// With what could have stood there.
    #[must_use]
    pub(crate) fn expected(mut self, expected: Expected) -> Self {
        self.expected = Some(expected);
        self
    }

    /// Without the values that it quotes: they are those of a sensitive place.
    pub(crate) fn conceal(&mut self) {
        self.actual = None;
        let parts = self.message.split('`').enumerate();
        let parts: Vec<&str> = parts
            .map(|(at, part)| if at % 2 == 1 { "***" } else { part })
            .collect();
        self.message = parts.join("`");
    }

    /// With what stands there; capped and redacted here.
    #[must_use]
    pub(crate) fn actual(mut self, actual: &str) -> Self {
        self.actual = Some(text::capped(actual).into_owned());
        self
    }

    /// With advice for a person, without an edit.
    #[must_use]
    pub(crate) fn help(self, title: impl Into<String>) -> Self {
        self.suggest(title, Applicability::MaybeIncorrect, None)
    }

    /// With one more suggestion. An edit that would repeat a credential is left out.
    #[must_use]
    pub(crate) fn suggest(
        mut self,
        title: impl Into<String>,
        applicability: Applicability,
        edit: Option<Edit>,
    ) -> Self {
        let shown = |edit: &Edit| match edit {
            Edit::Set { value, .. } => !holds_credential(value),
            Edit::Remove { .. } => true,
        };
        let applicability = match &edit {
            Some(edit) if !shown(edit) => Applicability::HasPlaceholders,
            _ => applicability,
        };
        self.suggestions.push(Suggestion {
            title: title.into(),
            applicability,
            edit: edit.filter(shown),
            step: None,
        });
        self
    }

    /// With the closed list of names that could have stood there, at most twenty of them.
    ///
    /// A name is never a machine-applicable suggestion: the closest one may be the wrong one.
    #[must_use]
    pub(crate) fn candidates<T: Into<String>>(self, names: impl IntoIterator<Item = T>) -> Self {
        let names: Vec<String> = names
            .into_iter()
            .take(parts::MOST_CANDIDATES)
            .map(Into::into)
            .collect();
        if names.is_empty() {
            self
        } else {
            self.expected(Expected::OneOf(names))
        }
    }

    /// With the place in the text, as far as it is not known yet.
    pub(crate) fn place(&mut self, document: &Document, span: Option<Span>) {
        if self.span.is_none() {
            let span = span.unwrap_or_else(|| self.spelled(document));
            self.span = Some(FindingSpan::new(|at| document.position_of(at), span));
        }
        for related in &mut self.related {
            let span = match related.span {
                Some(known) => Span {
                    start: known.start,
                    end: known.end,
                },
                None => document.span_of(&related.pointer),
            };
            related.span = Some(FindingSpan::new(|at| document.position_of(at), span));
        }
    }

    /// With the place in a text that became no document.
    pub(crate) fn place_in_text(&mut self, parsed: &Parsed, span: Span) {
        let place = |span| FindingSpan::new(|at| parsed.position_of(at), span);
        self.span = Some(place(span));
        for known in self.related.iter_mut().filter_map(|it| it.span.as_mut()) {
            *known = place(Span {
                start: known.start,
                end: known.end,
            });
        }
    }

    /// Without what looks like a credential, whoever wrote the words.
    pub(crate) fn redact(&mut self) {
        let notes = self.related.iter_mut().map(|related| &mut related.note);
        let titles = self.suggestions.iter_mut().map(|it| &mut it.title);
        let texts = [&mut self.message].into_iter().chain(&mut self.actual);
        for text in texts.chain(notes).chain(titles) {
            if let Cow::Owned(masked) = credential::masked(text) {
                *text = masked;
            }
        }
    }

    /// The bytes of the document that the finding is about.
    fn spelled(&self, document: &Document) -> Span {
        let whole = document.span_of(&self.pointer);
        let part = self
            .within
            .as_ref()
            .and_then(|part| within::spelled(document.text().get(whole.start..whole.end)?, part));
        part.map_or(whole, |part| Span {
            start: whole.start + part.start,
            end: whole.start + part.end,
        })
    }

    /// The finding as one line: `CODE pointer: message`.
    pub fn line(&self) -> String {
        format!("{} {}: {}", self.code, self.pointer, self.message)
    }
}

/// Whether some text of a value looks like a credential.
fn holds_credential(value: &Value) -> bool {
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::String(text) if !credential::all(text).is_empty() => return true,
            Value::Array(items) => left.extend(items),
            Value::Object(members) => left.extend(members.values()),
            _ => {}
        }
    }
    false
}
