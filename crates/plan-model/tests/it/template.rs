//! Laws of references and templates.

use plan_model::{
    InputName, ItemName, Names, Path, Pointer, Reference, Root, Scope, ScopeValue, SecretName,
    Segment, StepId, Template, plan_references,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::values::{text, value};

/// Every root has this value, and every step these outputs.
struct Everywhere {
    value: Value,
    outputs: Map<String, Value>,
}

impl Scope for Everywhere {
    fn root(&self, path: &Path) -> Option<ScopeValue<'_>> {
        Some(match path.root {
            Root::Step(_) => ScopeValue::Outputs(&self.outputs),
            _ => ScopeValue::Value(&self.value),
        })
    }
}

fn everywhere(value: Value) -> Everywhere {
    let outputs = [("out".to_owned(), value.clone())].into_iter().collect();
    Everywhere { value, outputs }
}

fn identifier() -> impl Strategy<Value = String> {
    "[A-Za-z_][A-Za-z0-9_-]{0,8}x"
}

fn path() -> impl Strategy<Value = Path> {
    let root = prop_oneof![
        identifier().prop_map(|name| Root::Input(InputName::new(name).unwrap())),
        identifier().prop_map(|name| Root::Step(StepId::new(name).unwrap())),
        identifier().prop_map(|name| Root::Item(ItemName::new(name).unwrap())),
        "[^\\p{Cc}]{1,12}".prop_map(|name| Root::Secret(SecretName::new(name).unwrap())),
    ];
    let segment = prop_oneof![
        identifier().prop_map(Segment::Name),
        text().prop_map(Segment::Name),
        any::<usize>().prop_map(Segment::Index),
    ];
    (root, prop::collection::vec(segment, 0..4))
        .prop_map(|(root, segments)| Path { root, segments })
}

fn reference() -> impl Strategy<Value = Reference> {
    (path(), prop::collection::vec(path(), 0..3))
        .prop_map(|(first, otherwise)| Reference::either(first, otherwise))
}

proptest! {
    #[test]
    fn every_reference_parses_back_from_its_spelling(reference in reference()) {
        let spelling = reference.to_string();
        prop_assert_eq!(Reference::parse(&spelling), Ok(reference.clone()));
        prop_assert_eq!(Template::parse(json!(spelling)), Ok(Template::Reference(reference)));
    }

    #[test]
    fn no_text_breaks_the_parsers(text in text()) {
        let _ = Reference::parse(&text);
        let _ = Reference::parse_list_source(&text, &mut ());
        for found in plan_references(&text) {
            prop_assert!(text.get(found.range).is_some());
        }
        match Template::parse(json!(text)) {
            Ok(template) => prop_assert_eq!(Template::parse(template.to_value()), Ok(template)),
            Err(errors) => {
                for (pointer, error) in errors {
                    prop_assert_eq!(pointer, Pointer::root());
                    prop_assert!(text.is_char_boundary(error.at));
                }
            }
        }
    }

    #[test]
    fn a_literal_is_written_so_that_it_stays_one(value in value()) {
        let literal = Template::Literal(value);
        prop_assert_eq!(Template::parse(literal.to_value()), Ok(literal));
    }

    #[test]
    fn a_value_without_references_is_itself(value in value()) {
        prop_assume!(!has_marker(&value));
        prop_assert_eq!(Template::parse(value.clone()), Ok(Template::Literal(value.clone())));
        prop_assert_eq!(Template::Literal(value.clone()).to_value(), value);
    }

    #[test]
    fn case_35_a_whole_reference_gives_every_value_back(value in value()) {
        let scope = everywhere(value.clone());
        for whole in ["${input.x}", "${step.s.out}", "${step.s.out ?? input.x}"] {
            let template = Template::parse(json!([whole])).unwrap();
            prop_assert_eq!(template.resolve(&scope), Ok(json!([value.clone()])));
        }
        let whole_step = Template::parse(json!("${step.s}")).unwrap();
        prop_assert_eq!(whole_step.resolve(&scope), Ok(json!({ "out": value })));
    }

    #[test]
    fn text_around_a_reference_stays_as_it_is(before in "[^$]{0,8}", inside in text(), after in "[^$]{0,8}") {
        let template = Template::parse(json!(format!("{before}${{input.x}}{after}"))).unwrap();
        let resolved = template.render(&everywhere(json!(inside)));
        prop_assert_eq!(resolved, Ok(format!("{before}{inside}{after}")));
    }

    #[test]
    fn every_reference_is_visited_once_where_it_stands(value in value()) {
        let Ok(template) = Template::parse(value) else { return Ok(()); };
        let (mut visited, mut plain) = (0, 0);
        let written = template.to_value();
        template.each_reference(&mut |pointer, reference| {
            visited += 1;
            let text = written.pointer(pointer.as_str()).and_then(Value::as_str).unwrap_or_default();
            assert!(text.contains(&reference.to_string()));
        });
        template.references(&mut |_| plain += 1);
        prop_assert_eq!(visited, plain);
        prop_assert_eq!(visited == 0, template.as_literal().is_some());
    }
}

fn has_marker(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("${"),
        Value::Array(items) => items.iter().any(has_marker),
        Value::Object(members) => members.values().any(has_marker),
        _ => false,
    }
}

#[test]
fn names_of_steps_are_looked_up_in_every_string() {
    struct Titles(Vec<String>);
    impl Names for Titles {
        fn step(&mut self, name: &str) -> Option<StepId> {
            StepId::new(name.to_lowercase().replace(' ', "-")).ok()
        }

        fn environment(&mut self, pointer: &Pointer, name: &SecretName) {
            self.0.push(format!("{pointer} {name}"));
        }
    }
    let value =
        json!({ "a": [r#"${step["Image Editing"].url}"#], "b": "x ${env.HOME} ${step.B.c}" });
    let mut titles = Titles(Vec::new());
    let template = Template::parse_with(value, &mut titles).unwrap();
    assert_eq!(
        template.to_value(),
        json!({ "a": ["${step.image-editing.url}"], "b": "x ${secret.HOME} ${step.b.c}" })
    );
    assert_eq!(titles.0, ["/b HOME"]);
}

#[test]
fn values_as_deep_as_they_may_be_need_little_stack() {
    let mut deep = json!("${input.x} and $${x}");
    for level in 0..62 {
        deep = if level % 2 == 0 {
            json!([deep])
        } else {
            json!({ "a": deep })
        };
    }
    let template = Template::parse(deep.clone()).unwrap();
    assert_eq!(template.to_value(), deep);
    assert!(template.resolve(&everywhere(deep)).is_ok());
}
