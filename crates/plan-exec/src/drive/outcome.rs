//! What the executor makes of what a call returned: within bounds, or a failure.

use plan_model::Limits;
use plan_run::{
    AgentReport, AttemptSuccess, Confinement, Effect, Failure, FailureClass, ModelAnswer,
    ModelUsage, RetryAdvice,
};
use serde_json::Value;

use crate::drive::flight::Landing;
use crate::drive::redact::Redactor;
use crate::{CodeOutput, Dispatched, ToolError, ToolOutput};

/// What a call that succeeded returned.
#[derive(Debug)]
pub(crate) enum Returned {
    /// A tool.
    Tool(ToolOutput),
    /// A script.
    Code(CodeOutput),
    /// An agent.
    Agent(AgentReport),
    /// A model, whatever it came to.
    Model(Modelled),
}

/// What a question to a model came to, and what it cost.
#[derive(Debug)]
pub(crate) struct Modelled {
    pub(crate) result: Result<ModelAnswer, ToolError>,
    pub(crate) usage: Option<ModelUsage>,
}

/// Whether a call of this kind can have changed anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It reads only.
    ReadOnly,
    /// It may write.
    Writes,
}

impl Reach {
    /// The effect of a call that ended nobody knows how.
    pub(crate) fn unknown(self) -> Effect {
        self.effect(Dispatched::Unknown)
    }

    fn effect(self, dispatched: Dispatched) -> Effect {
        match (self, dispatched) {
            (Self::ReadOnly, _) | (_, Dispatched::No) => Effect::None,
            (Self::Writes, Dispatched::Yes | Dispatched::Unknown) => Effect::Unknown,
        }
    }
}

/// The bytes that a message or details may have: they are for people and for repair, not data.
const MESSAGE_BYTES: usize = 4 << 10;
const DETAILS_BYTES: usize = 64 << 10;

/// What an attempt came to. A failure is large and rare.
pub(crate) type Verdict = Result<AttemptSuccess, Box<Failure>>;

/// The result of an attempt, and what came after its time was up.
pub(crate) struct Judged {
    pub(crate) result: Verdict,
    pub(crate) late: Option<Verdict>,
    /// What models counted for it, where they were asked and said so.
    pub(crate) usage: Option<ModelUsage>,
}

impl Judged {
    /// Adds what the work was held to.
    pub(crate) fn confined(&mut self, confinement: Option<&Confinement>) {
        let Some(held) = confinement else { return };
        match &mut self.result {
            Ok(
                AttemptSuccess::Process { confinement, .. }
                | AttemptSuccess::Report { confinement, .. },
            ) => *confinement = Some(Box::new(held.clone())),
            Ok(AttemptSuccess::Value { .. } | AttemptSuccess::Answer(_)) => {}
            Err(failure) => failure.confinement = Some(Box::new(held.clone())),
        }
    }
}

/// Judges how a call ended.
pub(crate) fn judge(landing: Landing, reach: Reach, limits: &Limits) -> Judged {
    let usage = usage_of(&landing);
    let (result, late) = match landing {
        Landing::Returned(result) => (returned(result, reach, limits), None),
        Landing::Panicked(said) => {
            let message = match said {
                Some(said) => format!("the call panicked: {}", capped(said, MESSAGE_BYTES)),
                None => "the call panicked".to_owned(),
            };
            let failure = Failure::new(FailureClass::Panicked, message)
                .with_retry(RetryAdvice::Never)
                .with_effect(reach.unknown());
            (Err(Box::new(failure)), None)
        }
        Landing::TimedOut { limit, late } => {
            let message = format!("the call did not end within {}", seconds(limit));
            let failure = Failure::new(FailureClass::Timeout, message).with_effect(reach.unknown());
            (
                Err(Box::new(failure)),
                late.map(|late| returned(late, reach, limits)),
            )
        }
        Landing::Stopped => {
            let failure = Failure::new(FailureClass::Cancelled, "the call was stopped")
                .with_retry(RetryAdvice::Never)
                .with_effect(reach.unknown());
            (Err(Box::new(failure)), None)
        }
    };
    Judged {
        result,
        late,
        usage,
    }
}

/// What a call counted, however late it came.
fn usage_of(landing: &Landing) -> Option<ModelUsage> {
    match landing {
        Landing::Returned(Ok(Returned::Model(modelled)))
        | Landing::TimedOut {
            late: Some(Ok(Returned::Model(modelled))),
            ..
        } => modelled.usage,
        Landing::Returned(_)
        | Landing::TimedOut { .. }
        | Landing::Panicked(_)
        | Landing::Stopped => None,
    }
}

fn returned(result: Result<Returned, ToolError>, reach: Reach, limits: &Limits) -> Verdict {
    match result {
        Ok(Returned::Tool(output)) => tool(output, reach, limits),
        Ok(Returned::Code(CodeOutput {
            stdout,
            stderr,
            exit_code,
        })) => Ok(AttemptSuccess::Process {
            stdout,
            stderr,
            exit_code,
            confinement: None,
        }),
        Ok(Returned::Agent(report)) => Ok(AttemptSuccess::Report {
            report,
            confinement: None,
        }),
        Ok(Returned::Model(Modelled { result, .. })) => match result {
            Ok(answer) => model(answer, reach, limits),
            Err(error) => Err(Box::new(failure(error, reach, limits))),
        },
        Err(error) => Err(Box::new(failure(error, reach, limits))),
    }
}

fn model(answer: ModelAnswer, reach: Reach, limits: &Limits) -> Verdict {
    if let ModelAnswer::Json(value) = answer {
        let value = bounded(value, "answer", reach, limits)?;
        return Ok(AttemptSuccess::Answer(ModelAnswer::Json(value)));
    }
    Ok(AttemptSuccess::Answer(answer))
}

/// The value, where it is within the bounds of values.
fn bounded(value: Value, what: &str, reach: Reach, limits: &Limits) -> Result<Value, Box<Failure>> {
    match within(&value, limits) {
        Ok(_) => Ok(value),
        Err(over) => {
            take_apart(value);
            let failure = Failure::new(
                FailureClass::LimitExceeded,
                format!("the {what} has {over}"),
            )
            .with_retry(RetryAdvice::Never)
            .with_effect(reach.effect(Dispatched::Yes));
            Err(Box::new(failure))
        }
    }
}

fn tool(output: ToolOutput, reach: Reach, limits: &Limits) -> Verdict {
    Ok(AttemptSuccess::Value {
        value: bounded(output.value, "result", reach, limits)?,
        stdout: output.stdout.map(|text| tail(text, limits.tail_bytes)),
        stderr: output.stderr.map(|text| tail(text, limits.tail_bytes)),
    })
}

fn failure(error: ToolError, reach: Reach, limits: &Limits) -> Failure {
    let details = error
        .details
        .and_then(|details| match within(&details, limits) {
            Ok(bytes) if bytes <= DETAILS_BYTES => Some(*details),
            _ => {
                take_apart(*details);
                None
            }
        });
    let mut failure = Failure::new(error.class, capped(error.message, MESSAGE_BYTES))
        .with_retry(error.retry)
        .with_effect(reach.effect(error.dispatched))
        .with_tails(
            error.stdout_tail.map(|text| tail(text, limits.tail_bytes)),
            error.stderr_tail.map(|text| tail(text, limits.tail_bytes)),
        );
    failure.details = details;
    failure
}

/// Strikes secrets out of a result.
pub(crate) fn redact(result: &mut Verdict, redactor: &Redactor) {
    match result {
        Ok(AttemptSuccess::Value {
            value,
            stdout,
            stderr,
        }) => {
            redactor.value(value);
            redactor.optional_tail(stdout);
            redactor.optional_tail(stderr);
        }
        Ok(AttemptSuccess::Process { stdout, stderr, .. }) => {
            redactor.tail(stdout);
            redactor.tail(stderr);
        }
        Ok(AttemptSuccess::Report { report, .. }) => {
            redactor.tail(&mut report.report);
            redactor.optional_tail(&mut report.transcript);
        }
        Ok(AttemptSuccess::Answer(ModelAnswer::Text(text))) => redactor.text(text),
        Ok(AttemptSuccess::Answer(ModelAnswer::Json(value))) => redactor.value(value),
        Err(failure) => {
            redactor.head(&mut failure.message);
            redactor.optional_tail(&mut failure.stdout_tail);
            redactor.optional_tail(&mut failure.stderr_tail);
            if let Some(details) = &mut failure.details {
                redactor.value(details);
            }
        }
    }
}

/// About how many bytes a value has as JSON, or which bound it crosses, as a clause. Iterative.
pub(crate) fn within(value: &Value, limits: &Limits) -> Result<usize, String> {
    let mut bytes = 0_usize;
    let mut open = vec![(value, 0_usize)];
    while let Some((value, depth)) = open.pop() {
        let depth = depth + usize::from(value.is_array() || value.is_object());
        if depth > limits.depth {
            return Err(format!("more than {} levels", limits.depth));
        }
        bytes = bytes.saturating_add(match value {
            Value::String(text) => text.len().saturating_add(3),
            Value::Array(items) => {
                open.extend(items.iter().map(|item| (item, depth)));
                2
            }
            Value::Object(members) => {
                open.extend(members.iter().map(|(_, member)| (member, depth)));
                let names = members.keys().map(|name| name.len().saturating_add(3));
                names.fold(2, usize::saturating_add)
            }
            Value::Null | Value::Bool(_) => 5,
            Value::Number(_) => 8,
        });
        if bytes > limits.value_bytes {
            return Err(format!("more than {} bytes", limits.value_bytes));
        }
    }
    Ok(bytes)
}

/// Drops a value of any depth without recursion.
pub(crate) fn take_apart(value: Value) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.into_iter().map(|(_, member)| member)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// The first bytes of a text.
fn capped(mut text: String, bytes: usize) -> String {
    if text.len() > bytes {
        text.truncate(text.floor_char_boundary(bytes));
        text.push('…');
    }
    text
}

/// The last bytes of a text.
fn tail(text: String, bytes: usize) -> String {
    if text.len() <= bytes {
        return text;
    }
    let start = text.ceil_char_boundary(text.len() - bytes);
    text.get(start..).unwrap_or_default().to_owned()
}

fn seconds(span: std::time::Duration) -> String {
    let millis = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
    format!("{} s", plan_model::Seconds::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_too_deep_to_drop_recursively_is_refused_and_taken_apart() {
        let mut deep = json!(1);
        for _ in 0..200_000 {
            deep = Value::Array(vec![deep]);
        }
        let output = ToolOutput::from(deep);
        let failure = tool(output, Reach::Writes, &Limits::default()).unwrap_err();
        assert_eq!(failure.class, FailureClass::LimitExceeded);
        assert_eq!(failure.message, "the result has more than 64 levels");
        assert_eq!(failure.effect, Effect::Unknown);
    }

    #[test]
    fn the_depth_limit_itself_is_within() {
        let mut value = json!(1);
        for _ in 0..64 {
            value = Value::Array(vec![value]);
        }
        assert!(within(&value, &Limits::default()).is_ok());
        assert!(within(&Value::Array(vec![value]), &Limits::default()).is_err());
    }

    #[test]
    fn a_tail_keeps_the_end_and_whole_characters() {
        assert_eq!(tail("aäb".to_owned(), 2), "b");
        assert_eq!(tail("aäb".to_owned(), 3), "äb");
        assert_eq!(capped("aäb".to_owned(), 2), "a…");
    }
}
