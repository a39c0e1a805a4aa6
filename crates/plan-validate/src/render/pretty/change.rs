//! A suggested edit, shown as the lines before and after it.

use std::cell::OnceCell;

use annotate_snippets::{Group, Level, Patch, Snippet};
use plan_model::Limits;
use plan_model::document::{Document, parse};
use plan_model::edit::replacements;

use super::excerpt;
use crate::finding::Suggestion;

/// The most bytes of new text that are shown; of more the words of the suggestion have to do.
const MOST_NEW: usize = 200;

/// The text, parsed when the first edit is to be shown.
#[derive(Debug)]
pub(super) struct Source<'s> {
    pub(super) name: &'s str,
    text: &'s str,
    /// The text without what must not be shown, byte for byte as long.
    pub(super) shown: &'s str,
    document: OnceCell<Option<Document>>,
}

impl<'s> Source<'s> {
    pub(super) fn new(name: &'s str, text: &'s str, shown: &'s str) -> Self {
        Self {
            name,
            text,
            shown,
            document: OnceCell::new(),
        }
    }

    fn document(&self) -> Option<&Document> {
        let parsed = || parse(self.text.as_bytes(), &Limits::default()).document;
        self.document.get_or_init(parsed).as_ref()
    }
}

/// The change that a suggestion makes; `None` where it makes none or it cannot be shown in a few lines.
pub(super) fn of<'a>(suggestion: &'a Suggestion, source: &Source<'a>) -> Option<Group<'a>> {
    let edit = suggestion.edit.clone()?;
    let document = source.document()?;
    let changes = replacements(document, &[edit]).ok()?;
    let [change] = changes.as_slice() else {
        return None;
    };
    let span = change.span.start..change.span.end;
    let excerpt = excerpt::cut(source.shown, span.clone());
    // a place that was cut or made fit for the terminal is not the one that is changed
    let is_whole = excerpt.text.get(excerpt.place.clone()) == source.text.get(span);
    if !is_whole || excerpt.is_shifted || change.text.len() > MOST_NEW {
        return None;
    }
    let line = document.position_of(change.span.start).line;
    let new: String = change
        .text
        .chars()
        .filter(|c| !crate::text::unprintable(*c) || *c == '\n')
        .collect();
    let snippet = Snippet::source(excerpt.text)
        .line_start(line)
        .path(source.name)
        .patch(Patch::new(excerpt.place, new));
    let title = Level::HELP.secondary_title(suggestion.title.as_str());
    Some(Group::with_title(title).element(snippet))
}
