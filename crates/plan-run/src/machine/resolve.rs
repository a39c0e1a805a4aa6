//! The values of an effect, built from its templates.

use std::collections::BTreeMap;

use plan_model::{CodeCall, CodeSource, Limits, Scope, Template, ToolCall};
use serde_json::{Map, Value};

use super::Machine;
use super::build::Builder;
use super::layout::Work;
use super::scope::RunScope;
use super::slot::Slot;
use crate::{Effect, Failure, FailureClass, JsonObject, RetryAdvice};

/// Problems that one message names.
const NAMED: usize = 3;

/// The values of a script's surroundings.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CodeValues {
    /// Where the source is, when it is in a file.
    pub(super) file: Option<String>,
    pub(super) args: Vec<String>,
    pub(super) stdin: Option<String>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) working_dir: Option<String>,
}

impl Machine {
    /// The arguments of a step's effect as records show them.
    pub(super) fn shown_arguments(&self, slot: Slot) -> Result<JsonObject, Failure> {
        let scope = RunScope::shown(self, slot);
        match Work::of(&self.step_of(slot).config) {
            Work::Tool(call) => self
                .tool_arguments(slot, call, &scope)
                .map(JsonObject::from),
            Work::Code(call) => Ok(code_values(call, &scope, self.limits())?
                .into_object()
                .into()),
            Work::Agent(call) => Ok(self.agent_values(slot, call)?.into_object().into()),
            Work::Prompt(call) => Ok(self.prompt_values(slot, call)?.into_object().into()),
            Work::Ask(_) | Work::Choose(_) | Work::FanOut(_) | Work::FanIn(_) => {
                Ok(JsonObject::default())
            }
        }
    }

    /// The arguments of a tool's call, in the types that the tool takes.
    pub(super) fn tool_arguments(
        &self,
        slot: Slot,
        call: &ToolCall,
        scope: &dyn Scope,
    ) -> Result<Map<String, Value>, Failure> {
        let mut build = Builder::new(scope, self.limits());
        let mut arguments = Map::new();
        for (name, template) in &call.arguments {
            let value = build.value(|| format!("argument `{name}`"), template);
            arguments.insert(name.clone(), value);
        }
        build.finish()?;
        Ok(self.plan.normalise(&self.step_of(slot).id, arguments))
    }
}

/// The values of a script's surroundings, all as text.
pub(super) fn code_values(
    call: &CodeCall,
    scope: &dyn Scope,
    limits: Limits,
) -> Result<CodeValues, Failure> {
    let mut build = Builder::new(scope, limits);
    let mut text = |place: &str, template: &Template| build.text(|| place.to_owned(), template);
    let values = CodeValues {
        file: match &call.source {
            CodeSource::Inline(_) => None,
            CodeSource::File(file) => Some(text("the file", file)),
        },
        args: call
            .args
            .iter()
            .map(|arg| text("an argument", arg))
            .collect(),
        stdin: call
            .stdin
            .as_ref()
            .map(|stdin| text("standard input", stdin)),
        env: call
            .env
            .iter()
            .map(|(name, value)| (name.clone(), text(&format!("variable `{name}`"), value)))
            .collect(),
        working_dir: call
            .working_dir
            .as_ref()
            .map(|dir| text("the working directory", dir)),
    };
    build.finish()?;
    Ok(values)
}

impl CodeValues {
    /// The values as the journal records them, without what is empty.
    fn into_object(self) -> Map<String, Value> {
        let mut object = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                object.insert(name.to_owned(), value);
            }
        };
        put("file", self.file.map(Value::from));
        put(
            "args",
            Some(Value::from(self.args)).filter(|args| *args != Value::Array(Vec::new())),
        );
        put("stdin", self.stdin.map(Value::from));
        let env: Map<String, Value> = self
            .env
            .into_iter()
            .map(|(name, value)| (name, value.into()))
            .collect();
        put(
            "env",
            Some(Value::Object(env)).filter(|env| *env != Value::Object(Map::new())),
        );
        put("working_dir", self.working_dir.map(Value::from));
        object
    }
}

/// The failure of values that could not be built, or that the other side does not take.
pub(super) fn invalid(problems: &[String]) -> Failure {
    Failure::new(FailureClass::InvalidArguments, listed(problems))
        .with_effect(Effect::None)
        .with_retry(RetryAdvice::Never)
}

/// The first problems in one clause, and how many more there are.
pub(super) fn listed(problems: &[String]) -> String {
    let shown: Vec<&str> = problems.iter().take(NAMED).map(String::as_str).collect();
    let shown = shown.join("; ");
    match problems.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}
