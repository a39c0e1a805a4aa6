//! What people say on the command line: answers and decisions.

use planwright::run::{Answer, Decision, RequestId, RunRecord, StepPath};
use serde_json::Value;

use crate::exit::Halt;
use crate::input::json_object;
use crate::output;

/// Reads `STEP|REQUEST=ANSWER` and finds the one open request that it means.
pub(super) fn answer(text: &str, record: &RunRecord) -> Result<(RequestId, Answer), Halt> {
    let (key, said) = split(text, "STEP=approve")?;
    let answer = match said {
        "approve" => Answer::Approve,
        "reject" => Answer::Reject,
        "cancel" => Answer::Cancel,
        other => match other.strip_prefix("text:") {
            Some(text) => Answer::Text(text.to_owned()),
            None => {
                return Err(Halt::usage(format!("`{other}` is no answer"))
                    .help("an answer is approve, reject, cancel or text:…"));
            }
        },
    };
    let open = open_requests(record);
    let mut meant = open
        .iter()
        .filter(|(request, step)| request == key || step == key);
    match (meant.next(), meant.next()) {
        (Some((request, _)), None) => {
            let request = RequestId::new(request)
                .map_err(|error| Halt::usage(format!("the request id `{request}` {error}")))?;
            Ok((request, answer))
        }
        (Some(_), Some(_)) => Err(Halt::usage(format!(
            "`{key}` means more than one open question"
        ))
        .help(listed(&open, "name one of the requests"))),
        (None, _) => {
            Err(Halt::usage(format!("there is no open question `{key}`"))
                .help(listed(&open, "open")))
        }
    }
}

/// Reads `STEP=DECISION`.
pub(super) fn decision(text: &str) -> Result<(StepPath, Decision), Halt> {
    let (key, said) = split(text, "STEP=retry")?;
    let step: StepPath = key
        .parse()
        .map_err(|error| Halt::usage(format!("`{key}` {error}")))?;
    let decision = match said {
        "retry" => Decision::Retry,
        "failed" => Decision::MarkFailed,
        other => match other.strip_prefix("succeeded:") {
            Some(outputs) => {
                let outputs =
                    json_object(outputs.as_bytes(), &planwright::model::Limits::default())
                        .map_err(|error| Halt::usage(format!("the outputs of `{key}`: {error}")))?;
                Decision::MarkSucceeded(outputs.into())
            }
            None => {
                return Err(Halt::usage(format!("`{other}` is no decision"))
                    .help("a decision is retry, failed or succeeded:JSON"));
            }
        },
    };
    Ok((step, decision))
}

fn split<'a>(text: &'a str, example: &str) -> Result<(&'a str, &'a str), Halt> {
    text.split_once('=')
        .filter(|(key, _)| !key.is_empty())
        .ok_or_else(|| {
            Halt::usage(format!("`{text}` has no `=`")).help(format!("for example `{example}`"))
        })
}

/// Request and step of every open question, in plan order.
fn open_requests(record: &RunRecord) -> Vec<(String, String)> {
    let record = output::record_json(record);
    let waiting = record.get("waiting").and_then(Value::as_array);
    let text = |request: &Value, name: &str| {
        request
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    waiting
        .into_iter()
        .flatten()
        .map(|request| (text(request, "request_id"), text(request, "step")))
        .filter(|(request, _)| !request.is_empty())
        .collect()
}

fn listed(open: &[(String, String)], intro: &str) -> String {
    if open.is_empty() {
        return "no question of this run is open".to_owned();
    }
    let all: Vec<String> = open
        .iter()
        .map(|(request, step)| format!("`{step}` (`{request}`)"))
        .collect();
    format!("{intro}: {}", all.join(", "))
}
