//! What the end of a script means.

use plan_exec::{CodeOutput, Dispatched, ToolError};
use plan_run::{FailureClass, Restraint, RetryAdvice};
use rustix::process::Signal;
use serde_json::{Map, Value};

use super::hook::{About, SystemError, Told};
use crate::process::{Exit, Finished, ResourceLimits};

/// The most bytes of a path or an address in a message.
const SUBJECT_BYTES: usize = 400;

/// A script's output, or why it is a failure of a class of its own.
///
/// What was denied is known by the interpreter's word ([`Told`]) or by the signal of the system, never by
/// what a script prints.
pub(super) fn of(
    finished: Finished,
    told: Option<Told>,
    limits: &ResourceLimits,
) -> Result<CodeOutput, ToolError> {
    let Finished { exit, captured } = finished;
    let exit_code = match exit {
        Exit::Code(code) => code,
        Exit::Signal(signal) => signal.saturating_add(128),
    };
    let why = crossed(exit).map(|bound| over(bound, limits)).or_else(|| {
        let told = told.filter(|_| exit_code != 0)?;
        Some(because(told, limits))
    });
    if let Some((class, message, mut details)) = why {
        details.insert("exit_code".to_owned(), exit_code.into());
        return Err(ToolError::new(class, message)
            .retry(RetryAdvice::Never)
            .dispatched(Dispatched::Yes)
            .details(details.into())
            .output(Some(captured.stdout.text()), Some(captured.stderr.text())));
    }
    if captured.stdout.whole().is_none() {
        let total = captured.stdout.total();
        let message = format!("the script printed {total} bytes, more than a value may have");
        return Err(ToolError::new(FailureClass::LimitExceeded, message)
            .retry(RetryAdvice::Never)
            .dispatched(Dispatched::Yes)
            .output(Some(captured.stdout.text()), Some(captured.stderr.text())));
    }
    Ok(CodeOutput {
        stdout: captured.stdout.text(),
        stderr: captured.stderr.text(),
        exit_code,
    })
}

type Why = (FailureClass, String, Map<String, Value>);

/// Which bound a script was ended for.
fn crossed(exit: Exit) -> Option<Restraint> {
    let Exit::Signal(signal) = exit else {
        return None;
    };
    if signal == Signal::XCPU.as_raw() {
        Some(Restraint::ProcessorTime)
    } else if signal == Signal::XFSZ.as_raw() {
        Some(Restraint::FileSize)
    } else {
        None
    }
}

fn over(bound: Restraint, limits: &ResourceLimits) -> Why {
    let message = match bound {
        Restraint::ProcessorTime => format!(
            "the script used more than {} s of processor time",
            limits.processor_secs
        ),
        Restraint::FileSize => {
            format!(
                "the script wrote a file of more than {} bytes",
                limits.file_bytes
            )
        }
        Restraint::OpenFiles => {
            format!("the script had more than {} files open", limits.open_files)
        }
        _ => format!(
            "the script used more than {} bytes of memory",
            limits.memory_bytes
        ),
    };
    let details = Map::from_iter([("limit".to_owned(), bound.as_str().into())]);
    (FailureClass::LimitExceeded, message, details)
}

fn because(told: Told, limits: &ResourceLimits) -> Why {
    let bound = match told.error {
        SystemError::Denied => return denied(told.about),
        SystemError::Memory => Restraint::Memory,
        SystemError::FileSize => Restraint::FileSize,
        SystemError::OpenFiles => Restraint::OpenFiles,
    };
    over(bound, limits)
}

fn denied(about: About) -> Why {
    let mut details = Map::new();
    let mut put = |name: &str, value: String| details.insert(name.to_owned(), value.into());
    let message = match about {
        About::File(path) => {
            put("denied", "file".to_owned());
            let message = format!(
                "the script was denied the file `{}`; a directory input, `roots` of the policy or `read_roots` of the language would grant it",
                shown(&path)
            );
            put("path", path);
            message
        }
        About::Network(address) => {
            put("denied", "network".to_owned());
            let message = format!(
                "the script was denied the address `{}`; `network: true` of the language would open the network to it",
                shown(&address)
            );
            put("address", address);
            message
        }
        About::Other => {
            put("denied", "other".to_owned());
            "the script was denied what it tried".to_owned()
        }
    };
    (FailureClass::Permission, message, details)
}

fn shown(subject: &str) -> &str {
    let end = subject.floor_char_boundary(SUBJECT_BYTES);
    subject.get(..end).unwrap_or_default()
}
