//! The reader and the writer of documents.

mod cases;
mod laws;
mod planner;
mod problems;
mod schema;
mod strategy;

use plan_model::document::{DocumentKind, Parsed, Problem, Read, ReadOptions, parse, read};
use plan_model::{Limits, Pointer};

/// Reads a text that is JSON, with the problems of both phases.
fn read_text(text: &str) -> (Read, Vec<Problem>) {
    read_with(text, &ReadOptions::default())
}

fn read_with(text: &str, options: &ReadOptions) -> (Read, Vec<Problem>) {
    let Parsed {
        document, problems, ..
    } = parse(text.as_bytes(), &options.limits);
    let read = read(&document.expect("the text is JSON"), options);
    let all = problems.into_iter().chain(read.problems.clone()).collect();
    (read, all)
}

fn reading_as(kind: DocumentKind) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.kind = kind;
    options
}

/// Each problem as a line: where, the text there, what.
fn lines(text: &str, problems: &[Problem]) -> String {
    let line = |problem: &Problem| {
        let source = text.get(problem.span.start..problem.span.end).unwrap();
        let source: String = source.chars().take(40).collect();
        format!("{} {source} {:?}\n", problem.pointer, problem.kind)
    };
    problems.iter().map(line).collect()
}

/// The problems of a text, by both phases, as lines.
fn problems_of(text: &str) -> String {
    let parsed = parse(text.as_bytes(), &Limits::default());
    match &parsed.document {
        None => lines(text, &parsed.problems),
        Some(_) => lines(text, &read_text(text).1),
    }
}

/// A pointer whose segments need no escapes.
fn pointer(text: &str) -> Pointer {
    text.split('/')
        .skip(1)
        .fold(Pointer::root(), |pointer, segment| pointer.join(segment))
}

/// A native plan around some steps.
fn plan_of(steps: &str) -> String {
    plan_with(&format!(r#""steps": [{steps}]"#))
}

/// A native plan with some members beside `metadata` and `name`.
fn plan_with(members: &str) -> String {
    format!(
        r#"{{"metadata": {{"id": "3f2a8c1e-0b7d-4e55-9c7a-0d4b6a1f2e90", "version": 1,
            "created_at": "2026-01-31T12:00:00Z", "updated_at": "2026-01-31T12:00:00Z"}},
            "name": "p", {members}}}"#
    )
}

/// A step of a native plan.
fn step(id: &str, config: &str) -> String {
    format!(r#"{{"id": "{id}", "name": "s", "config": {config}}}"#)
}
