//! Edits of the text of a document, which leave everything else as it was written.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::write::{Layout, written};
use super::{Edit, EditError, place};
use crate::Pointer;
use crate::document::{Document, Kind, NodeRef, Span};

/// A part of a text, and what stands in its place afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The bytes that go; none where something is only put in.
    pub span: Span,
    /// What comes instead.
    pub text: String,
}

/// What happens inside one array or object.
#[derive(Debug, Default)]
struct Changes<'e> {
    removed: BTreeSet<usize>,
    /// New last elements or members, these with their names, in the order of their edits.
    added: Vec<(Option<String>, &'e Value)>,
}

/// An element, or a member with its key.
#[derive(Debug, Clone, Copy)]
struct Child<'d> {
    key: Option<NodeRef<'d>>,
    value: NodeRef<'d>,
}

/// The replacements that make some edits of the text of a document, in the order of the text.
///
/// All pointers lead into the document as it is: an edit does not shift those after it. A removed
/// element takes its comma and the blanks before it along; what is put in is laid out as its neighbours
/// are. The value of the new text is that of the old one after [`Edit::apply`]: first of every
/// [`Edit::Set`] in order, then of the removals from the last to the first.
///
/// # Errors
/// When an edit's place does not exist, or two edits touch the same place.
pub fn replacements(document: &Document, edits: &[Edit]) -> Result<Vec<Replacement>, EditError> {
    let layout = Layout::of(document);
    let mut found = Vec::new();
    let mut holders: BTreeMap<Pointer, Changes<'_>> = BTreeMap::new();
    let mut known: BTreeMap<&Pointer, &Edit> = BTreeMap::new();
    for edit in edits {
        let pointer = edit.pointer();
        // the same edit, said twice
        if !edit.appends() && known.insert(pointer, edit) == Some(edit) {
            continue;
        }
        let Some(name) = pointer.segments().last() else {
            let Edit::Set { value, .. } = edit else {
                return Err(EditError::WholeDocument);
            };
            found.push(Replacement {
                span: document.root().span(),
                text: written(value, layout),
            });
            continue;
        };
        let nowhere = || EditError::Nowhere(pointer.clone());
        let mut at = pointer.clone();
        at.pop();
        let holder = document.node_at(&at).ok_or_else(nowhere)?;
        let places = places_of(holder, &name).ok_or_else(nowhere)?;
        match (edit, places.first()) {
            (Edit::Set { value, .. }, Some(child)) => {
                let child = children(holder).get(*child).copied().ok_or_else(nowhere)?;
                found.push(Replacement {
                    span: child.value.span(),
                    text: written(value, layout),
                });
            }
            (Edit::Set { value, .. }, None) => {
                let key = (holder.kind() == Kind::Object).then(|| name.into_owned());
                let changes = holders.entry(at).or_default();
                let taken = match &key {
                    Some(_) => changes.added.iter().any(|(known, _)| *known == key),
                    None => !edit.appends() && !changes.added.is_empty(),
                };
                if taken {
                    return Err(EditError::Overlaps(pointer.clone()));
                }
                changes.added.push((key, value));
            }
            (Edit::Remove { .. }, Some(_)) => {
                holders.entry(at).or_default().removed.extend(places);
            }
            (Edit::Remove { .. }, None) => return Err(nowhere()),
        }
    }
    for (at, changes) in &holders {
        if let Some(holder) = document.node_at(at) {
            change(document, holder, changes, layout, &mut found);
        }
    }
    found.sort_by_key(|replacement| replacement.span);
    let pairs = found.iter().zip(found.iter().skip(1));
    for (one, next) in pairs {
        // two that put something in at one place would be in no order
        if next.span.start < one.span.end || next.span == one.span {
            let at = document.pointer_near(next.span.start);
            return Err(EditError::Overlaps(at));
        }
    }
    Ok(found)
}

/// The text of a document after some edits, as [`replacements`] makes them.
///
/// ```
/// use plan_model::document::parse;
/// use plan_model::edit::{self, Edit};
/// use plan_model::{Limits, Pointer};
///
/// let text = "{\n  \"after\": [ \"a\",  \"b\", \"a\" ]\n}\n";
/// let document = parse(text.as_bytes(), &Limits::default()).document.expect("it is JSON");
/// let pointer = Pointer::parse("/after/2")?;
/// let edited = edit::edited(&document, &[Edit::Remove { pointer }])?;
/// assert_eq!(edited, "{\n  \"after\": [ \"a\",  \"b\" ]\n}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When an edit's place does not exist, or two edits touch the same place.
pub fn edited(document: &Document, edits: &[Edit]) -> Result<String, EditError> {
    let text = document.text();
    let mut edited = String::with_capacity(text.len());
    let mut at = 0;
    for Replacement { span, text: new } in replacements(document, edits)? {
        edited.push_str(text.get(at..span.start).unwrap_or_default());
        edited.push_str(&new);
        at = span.end;
    }
    edited.push_str(text.get(at..).unwrap_or_default());
    Ok(edited)
}

/// The children that a name or an index means: none where it would be a new one, `None` where it cannot be.
fn places_of(holder: NodeRef<'_>, name: &str) -> Option<Vec<usize>> {
    match holder.kind() {
        Kind::Object => {
            let named =
                |(_, child): &(usize, Child<'_>)| child.key.is_some_and(|key| key.text() == name);
            let children = children(holder).into_iter().enumerate();
            Some(children.filter(named).map(|(index, _)| index).collect())
        }
        Kind::Array => {
            let length = holder.elements().count();
            let index = place(name, length)?;
            Some((index < length).then_some(index).into_iter().collect())
        }
        _ => None,
    }
}

fn children(holder: NodeRef<'_>) -> Vec<Child<'_>> {
    let members = holder.members().map(|(key, value)| Child {
        key: Some(key),
        value,
    });
    let elements = holder.elements().map(|value| Child { key: None, value });
    members.chain(elements).collect()
}

impl Child<'_> {
    fn start(&self) -> usize {
        self.key.unwrap_or(self.value).span().start
    }

    fn end(&self) -> usize {
        self.value.span().end
    }
}

/// The replacements inside one array or object: what goes takes a comma along, what comes brings one.
fn change(
    document: &Document,
    holder: NodeRef<'_>,
    changes: &Changes<'_>,
    layout: Layout,
    found: &mut Vec<Replacement>,
) {
    let children = children(holder);
    let whole = holder.span();
    let (open, close) = (whole.start + 1, whole.end.saturating_sub(1));
    let kept: Vec<usize> = (0..children.len())
        .filter(|index| !changes.removed.contains(index))
        .collect();
    let new = |(key, value): &(Option<String>, &Value)| {
        let value = written(value, layout);
        match key {
            Some(key) => format!("{}{}{value}", Value::from(key.as_str()), layout.colon()),
            None => value,
        }
    };
    let Some(last) = kept.last().and_then(|last| children.get(*last)) else {
        let all: Vec<String> = changes.added.iter().map(new).collect();
        found.push(Replacement {
            span: Span {
                start: open,
                end: close,
            },
            text: all.join(layout.comma()),
        });
        return;
    };
    // what goes before the first that stays, with the comma and the blanks after it
    let first_kept = kept.first().copied().unwrap_or(0);
    if let (Some(first), Some(stays)) = (children.first(), children.get(first_kept))
        && first_kept > 0
    {
        found.push(cut(first.start(), stays.start()));
    }
    for (one, next) in kept.iter().zip(kept.iter().skip(1)) {
        if let (Some(stays), Some(gone)) = (children.get(*one), children.get(next - 1))
            && next - one > 1
        {
            found.push(cut(stays.end(), gone.end()));
        }
    }
    let end = children.last().map_or(close, Child::end);
    if end > last.end() || !changes.added.is_empty() {
        let comma = between(document, &children, open, layout);
        let mut text = String::new();
        for added in &changes.added {
            text.push_str(&comma);
            text.push_str(&new(added));
        }
        found.push(Replacement {
            span: Span {
                start: last.end(),
                end,
            },
            text,
        });
    }
}

fn cut(start: usize, end: usize) -> Replacement {
    Replacement {
        span: Span { start, end },
        text: String::new(),
    }
}

/// What stands between two neighbours: what does already, or what would after the way the first is laid out.
fn between(document: &Document, children: &[Child<'_>], open: usize, layout: Layout) -> String {
    let part = |start: usize, end: usize| document.text().get(start..end).unwrap_or_default();
    match children {
        [.., before, last] => part(before.end(), last.start()).to_owned(),
        [only] => match part(open, only.start()) {
            blanks if blanks.contains('\n') => format!(",{blanks}"),
            _ => layout.comma().to_owned(),
        },
        [] => String::new(),
    }
}
