//! Finding a place for a fault, and changing what is there.

use serde_json::{Map, Value, json};

use crate::within::{list, names, text};

use super::Place;
use crate::case::Case;
use crate::generate::Random;

/// Says that the fault has to be found here.
#[expect(clippy::unnecessary_wraps, reason = "what every mutator ends with")]
pub(super) fn at(pointer: impl Into<String>) -> Option<Place> {
    Some(Place::At(pointer.into()))
}

impl Case {
    pub(super) fn steps(&self) -> &[Value] {
        list(&self.document, "/steps")
    }

    /// Some step of which this holds.
    pub(super) fn some_step(
        &self,
        random: &mut Random,
        holds: impl Fn(&Value) -> bool,
    ) -> Option<usize> {
        let fitting: Vec<usize> = self
            .steps()
            .iter()
            .enumerate()
            .filter(|(_, step)| holds(step))
            .map(|(at, _)| at)
            .collect();
        random.pick(&fitting).copied()
    }

    /// Some step of a kind.
    pub(super) fn some_kind(&self, random: &mut Random, kind: &str) -> Option<usize> {
        self.some_step(random, |step| text(step, "/config/type") == kind)
    }

    /// The members of an object in the document.
    pub(super) fn object(&mut self, pointer: &str) -> Option<&mut Map<String, Value>> {
        self.document.pointer_mut(pointer)?.as_object_mut()
    }

    /// Sets a member of an object in the document.
    pub(super) fn set(&mut self, pointer: &str, name: &str, value: Value) -> Option<()> {
        self.object(pointer)?.insert(name.to_owned(), value);
        Some(())
    }

    /// Puts a value at the end of a list in the document, which is made where there is none.
    pub(super) fn push(&mut self, pointer: &str, name: &str, value: Value) -> Option<usize> {
        let list = self
            .object(pointer)?
            .entry(name)
            .or_insert_with(|| json!([]))
            .as_array_mut()?;
        list.push(value);
        Some(list.len() - 1)
    }

    /// Adds a step at the end, which waits for nothing.
    #[expect(clippy::needless_pass_by_value, reason = "made at every call")]
    pub(super) fn add_step(&mut self, config: Value) -> Option<usize> {
        let id = format!("added_{}", self.steps().len());
        self.push(
            "",
            "steps",
            json!({"id": id, "name": "Added", "config": config, "depends_on": []}),
        )
    }

    /// Adds a call of a tool with these arguments.
    #[expect(clippy::needless_pass_by_value, reason = "made at every call")]
    pub(super) fn add_call(&mut self, tool: &str, arguments: Value) -> Option<usize> {
        self.add_step(json!({"type": "TOOL_CALL", "tool": tool, "arguments": arguments}))
    }

    /// Adds a step at the end, and says its id and its index.
    pub(super) fn add_named(&mut self, config: Value) -> Option<(String, usize)> {
        let step = self.add_step(config)?;
        Some((text(self.steps().get(step)?, "/id").to_owned(), step))
    }

    /// Has a step wait for others.
    pub(super) fn wait(&mut self, step: usize, ids: &[&str]) -> Option<()> {
        self.set(&format!("/steps/{step}"), "depends_on", json!(ids))
    }

    /// Adds a tool to the catalog, where it is not there yet, and has the policy allow every tool.
    pub(super) fn add_tool(&mut self, tool: Value) -> Option<()> {
        let tools = self.catalog.pointer_mut("/tools")?.as_array_mut()?;
        if !tools.contains(&tool) {
            tools.push(tool);
        }
        self.policy.as_object_mut()?.remove("tools");
        Some(())
    }

    /// Sets a member of the policy.
    pub(super) fn rule(&mut self, name: &str, value: Value) -> Option<()> {
        self.policy.as_object_mut()?.insert(name.to_owned(), value);
        Some(())
    }

    /// Takes every limit out of the plan and the policy.
    pub(super) fn unbind(&mut self) -> Option<()> {
        self.document.as_object_mut()?.remove("limits");
        self.policy.as_object_mut()?.remove("limits");
        Some(())
    }

    /// Adds an input that the plan does not have yet, with its value in a run; its index.
    pub(super) fn add_input(&mut self, declaration: Value, value: Value) -> Option<usize> {
        let name = text(&declaration, "/name").to_owned();
        if let Some(inputs) = &mut self.inputs {
            inputs.insert(name, value);
        }
        self.push("", "inputs", declaration)
    }

    /// The step that owns this one's body, where there is one.
    pub(super) fn owner(&self, id: &str) -> Option<usize> {
        self.steps()
            .iter()
            .position(|step| names(step, "/config/spawn_steps").contains(&id))
    }

    /// The text of the document with one part of it replaced.
    pub(super) fn rewrite(&mut self, part: &str, instead: &str) -> Option<()> {
        let text = self.text();
        if !text.contains(part) {
            return None;
        }
        self.text = Some(text.replacen(part, instead, 1).into_bytes());
        Some(())
    }
}

/// The config of a call.
#[expect(clippy::needless_pass_by_value, reason = "a literal at every call")]
pub(super) fn call(tool: &str, arguments: Value) -> Value {
    json!({"type": "TOOL_CALL", "tool": tool, "arguments": arguments})
}
