//! Everything that is written to the terminal, made safe for it.
//!
//! What a plan, a tool or a model wrote may hold sequences that move the cursor,
//! change the title or turn the text around. None of them gets out.

mod bounds;
mod findings;
mod live;
mod record;
mod text;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use serde_json::Value;

pub(crate) use bounds::bounds_text;
pub(crate) use findings::{
    check_json, finding_json, findings_of, model_of, refusal_json, sarif_of, show_findings,
    show_rejected, unchecked_json,
};
pub(crate) use live::Live;
pub(crate) use record::{Detail, record_json, show_record};
pub(crate) use text::{data, plain};

use text::escaped;

use crate::exit::Exit;

/// Writes a line for people.
pub(crate) fn say(line: impl AsRef<str>) {
    // a reader that went away is no reason to fail
    let _ = writeln!(std::io::stderr().lock(), "{}", plain(line.as_ref()));
}

/// Writes text to standard output; a line end is added where there is none.
pub(crate) fn print(text: impl AsRef<str>) {
    let text = plain(text.as_ref());
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let mut out = std::io::stdout().lock();
    let _ = write!(out, "{text}{end}").and_then(|()| out.flush());
}

/// Writes text to standard output, where there is any.
pub(crate) fn print_unless_empty(text: &str) {
    if !text.is_empty() {
        print(text);
    }
}

/// Writes text for people, where there is any.
pub(crate) fn say_unless_empty(text: &str) {
    if !text.is_empty() {
        say(text.trim_end());
    }
}

/// Writes a JSON document to standard output.
pub(crate) fn print_json(value: &Value) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{}", escaped(&format!("{value:#}"))).and_then(|()| out.flush());
}

/// Writes a JSON document to standard output, in one line.
pub(crate) fn print_json_line(value: &Value) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{}", escaped(&value.to_string())).and_then(|()| out.flush());
}

/// Writes a document to standard output as it is, where another program reads it.
pub(crate) fn print_document(text: &str) {
    if is_read_by_a_person() {
        print(text);
        return;
    }
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Whether standard error is a terminal that takes colour.
pub(crate) fn colourful() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Whether a person reads standard output.
pub(crate) fn is_read_by_a_person() -> bool {
    std::io::stdout().is_terminal()
}

/// Writes what is wrong with a command line, or the help that was asked for.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if error.use_stderr() {
        say(text.trim_end());
        Exit::Usage.into()
    } else {
        print(text);
        Exit::Fine.into()
    }
}

/// Sends traces to standard error where `PLANWRIGHT_LOG` says which.
pub(crate) fn log() {
    let Ok(filter) = tracing_subscriber::EnvFilter::try_from_env("PLANWRIGHT_LOG") else {
        return;
    };
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .init();
}
