//! Random instances of a strict schema.

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::string::string_regex;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

/// The most elements of a list beyond those that it must have.
const MOST_MORE: usize = 4;
/// How often a part that has to pass keywords beside its form is tried anew.
const TRIES: usize = 20;

/// At most so many documents that fit the schema; fewer where no instance was found.
pub(super) fn instances(schema: &Value, seed: u64, count: usize) -> Vec<Value> {
    let mut bytes = [0_u8; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut make = Make {
        root: schema,
        runner: TestRunner::new_with_rng(Config::default(), rng),
        patterns: HashMap::new(),
    };
    let validator = jsonschema::draft202012::new(schema).unwrap();
    (0..count)
        .filter_map(|_| make.instance(schema))
        .inspect(|document| {
            let errors: Vec<String> = validator
                .iter_errors(document)
                .map(|error| format!("{error:.300}"))
                .collect();
            assert!(
                errors.is_empty(),
                "the generator follows the schema: {errors:?}"
            );
        })
        .collect()
}

struct Make<'s> {
    root: &'s Value,
    runner: TestRunner,
    patterns: HashMap<String, proptest::string::RegexGeneratorStrategy<String>>,
}

impl Make<'_> {
    fn draw<S: Strategy>(&mut self, strategy: S) -> S::Value {
        strategy
            .new_tree(&mut self.runner)
            .expect("a value")
            .current()
    }

    /// One instance; `None` where none was found.
    fn instance(&mut self, schema: &Value) -> Option<Value> {
        if schema == &Value::Bool(true) {
            return Some(json!("anything"));
        }
        let keywords = schema.as_object()?;
        if let Some(reference) = keywords.get("$ref") {
            let target = self
                .root
                .pointer(reference.as_str()?.strip_prefix('#')?)?
                .clone();
            return self.instance(&target);
        }
        if let Some(choices) = keywords.get("anyOf").and_then(Value::as_array) {
            // where one has no instance another may
            for _ in 0..TRIES {
                let choice = self.draw(0..choices.len());
                if let Some(found) = self.instance(&choices[choice]) {
                    return Some(found);
                }
            }
            return None;
        }
        if let Some(parts) = keywords.get("allOf").and_then(Value::as_array) {
            return self.beside(keywords, parts);
        }
        if let Some(choices) = keywords.get("enum").and_then(Value::as_array) {
            let choice = self.draw(0..choices.len());
            return choices.get(choice).cloned();
        }
        let types = match keywords.get("type")? {
            Value::Array(types) => types.clone(),
            one => vec![one.clone()],
        };
        let index = self.draw(0..types.len());
        match types[index].as_str()? {
            "null" => Some(Value::Null),
            "boolean" => Some(self.draw(any::<bool>()).into()),
            "integer" => Some(self.number(keywords, 1)),
            "number" => Some(self.number(keywords, 2)),
            "string" => self.string(keywords),
            "array" => self.array(keywords),
            "object" => self.object(keywords),
            _ => None,
        }
    }

    /// An instance of the first part that all of them take.
    fn beside(&mut self, keywords: &Map<String, Value>, parts: &[Value]) -> Option<Value> {
        let mut whole = Value::Object(keywords.clone());
        whole["$defs"] = self.root["$defs"].clone();
        let validator = jsonschema::draft202012::new(&whole).unwrap();
        let mut first = parts[0].clone();
        if let (Some(first), Some(kind)) = (first.as_object_mut(), keywords.get("type")) {
            first.insert("type".to_owned(), kind.clone());
        }
        (0..TRIES).find_map(|_| self.instance(&first).filter(|it| validator.is_valid(it)))
    }

    fn number(&mut self, keywords: &Map<String, Value>, halves: i64) -> Value {
        let bound = |name: &str| keywords.get(name).and_then(Value::as_i64);
        let least = bound("minimum").or(bound("exclusiveMinimum").map(|it| it + 1));
        let most = bound("maximum").or(bound("exclusiveMaximum").map(|it| it - 1));
        let (least, most) = (least.unwrap_or(-9), most.unwrap_or(9));
        // both small numbers and those at the bounds
        let near = (least.max(-9), most.min(9));
        let near = if near.0 <= near.1 {
            near
        } else {
            (least, most)
        };
        let drawn = match self.draw(0..4) {
            0 => least,
            1 => most,
            _ => self.draw(near.0..=near.1),
        };
        let step = keywords
            .get("multipleOf")
            .and_then(Value::as_i64)
            .unwrap_or(1);
        let drawn = drawn - drawn % step;
        if halves == 2
            && drawn < most
            && let Ok(small) = i16::try_from(drawn)
        {
            return json!(f64::from(small) + 0.5);
        }
        drawn.into()
    }

    fn string(&mut self, keywords: &Map<String, Value>) -> Option<Value> {
        let pattern = keywords
            .get("pattern")
            .and_then(Value::as_str)
            .unwrap_or("^[a-z ]*$");
        // few steps, so that references meet them; short runs, so that it is quick
        let regex = pattern.strip_prefix('^').unwrap_or(pattern);
        let regex = regex.strip_suffix('$').unwrap_or(regex);
        let regex = regex
            .replace("[0-9]{1,3}", "[1-2]")
            .replace("[A-Za-z0-9_]*", "[A-Za-z0-9_]{0,3}")
            .replace("{0,47}", "{0,3}")
            .replace("{0,62}", "{0,3}");
        if !self.patterns.contains_key(pattern) {
            let strategy = string_regex(&regex).unwrap_or_else(|error| panic!("{error}: {regex}"));
            self.patterns.insert(pattern.to_owned(), strategy);
        }
        let strategy = &self.patterns[pattern];
        let length = |name: &str| keywords.get(name).and_then(Value::as_u64);
        let (least, most) = (
            length("minLength").unwrap_or(0),
            length("maxLength").unwrap_or(u64::MAX),
        );
        for _ in 0..TRIES {
            let drawn = strategy
                .new_tree(&mut self.runner)
                .expect("a text")
                .current();
            let length = drawn.chars().count() as u64;
            if (least..=most).contains(&length) {
                return Some(drawn.into());
            }
        }
        None
    }

    fn array(&mut self, keywords: &Map<String, Value>) -> Option<Value> {
        let bound = |name: &str| {
            keywords
                .get(name)
                .and_then(Value::as_u64)
                .map(|it| usize::try_from(it).unwrap())
        };
        let least = bound("minItems").unwrap_or(0);
        let most = bound("maxItems")
            .unwrap_or(usize::MAX)
            .min(least + MOST_MORE);
        let count = self.draw(least..=most);
        let mut items: Vec<Value> = Vec::new();
        for _ in 0..count {
            let Some(item) = self.instance(&keywords["items"]) else {
                break;
            };
            if keywords.get("uniqueItems") != Some(&json!(true)) || !items.contains(&item) {
                items.push(item);
            }
        }
        (items.len() >= least).then(|| items.into())
    }

    fn object(&mut self, keywords: &Map<String, Value>) -> Option<Value> {
        let mut members = Map::new();
        for (name, schema) in keywords
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            members.insert(name.clone(), self.instance(schema)?);
        }
        if let Some(additional @ Value::Object(_)) = keywords.get("additionalProperties") {
            for name in ["one", "two"] {
                if self.draw(any::<bool>()) {
                    members.insert(name.to_owned(), self.instance(additional)?);
                }
            }
        }
        Some(members.into())
    }
}
