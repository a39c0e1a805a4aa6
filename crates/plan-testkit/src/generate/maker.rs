//! The plan as it grows.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::host;
use super::random::Random;
use super::values::{Seen, Type};
use crate::case::Case;

/// Inputs that a plan may declare: each is declared where something reads it.
const INPUTS: &[(&str, Type)] = &[
    ("topic", Type::Text),
    ("count", Type::Count),
    ("flag", Type::Flag),
    ("names", Type::Texts),
    ("rows", Type::Rows),
    ("who", Type::Any),
];

/// A plan that grows, and what its next step may read.
#[derive(Debug)]
pub(super) struct Maker<'r> {
    pub(super) random: &'r mut Random,
    pub(super) steps: Vec<Value>,
    pub(super) seen: Vec<Seen>,
    pub(super) paths: usize,
    /// Inputs and config values that something reads.
    used: BTreeSet<String>,
}

/// Where a step stands: what it has to wait for, and what may stand there.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// Every step of this scope waits for these.
    pub(super) after: Vec<String>,
    /// Steps of this scope that run in every run in which the scope does.
    pub(super) ends: Vec<String>,
    /// The steps of this scope in an order that fits their edges.
    pub(super) ids: Vec<String>,
    /// How many fan-outs and branches are around it.
    pub(super) depth: usize,
    pub(super) is_body: bool,
}

pub(super) fn make(random: &mut Random, size: usize) -> Case {
    let policy = host::policy(random);
    let mut maker = Maker {
        random,
        steps: Vec::new(),
        seen: Vec::new(),
        paths: 0,
        used: BTreeSet::new(),
    };
    for (name, is) in INPUTS {
        maker.see(format!("input.{name}"), *is);
    }
    maker.see("input.who.mail".to_owned(), Type::Text);
    maker.see("conf.base".to_owned(), Type::Text);
    maker.see("conf.sizes[1]".to_owned(), Type::Count);
    let mut scope = Scope::default();
    maker.block(&mut scope, size);
    let outputs = maker.outputs();
    let document = maker.document(&outputs);
    let inputs = supplied(&document, maker.random);
    Case {
        policy,
        inputs: Some(inputs),
        ..Case::new(document, host::catalog())
    }
}

impl Maker<'_> {
    /// A value exists from here on.
    pub(super) fn see(&mut self, path: String, is: Type) {
        self.seen.push(Seen { path, is });
    }

    /// A value is read.
    pub(super) fn read(&mut self, path: &str) {
        let mut parts = path.split(['.', '[']);
        if let (Some(root @ ("input" | "conf")), Some(name)) = (parts.next(), parts.next()) {
            self.used.insert(format!("{root}.{name}"));
        }
    }

    /// An id that no step has yet.
    pub(super) fn id(&mut self) -> String {
        let word = self
            .random
            .word(&["find", "load", "check", "step-part", "_x", "Make"]);
        format!("{word}_{}", self.steps.len())
    }

    /// Adds a step of a kind, which waits for what its scope says.
    #[expect(clippy::needless_pass_by_value, reason = "made at every call")]
    pub(super) fn add(&mut self, scope: &mut Scope, id: &str, config: Value, more: Value) {
        let mut after = scope.after.clone();
        if self.random.chance(30)
            && let Some(earlier) = self.random.pick(&scope.ends)
            && !after.contains(earlier)
        {
            after.push(earlier.clone());
        }
        let mut step =
            json!({"id": id, "name": format!("Step {id}"), "config": config, "depends_on": after});
        if self.random.chance(20) {
            set(&mut step, "timeout_secs", json!(60));
        }
        for (name, member) in more.as_object().into_iter().flatten() {
            set(&mut step, name, member.clone());
        }
        scope.ids.push(id.to_owned());
        self.steps.push(step);
    }

    fn outputs(&mut self) -> Vec<Value> {
        let steps: Vec<String> = self
            .seen
            .iter()
            .filter(|seen| seen.path.starts_with("step."))
            .map(|seen| seen.path.clone())
            .collect();
        let mut outputs = Vec::new();
        for number in 0..self.random.below(4) {
            if let Some(path) = self.random.pick(&steps) {
                outputs.push(
                    json!({"name": format!("out_{number}"), "source": format!("${{{path}}}")}),
                );
            }
        }
        outputs
    }

    fn document(&mut self, outputs: &[Value]) -> Value {
        let mut inputs: Vec<Value> = INPUTS
            .iter()
            .filter(|(name, _)| self.used.contains(&format!("input.{name}")))
            .map(|(name, is)| input(name, *is))
            .collect();
        if self.used.contains("input.folder") {
            inputs.push(
                json!({"name": "folder", "value_type": "string", "input_kind": "directory_path"}),
            );
        }
        if self.random.chance(50) {
            self.random.shuffle(&mut self.steps);
        }
        let mut document = json!({
            "metadata": {
                "id": "3f2a8c1e-0b7d-4e55-9c7a-0d4b6a1f2e90",
                "version": 1,
                "created_at": "2026-01-31T12:00:00Z",
                "updated_at": "2026-01-31T12:00:00Z"
            },
            "name": "generated",
            "inputs": inputs,
            "config": {"base": "https://example.com", "sizes": [1, 2]},
            "steps": self.steps,
            "outputs": outputs,
        });
        if self.random.chance(20) {
            set(
                &mut document,
                "limits",
                json!({"max_tool_calls": 50_000, "max_concurrency": 4}),
            );
        }
        if self.random.chance(20) {
            set(&mut document, "failure_policy", json!("finish_independent"));
        }
        document
    }
}

fn input(name: &str, is: Type) -> Value {
    match is {
        Type::Text => json!({"name": name, "value_type": "string"}),
        Type::Count => {
            json!({"name": name, "value_type": "integer", "default": 5, "schema": {"minimum": 1, "maximum": 50}})
        }
        Type::Flag => json!({"name": name, "value_type": "boolean"}),
        Type::Texts => {
            json!({"name": name, "value_type": "array", "schema": {"items": {"type": "string"}}})
        }
        Type::Rows => json!({"name": name, "value_type": "array", "schema": {"items": {
            "type": "object", "properties": {"title": {"type": "string"}, "url": {"type": "string"}},
            "required": ["title", "url"], "additionalProperties": false}}}),
        _ => json!({"name": name, "value_type": "object", "schema": {
            "properties": {"name": {"type": "string"}, "mail": {"type": "string"}},
            "required": ["name", "mail"], "additionalProperties": false}}),
    }
}

/// Inputs that the plan takes.
fn supplied(document: &Value, random: &mut Random) -> Map<String, Value> {
    let declared = document.pointer("/inputs").and_then(Value::as_array);
    let mut inputs = Map::new();
    for input in declared.into_iter().flatten() {
        let name = input
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let value = match name {
            "topic" => json!("rust"),
            "count" if random.chance(50) => continue,
            "count" => json!(7),
            "flag" => json!(true),
            "names" => json!(["ann", "bo"]),
            "rows" => json!([{"title": "a", "url": "https://example.com"}]),
            "folder" => json!("/srv/reports"),
            _ => json!({"name": "Ann", "mail": "ann@example.com"}),
        };
        inputs.insert(name.to_owned(), value);
    }
    inputs
}

pub(super) fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}
