//! How suggestions and their edits look in JSON.
//!
//! An edit says its place twice: as the pointer into the document, and, inside of a step, by the
//! step's id and the path from there, which stay true when steps before it come or go.

use plan_model::edit::Edit;
use plan_model::{Pointer, StepId};
use serde_json::{Map, Value};

use super::Suggestion;

pub(super) fn suggestion(suggestion: &Suggestion) -> Map<String, Value> {
    let applicability = serde_json::to_value(suggestion.applicability).unwrap_or_default();
    let mut members = Map::new();
    members.insert("title".to_owned(), suggestion.title.clone().into());
    members.insert("applicability".to_owned(), applicability);
    if let Some(edit) = &suggestion.edit {
        let edit = self::edit(edit, suggestion.step.as_ref());
        members.insert("edit".to_owned(), Value::Object(edit));
    }
    members
}

fn edit(edit: &Edit, step: Option<&StepId>) -> Map<String, Value> {
    let mut members = Map::new();
    let op = match edit {
        Edit::Set { value, .. } => {
            members.insert("value".to_owned(), value.clone());
            "set"
        }
        Edit::Remove { .. } => "remove",
    };
    members.insert("op".to_owned(), op.into());
    members.insert("pointer".to_owned(), edit.pointer().as_str().into());
    if let (Some(step), Some(path)) = (step, path_in_step(edit.pointer())) {
        members.insert("step".to_owned(), step.as_str().into());
        members.insert("path".to_owned(), String::from(path).into());
    }
    members
}

/// What is left of a pointer of a document behind its step.
pub(crate) fn path_in_step(pointer: &Pointer) -> Option<Pointer> {
    let mut segments = pointer.segments().peekable();
    if segments.peek().map(AsRef::as_ref) == Some("plan") {
        segments.next();
    }
    if segments.next()? != "steps" || segments.next()?.parse::<usize>().is_err() {
        return None;
    }
    Some(segments.fold(Pointer::root(), |path, segment| path.join(segment)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_begins_behind_the_step() {
        let path = |pointer: &str| {
            let path = path_in_step(&Pointer::parse(pointer).unwrap());
            path.map(|path| path.as_str().to_owned())
        };
        assert_eq!(path("/steps/3/after/1").as_deref(), Some("/after/1"));
        assert_eq!(path("/plan/steps/3/a~1b").as_deref(), Some("/a~1b"));
        assert_eq!(path("/steps/3").as_deref(), Some(""));
        assert_eq!(path("/steps"), None);
        assert_eq!(path("/inputs/3"), None);
    }
}
