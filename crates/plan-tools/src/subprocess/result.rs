//! From what a program printed to the result of a call.

use plan_exec::{Dispatched, ToolError, ToolOutput};
use plan_run::{FailureClass, RetryAdvice};
use serde_json::{Map, Value, json};

use crate::process::{Exit, Finished, Output};

/// Bytes of standard output and standard error that stay with an attempt.
const TAIL: usize = 256 << 10;

/// The result of a call, or why it failed.
pub(super) fn of(finished: Finished, capture_status: bool) -> Result<ToolOutput, ToolError> {
    let Finished { exit, captured } = finished;
    let (stdout, stderr) = (&captured.stdout, &captured.stderr);
    let failed = |class, message: String| {
        ToolError::new(class, message)
            .dispatched(Dispatched::Yes)
            .output(tail(stdout), tail(stderr))
    };
    let code = match exit {
        Exit::Code(code) => code,
        // as shells say it
        Exit::Signal(signal) => signal.saturating_add(128),
    };
    if exit != Exit::Code(0) && !capture_status {
        let message = format!("the program {exit}");
        return Err(failed(FailureClass::ExitStatus, message).details(json!({"exit_code": code})));
    }
    let Some(whole) = stdout.whole() else {
        let message = format!(
            "the program printed {} bytes, more than a value may have",
            stdout.total()
        );
        return Err(failed(FailureClass::LimitExceeded, message).retry(RetryAdvice::Never));
    };
    let value = match object(whole) {
        Some(mut object) => {
            if capture_status && !object.contains_key("exit_code") {
                object.insert("exit_code".to_owned(), code.into());
            }
            Value::Object(object)
        }
        None => json!({
            "stdout": stdout.text(),
            "stderr": stderr.text(),
            "exit_code": code,
        }),
    };
    Ok(ToolOutput {
        value,
        stdout: tail(stdout),
        stderr: tail(stderr),
    })
}

/// What is kept of a stream; nothing where nothing was written.
pub(super) fn tail(output: &Output) -> Option<String> {
    (output.total() > 0).then(|| output.tail(TAIL))
}

/// The one JSON object that the text is, if it is one.
fn object(text: &[u8]) -> Option<Map<String, Value>> {
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
    if first != Some(&b'{') {
        return None;
    }
    serde_json::from_slice(text).ok()
}
