//! Which arguments of a tool name places in the file system.

use plan_model::InputKind;
use serde_json::Value;

/// The words of a schema that say so: ours, and the one of INXM's catalogs.
const KEYWORDS: [&str; 2] = ["x-path-kind", "x-inxm-input-kind"];

/// The arguments that an input schema calls paths, in the order of their names.
pub(super) fn of(schema: &Value) -> Vec<(String, InputKind)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut kinds: Vec<(String, InputKind)> = properties
        .into_iter()
        .flatten()
        .filter_map(|(name, property)| Some((name.clone(), of_property(property)?)))
        .collect();
    kinds.sort_by(|a, b| a.0.cmp(&b.0));
    kinds
}

fn of_property(property: &Value) -> Option<InputKind> {
    let word = KEYWORDS
        .iter()
        .find_map(|keyword| property.get(keyword)?.as_str())?;
    match word {
        "file_path" => Some(InputKind::FilePath),
        "output_file_path" => Some(InputKind::OutputFilePath),
        "directory_path" => Some(InputKind::DirectoryPath),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_are_what_the_schema_calls_so() {
        let schema = json!({"properties": {
            "to": {"type": "string", "x-path-kind": "output_file_path"},
            "from": {"type": "string", "x-inxm-input-kind": "file_path"},
            "text": {"type": "string", "x-path-kind": "value"},
            "note": {"type": "string"},
        }});
        let expected = [
            ("from".to_owned(), InputKind::FilePath),
            ("to".to_owned(), InputKind::OutputFilePath),
        ];
        assert_eq!(of(&schema), expected);
        assert!(of(&json!(true)).is_empty());
    }
}
