//! Findings for people: each with the part of the source that it is about.

mod change;

use annotate_snippets::{
    AnnotationKind, Group, Level, Origin, Renderer, Snippet, renderer::DecorStyle,
};

use plan_model::Pointer;

use super::{excerpt, hidden};
use crate::finding::{Expected, Finding, FindingSpan, Severity};
use crate::text;
use change::Source;

/// Whether a report is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colour {
    /// Plain text.
    #[default]
    Never,
    /// With terminal colours.
    Always,
}

/// The findings with the parts of the source that they are about, one after the other.
///
/// `source_name` is what the text is called, such as its path. The same findings give the same text.
/// A suggested edit is shown as the lines that it changes. Lines of any length are cut around the place,
/// and control characters of the source do not get through; nor do credentials and the defaults of
/// sensitive inputs.
#[must_use]
pub fn pretty(
    findings: &[Finding],
    source_name: &str,
    source_text: &str,
    colour: Colour,
) -> String {
    let renderer = match colour {
        Colour::Never => Renderer::plain(),
        Colour::Always => Renderer::styled(),
    };
    let shown = hidden::hide(source_text);
    let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(140);
    let mut report = String::new();
    let source = Source::new(source_name, source_text, &shown);
    for finding in findings {
        let groups = groups(finding, &source);
        report.push_str(&renderer.render(&groups));
        report.push_str("\n\n");
    }
    report
}

fn groups<'a>(finding: &'a Finding, source: &Source<'a>) -> Vec<Group<'a>> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = level
        .primary_title(finding.message.as_str())
        .id(finding.code.as_str())
        .elements(Vec::<Origin<'_>>::new());
    group = place(group, finding.span.as_ref(), source, finding.name);
    if finding.span.is_none() {
        group = group.element(Level::NOTE.message(at(&finding.pointer)));
    }
    if let Some(expected) = &finding.expected {
        group = group.element(Level::HELP.message(words(expected)));
    }
    let mut changes = Vec::new();
    for suggestion in &finding.suggestions {
        match change::of(suggestion, source) {
            Some(change) => changes.push(change),
            None => group = group.element(Level::HELP.message(suggestion.title.as_str())),
        }
    }
    let mut groups = vec![group];
    for related in finding.related.iter().take(5) {
        let group = Group::with_title(Level::NOTE.secondary_title(related.note.as_str()));
        groups.push(match &related.span {
            Some(span) => place(group, Some(span), source, ""),
            None => group.element(Level::NOTE.message(at(&related.pointer))),
        });
    }
    if let Some(more) = finding.related.len().checked_sub(6) {
        let note = format!("and {} more places", more + 1);
        groups.push(Group::with_title(Level::NOTE.secondary_title(note)));
    }
    groups.extend(changes);
    groups
}

fn place<'a>(
    group: Group<'a>,
    span: Option<&FindingSpan>,
    source: &Source<'a>,
    label: &'a str,
) -> Group<'a> {
    let Some(span) = span else { return group };
    let excerpt = excerpt::cut(source.shown, span.start..span.end);
    let mut annotation = AnnotationKind::Primary.span(excerpt.place);
    if !label.is_empty() {
        annotation = annotation.label(label);
    }
    let snippet = Snippet::source(excerpt.text)
        .line_start(span.line)
        .annotation(annotation);
    if excerpt.is_shifted {
        let origin = Origin::path(source.name)
            .line(span.line)
            .char_column(span.column);
        group.element(origin).element(snippet)
    } else {
        group.element(snippet.path(source.name))
    }
}

/// A place of which no text is known.
fn at(pointer: &Pointer) -> String {
    if pointer.as_str().is_empty() {
        "at the whole document".to_owned()
    } else {
        format!("at `{pointer}`")
    }
}

fn words(expected: &Expected) -> String {
    match expected {
        Expected::Type(words) => format!("expected {words}"),
        Expected::OneOf(names) => match names.as_slice() {
            [] => "nothing can stand here".to_owned(),
            [one] => format!("only {} can stand here", text::quoted(one)),
            names => format!("one of {}", text::listed(names)),
        },
        Expected::Range(words) => format!("expected {words}"),
        Expected::Schema(schema) => {
            format!(
                "expected a value of the schema {}",
                text::quoted(schema.to_string())
            )
        }
    }
}
