//! `planwright check --fix`: what a machine may apply, applied in the file.

use std::path::Path;

use planwright::validate::Fixed;
use serde_json::{Map, Value, json};
use similar::TextDiff;

use super::Subject;
use crate::args::{Check, Format};
use crate::exit::Halt;
use crate::host::Host;
use crate::input::{Input, is_stdin};
use crate::output;
use crate::replace::replace;

/// Refuses what would print two documents to standard output.
pub(super) fn refuse_mixtures(arguments: &Check) -> Result<(), Halt> {
    if !is_stdin(&arguments.plan.path) {
        return Ok(());
    }
    let other = match arguments.format {
        Format::Sarif => "--format sarif",
        Format::Model => "--format model",
        Format::Pretty if arguments.grant => "--grant",
        Format::Pretty | Format::Json => return Ok(()),
    };
    Err(Halt::usage(format!(
        "`--fix` of standard input prints the fixed text, and `{other}` would print beside it"
    ))
    .help("write the plan to a file first"))
}

/// Fixes the document, saves it where it came from, and shows the difference.
///
/// Gives what a report in JSON says about it.
pub(super) fn fix(
    subject: &mut Subject,
    host: &Host,
    arguments: &Check,
) -> Result<Map<String, Value>, Halt> {
    let path = &arguments.plan.path;
    // what is no text has nothing to fix
    let before = subject.input.text();
    let is_text = before.as_bytes() == subject.input.bytes;
    let options = subject.options_under(host);
    let (after, applied) = if is_text && subject.document.is_some() {
        let Fixed { text, applied, .. } =
            planwright::validate::fix(&before, &options, &host.context());
        (text, applied)
    } else {
        (before.clone(), Vec::new())
    };
    let diff = difference(&subject.input.name, &before, &after);
    if !is_stdin(path) && after != before {
        replace(Path::new(path), before.as_bytes(), after.as_bytes())?;
    }
    match arguments.format {
        Format::Pretty if !is_stdin(path) => output::print_unless_empty(&diff),
        _ => output::say_unless_empty(&diff),
    }
    if is_stdin(path) && arguments.format == Format::Pretty {
        output::print_document(&after);
    }
    let mut report = Map::new();
    let fixes = applied
        .iter()
        .map(|fix| json!({ "code": fix.code, "pointer": fix.pointer, "title": fix.title }));
    report.insert("fixed".to_owned(), fixes.collect());
    if is_stdin(path) {
        report.insert("fixed_text".to_owned(), after.clone().into());
    }
    if after != before {
        let input = Input {
            name: subject.input.name.clone(),
            bytes: after.into_bytes(),
        };
        *subject = Subject::of(&arguments.plan, input);
    }
    Ok(report)
}

/// The difference in the unified form; nothing where there is none.
fn difference(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let diff = TextDiff::from_lines(before, after);
    let mut unified = diff.unified_diff();
    unified.context_radius(3).header(name, name).to_string()
}
