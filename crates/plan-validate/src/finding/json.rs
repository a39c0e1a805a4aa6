//! How suggestions and their edits look in JSON.

use plan_model::edit::Edit;
use serde_json::{Map, Value};

use super::Suggestion;

pub(super) fn suggestion(suggestion: &Suggestion) -> Map<String, Value> {
    let applicability = serde_json::to_value(suggestion.applicability).unwrap_or_default();
    let mut members = Map::new();
    members.insert("title".to_owned(), suggestion.title.clone().into());
    members.insert("applicability".to_owned(), applicability);
    if let Some(edit) = &suggestion.edit {
        members.insert("edit".to_owned(), Value::Object(self::edit(edit)));
    }
    members
}

fn edit(edit: &Edit) -> Map<String, Value> {
    let mut members = Map::new();
    match edit {
        Edit::Set { pointer, value } => {
            members.insert("op".to_owned(), "set".into());
            members.insert("pointer".to_owned(), pointer.as_str().into());
            members.insert("value".to_owned(), value.clone());
        }
        Edit::Remove { pointer } => {
            members.insert("op".to_owned(), "remove".into());
            members.insert("pointer".to_owned(), pointer.as_str().into());
        }
    }
    members
}
