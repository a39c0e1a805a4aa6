//! From what an effect returned to a step's outputs.
//!
//! A declared output found in a result wins over the kind's own. A step that declares
//! exactly one output which the result does not hold gives it the whole result.

use plan_model::{Limits, Output, Step, StepConfig, ValueType};
use serde_json::{Map, Value};

use super::Machine;
use super::agent_call::of_report;
use super::measure::{Excess, dismantle, weigh};
use super::prompt_call::of_answer;
use super::resolve::listed;
use super::settle::AttemptSuccess;
use super::slot::Slot;
use crate::event::Delivered;
use crate::{AgentReport, Effect, Failure, FailureClass, ModelAnswer, RetryAdvice};

/// The members of what a process that printed plain text returns.
const PROCESS: [&str; 3] = ["stdout", "stderr", "exit_code"];

impl Machine {
    /// The host's bounds on values. None nests deeper than a journal can be read back.
    pub(super) fn limits(&self) -> Limits {
        let mut limits = self.plan.policy().limits;
        limits.depth = limits.depth.min(Limits::default().depth);
        limits
    }

    /// The outputs of a step whose effect returned, checked against what it declares.
    pub(super) fn shape(
        &self,
        slot: Slot,
        mut success: AttemptSuccess,
    ) -> Result<Delivered, Failure> {
        let confinement = match &mut success {
            AttemptSuccess::Value { .. } | AttemptSuccess::Answer(_) => None,
            AttemptSuccess::Process { confinement, .. }
            | AttemptSuccess::Report { confinement, .. } => confinement.take(),
        };
        match self.delivered(slot, success) {
            Ok(mut delivered) => {
                delivered.confinement = confinement;
                Ok(delivered)
            }
            Err(mut failure) => {
                if failure.class == FailureClass::ExitStatus
                    && let Some(advice) = confinement.as_ref().and_then(|held| held.advice())
                {
                    failure.message.push_str(advice);
                }
                failure.confinement = confinement;
                Err(failure)
            }
        }
    }

    fn delivered(&self, slot: Slot, success: AttemptSuccess) -> Result<Delivered, Failure> {
        let step = self.step_of(slot);
        let limits = self.limits();
        let tail = |text| tail(text, limits.tail_bytes);
        let delivered = match success {
            AttemptSuccess::Answer(answer) => {
                let StepConfig::PromptCall(call) = &step.config else {
                    return Err(contract(
                        "a step that asks no model was answered".to_owned(),
                    ));
                };
                let answer = match answer {
                    ModelAnswer::Json(value) => ModelAnswer::Json(within_depth(value, &limits)?),
                    ModelAnswer::Text(text) => ModelAnswer::Text(text),
                };
                Delivered {
                    outputs: of_answer(step, call, answer)?.into(),
                    stdout: None,
                    stderr: None,
                    confinement: None,
                }
            }
            AttemptSuccess::Report {
                report: AgentReport { report, transcript },
                confinement: _,
            } => Delivered {
                outputs: of_report(step, report)?.into(),
                stdout: transcript.map(tail),
                stderr: None,
                confinement: None,
            },
            AttemptSuccess::Value {
                value,
                stdout,
                stderr,
            } => {
                let value = within_depth(value, &limits)?;
                self.plan
                    .check_result(&step.id, &value)
                    .map_err(|problems| contract(listed(&problems)))?;
                Delivered {
                    outputs: of_value(step, value)?.into(),
                    stdout: stdout.map(tail),
                    stderr: stderr.map(tail),
                    confinement: None,
                }
            }
            AttemptSuccess::Process {
                stdout,
                stderr,
                exit_code: 0,
                confinement: _,
            } => Delivered {
                outputs: of_process(step, stdout, stderr)?.into(),
                stdout: None,
                stderr: None,
                confinement: None,
            },
            AttemptSuccess::Process {
                stdout,
                stderr,
                exit_code,
                confinement: _,
            } => {
                return Err(Failure::new(
                    FailureClass::ExitStatus,
                    format!("the script ended with exit code {exit_code}"),
                )
                .with_details(serde_json::json!({ "exit_code": exit_code }))
                .with_tails(Some(tail(stdout)), Some(tail(stderr))));
            }
        };
        for (name, value) in delivered.outputs.iter() {
            weigh(value, limits.depth, limits.value_bytes)
                .map_err(|excess| too_much(name, excess, &limits))?;
        }
        self.plan
            .check_outputs(&step.id, &delivered.outputs)
            .map_err(|problems| contract(listed(&problems)))?;
        Ok(delivered)
    }
}

/// Members of a result object; any other result is `result`, or the one declared output.
fn of_value(step: &Step, value: Value) -> Result<Map<String, Value>, Failure> {
    match value {
        Value::Object(mut members) => {
            if let Some(output) = single(step)
                && !members.contains_key(output.name.as_str())
            {
                let whole = match printed(&members) {
                    Some(text) => read_text(output, text)?,
                    None => Value::Object(members.clone()),
                };
                members.insert(output.name.to_string(), whole);
            }
            Ok(members)
        }
        Value::String(text) => {
            let (name, value) = match single(step) {
                // a text stays the text that it is wherever a text is welcome
                Some(output) => match output.value_type {
                    ValueType::String | ValueType::Any => {
                        (output.name.to_string(), Value::String(text))
                    }
                    _ => (output.name.to_string(), read_text(output, &text)?),
                },
                None => ("result".to_owned(), Value::String(text)),
            };
            Ok(Map::from_iter([(name, value)]))
        }
        value => {
            let name = single(step).map_or("result", |output| output.name.as_str());
            Ok(Map::from_iter([(name.to_owned(), value)]))
        }
    }
}

/// What a script delivers: its streams, and the declared outputs from what it printed.
fn of_process(step: &Step, stdout: String, stderr: String) -> Result<Map<String, Value>, Failure> {
    let text = stdout.trim();
    let mut outputs = Map::new();
    if let Some(mut printed) = json_object(text) {
        for output in &step.outputs {
            if let Some((name, value)) = printed.remove_entry(output.name.as_str()) {
                outputs.insert(name, value);
            }
        }
        dismantle(Value::Object(printed));
    }
    if let Some(output) = single(step) {
        let name = output.name.as_str();
        if !outputs.contains_key(name) && !PROCESS.contains(&name) {
            outputs.insert(name.to_owned(), read_text(output, text)?);
        }
    }
    for (name, value) in [
        ("exit_code", Value::from(0)),
        ("stderr", Value::from(stderr)),
        ("stdout", Value::from(stdout)),
    ] {
        outputs.entry(name).or_insert(value);
    }
    Ok(outputs)
}

/// The only output that a step declares.
fn single(step: &Step) -> Option<&Output> {
    match step.outputs.as_slice() {
        [output] => Some(output),
        _ => None,
    }
}

/// What a process printed, if the result says nothing more than that.
fn printed(members: &Map<String, Value>) -> Option<&str> {
    let is_process =
        members.len() == PROCESS.len() && PROCESS.iter().all(|name| members.contains_key(*name));
    if is_process {
        members.get("stdout").and_then(Value::as_str).map(str::trim)
    } else {
        None
    }
}

fn json_object(text: &str) -> Option<Map<String, Value>> {
    if text.starts_with('{') {
        serde_json::from_str(text).ok()
    } else {
        None
    }
}

/// A whole text as a value of an output's type.
pub(super) fn read_text(output: &Output, text: &str) -> Result<Value, Failure> {
    match output.value_type {
        ValueType::String => Ok(Value::from(text)),
        ValueType::Any => Ok(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))),
        ValueType::Number
        | ValueType::Integer
        | ValueType::Boolean
        | ValueType::Object
        | ValueType::Array => serde_json::from_str(text.trim()).map_err(|_| {
            contract(format!(
                "output `{}` is not the JSON that it is declared to be",
                output.name
            ))
        }),
    }
}

/// The value, unless it nests too deep; it is then taken apart.
fn within_depth(value: Value, limits: &Limits) -> Result<Value, Failure> {
    match weigh(&value, limits.depth + 1, usize::MAX) {
        Err(Excess::Depth) => {
            dismantle(value);
            Err(too_much("result", Excess::Depth, limits))
        }
        Ok(_) | Err(Excess::Bytes) => Ok(value),
    }
}

/// The last of a stream: at most `keep` bytes.
pub(super) fn tail(text: String, keep: usize) -> String {
    let cut = text.len().saturating_sub(keep);
    if cut == 0 {
        return text;
    }
    (cut..=text.len())
        .find_map(|start| text.get(start..))
        .unwrap_or_default()
        .to_owned()
}

fn too_much(name: &str, excess: Excess, limits: &Limits) -> Failure {
    let message = match excess {
        Excess::Depth => format!("output `{name}` nests deeper than {} levels", limits.depth),
        Excess::Bytes => format!("output `{name}` has more than {} bytes", limits.value_bytes),
    };
    Failure::new(FailureClass::LimitExceeded, message)
        .with_effect(Effect::Unknown)
        .with_retry(RetryAdvice::Never)
}

pub(super) fn contract(message: String) -> Failure {
    Failure::new(FailureClass::OutputContract, message).with_effect(Effect::Unknown)
}
