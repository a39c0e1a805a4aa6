//! Documents as they come in: files, standard input, and values on the command line.

use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

use planwright::model::Limits;
use planwright::model::document::{
    Document, DocumentKind, EdgePolicy, Parsed, ProblemKind, ReadOptions, parse,
};
use serde_json::{Map, Value};

use crate::args::{Edges, Kind, PlanArgs};
use crate::exit::Halt;

/// A document's bytes, and what to call it.
#[derive(Debug)]
pub(crate) struct Input {
    /// The path as given, or `standard input`.
    pub(crate) name: String,
    /// No more than one byte over the limit.
    pub(crate) bytes: Vec<u8>,
}

impl Input {
    /// Reads a file, or standard input for `-`, as far as the limit of documents.
    pub(crate) fn read(path: &Path, limits: &Limits) -> Result<Self, Halt> {
        let most = (limits.document_bytes as u64).saturating_add(1);
        let mut bytes = Vec::new();
        if is_stdin(path) {
            stdin()
                .lock()
                .take(most)
                .read_to_end(&mut bytes)
                .map_err(|error| Halt::usage(format!("could not read standard input: {error}")))?;
            return Ok(Self {
                name: "standard input".to_owned(),
                bytes,
            });
        }
        let name = path.display().to_string();
        let failed = |error| Halt::usage(format!("could not read `{name}`: {error}"));
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            return Err(Halt::usage(format!("`{name}` is a directory")));
        }
        file.take(most).read_to_end(&mut bytes).map_err(failed)?;
        Ok(Self { name, bytes })
    }

    /// The text, for the excerpts of a report.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Whether a path stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// How to read the plan that the command line names.
pub(crate) fn read_options(plan: &PlanArgs, limits: Limits) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.kind = match plan.kind {
        Kind::Auto => DocumentKind::Auto,
        Kind::Plan => DocumentKind::Plan,
        Kind::Bundle => DocumentKind::Bundle,
        Kind::Planner => DocumentKind::Planner,
    };
    options.edges = match plan.edges {
        Edges::Position => EdgePolicy::Position,
        Edges::Dataflow => EdgePolicy::DataFlow,
    };
    options.limits = limits;
    options
}

/// Reads one JSON value, as strictly as a plan.
pub(crate) fn json_value(text: &[u8], limits: &Limits) -> Result<Value, String> {
    let Parsed {
        document, problems, ..
    } = parse(text, limits);
    if let Some(problem) = problems.first() {
        return Err(said(&problem.kind));
    }
    document
        .as_ref()
        .map(Document::to_value)
        .ok_or_else(|| "the text is not JSON".to_owned())
}

/// Reads one JSON object.
pub(crate) fn json_object(text: &[u8], limits: &Limits) -> Result<Map<String, Value>, String> {
    match json_value(text, limits)? {
        Value::Object(object) => Ok(object),
        _ => Err("the text is JSON but not an object".to_owned()),
    }
}

fn said(problem: &ProblemKind) -> String {
    match problem {
        ProblemKind::InvalidJson { message } => message.clone(),
        ProblemKind::DuplicateKey { key, .. } => format!("the key `{key}` stands there twice"),
        ProblemKind::InexactNumber { text } => {
            format!("the number `{text}` cannot be held exactly")
        }
        ProblemKind::TooLarge {
            what,
            actual,
            limit,
        } => format!("it has {actual} {what}, over the limit of {limit}"),
        _ => "the text is not JSON".to_owned(),
    }
}
