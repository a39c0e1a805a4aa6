//! The schemas say what the reader says.

use plan_model::document::{Document, DocumentKind, Problem, ProblemKind, read};
use plan_model::{Limits, schemas};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{reading_as, strategy};

/// Whether the reader finds no fault of shape; what references and expressions say is not shape.
fn reader_accepts(document: &Value, kind: DocumentKind) -> bool {
    let parsed = Document::from_value(document, &Limits::default());
    let is_shape = |problem: &Problem| {
        matches!(
            problem.kind,
            ProblemKind::UnknownField { .. }
                | ProblemKind::MissingField { .. }
                | ProblemKind::WrongShape { .. }
                | ProblemKind::InvalidId { .. }
                | ProblemKind::InvalidEdgeValue { .. }
                | ProblemKind::NotExactlyOne { .. }
        )
    };
    let read = read(&parsed.document.unwrap(), &reading_as(kind));
    !read.problems.iter().any(is_shape)
}

/// Every place of a value, the root included.
fn places(value: &Value, at: &str, into: &mut Vec<String>) {
    into.push(at.to_owned());
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{at}/{index}"), into);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                places(member, &format!("{at}/{name}"), into);
            }
        }
        _ => {}
    }
}

#[derive(Debug, Clone)]
enum Mutation {
    Replace(Value),
    Remove,
    Add,
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(2.0),
        json!(""),
        json!(" "),
        json!("a b"),
        json!("input"),
        json!("TOOL_CALL"),
        json!("string"),
        json!([]),
        json!([1]),
        json!(["a"]),
        json!({}),
        json!({ "x y": 1 }),
    ];
    prop_oneof![
        4 => prop::sample::select(values.to_vec()).prop_map(Mutation::Replace),
        2 => Just(Mutation::Remove),
        1 => Just(Mutation::Add),
    ]
}

fn is_told(name: &str) -> bool {
    ["id", "parent_plan_id", "created_at", "updated_at"].contains(&name)
}

fn mutate(document: &mut Value, place: &str, mutation: Mutation) {
    let Some((parent, name)) = place.rsplit_once('/') else {
        return;
    };
    let name = name.replace("~1", "/").replace("~0", "~");
    match (mutation, document.pointer_mut(parent)) {
        // identities and times are told by more than a schema says
        (Mutation::Replace(Value::String(_)), _) if parent == "/metadata" && is_told(&name) => {}
        (Mutation::Replace(value), Some(_)) => {
            if let Some(place) = document.pointer_mut(place) {
                *place = value;
            }
        }
        (Mutation::Remove, Some(Value::Object(members))) => {
            members.remove(&name);
        }
        (Mutation::Add, Some(Value::Object(members))) => {
            members.insert("no_such_field".to_owned(), json!(1));
        }
        _ => {}
    }
}

fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::draft202012::new(schema).unwrap()
}

fn agree(
    validator: &jsonschema::Validator,
    document: &Value,
    kind: DocumentKind,
) -> Result<(), TestCaseError> {
    let by_reader = reader_accepts(document, kind);
    let errors: Vec<String> = validator
        .iter_errors(document)
        .map(|error| error.to_string())
        .collect();
    prop_assert_eq!(by_reader, errors.is_empty(), "{:#}\n{:?}", document, errors);
    Ok(())
}

fn planner_list() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec!["a", "Image Editing", "", " ", " x", "é"]);
    let after = prop_oneof![
        Just(None),
        Just(Some(json!([]))),
        Just(Some(json!("a"))),
        Just(Some(json!(["a", "b"]))),
    ];
    let step = (name, after).prop_map(|(name, after)| {
        let mut step =
            json!({ "name": name, "tool": "t", "args": { "x": [1, "y"] }, "description": null });
        if let Some(after) = after {
            step["after"] = after;
        }
        step
    });
    proptest::collection::vec(step, 0..4)
        .prop_map(|steps| json!({ "objective": "o", "planner": 1, "risk": {}, "steps": steps }))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_schema_of_a_plan_agrees_with_the_reader(
        plan in strategy::plan(),
        mutations in proptest::collection::vec((any::<prop::sample::Index>(), mutation()), 0..12),
    ) {
        let validator = validator(&schemas::plan());
        let document = plan.to_json();
        agree(&validator, &document, DocumentKind::Plan)?;
        let mut all = Vec::new();
        places(&document, "", &mut all);
        for (index, mutation) in mutations {
            let mut document = document.clone();
            let place: &String = index.get(&all);
            mutate(&mut document, place, mutation);
            agree(&validator, &document, DocumentKind::Plan)?;
        }
    }

    #[test]
    fn the_schema_of_a_planners_list_agrees_with_the_reader(
        document in planner_list(),
        mutations in proptest::collection::vec((any::<prop::sample::Index>(), mutation()), 0..12),
    ) {
        let validator = validator(&schemas::planner_list());
        agree(&validator, &document, DocumentKind::Planner)?;
        let mut all = Vec::new();
        places(&document, "", &mut all);
        for (index, mutation) in mutations {
            let mut document = document.clone();
            let place: &String = index.get(&all);
            mutate(&mut document, place, mutation);
            agree(&validator, &document, DocumentKind::Planner)?;
        }
    }
}
