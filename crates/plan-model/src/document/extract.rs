//! Finds the JSON in a model's answer.

use crate::Limits;

use super::Span;
use super::parse::{Embedded, embedded};

/// Members that tell a plan, a bundle or a planner's list from other objects.
const TELLING: &[&str] = &["steps", "plan"];

/// Finds the JSON document in a model's answer: cuts prose and a fence around it.
///
/// Returns the byte range of the document, and what was cut, as a clause; `None`
/// when nothing but blanks was. Braces in prose and in strings mislead nothing:
/// only what reads as JSON counts, and of several plans the last one, which is
/// the one that a model settled on. Where no plan is found the range is what
/// was most likely meant as one, so that [`super::parse`] can say what is wrong
/// with it. The bytes in the range are never changed. Linear in the answer.
///
/// ```
/// use plan_model::document::extract_plan;
///
/// let answer = "Here {is} the plan:\n```json\n{\"steps\": []}\n```\n";
/// let (span, cut) = extract_plan(answer);
/// assert_eq!(&answer[span.start..span.end], "{\"steps\": []}");
/// assert_eq!(cut.unwrap(), "19 characters of prose before the document and the code fence around it");
/// ```
pub fn extract_plan(answer: &str) -> (Span, Option<String>) {
    let limits = Limits::default();
    let mut search = Search::default();
    search.run(answer, &limits, Resume::AfterFault);
    if search.plan.is_none() && !search.broken_plan {
        // a quote that opens in prose may have swallowed the beginning of the document
        search.run(answer, &limits, Resume::AfterStart);
    }
    let span = search
        .plan
        .or_else(|| search.broken.map(|start| up_to_last_brace(answer, start)))
        .or(search.largest)
        .unwrap_or_else(|| trimmed(answer));
    (span, cut(answer, span))
}

#[derive(Debug, Default)]
struct Search {
    /// The last plan.
    plan: Option<Span>,
    /// The largest other object.
    largest: Option<Span>,
    /// Where the broken object begins of which most could be read.
    broken: Option<usize>,
    broken_length: usize,
    /// Whether a broken object is a plan as far as it could be read.
    broken_plan: bool,
}

/// Where the search goes on after something that is no JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resume {
    /// Where reading failed: what is inside a broken object is no document of its own.
    AfterFault,
    /// At the next brace.
    AfterStart,
}

impl Search {
    fn run(&mut self, text: &str, limits: &Limits, resume: Resume) {
        // reading again and again must not cost more than a few readings of the text
        let mut budget = text.len().saturating_mul(4);
        let mut at = 0;
        while let Some(start) = next_object(text, at) {
            match embedded(text, start, TELLING, limits) {
                Embedded::Value { end, is_named } => {
                    let span = Span { start, end };
                    if is_named {
                        self.plan = Some(span);
                    } else if self
                        .largest
                        .is_none_or(|largest| length(span) > length(largest))
                    {
                        self.largest = Some(span);
                    }
                    at = end;
                }
                Embedded::Broken {
                    at: fault,
                    is_named,
                } => {
                    self.broken_plan |= is_named;
                    let read = fault.saturating_sub(start);
                    if self.broken.is_none() || read > self.broken_length {
                        (self.broken, self.broken_length) = (Some(start), read);
                    }
                    let Some(left) = budget.checked_sub(read) else {
                        return;
                    };
                    budget = left;
                    at = match resume {
                        Resume::AfterFault => fault.max(start + 1),
                        Resume::AfterStart => start + 1,
                    };
                }
            }
        }
    }
}

fn length(span: Span) -> usize {
    span.end.saturating_sub(span.start)
}

/// The next `{` that can begin an object: a quote or a `}` follows.
fn next_object(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        let found = at + bytes.get(at..)?.iter().position(|byte| *byte == b'{')?;
        let inside = bytes.get(found + 1..)?;
        let blanks = inside
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        match inside.get(blanks) {
            Some(b'"' | b'}') => return Some(found),
            // nothing opens within the blanks
            _ => at = found + 1 + blanks,
        }
    }
}

fn up_to_last_brace(text: &str, start: usize) -> Span {
    let rest = text.get(start..).unwrap_or_default();
    let end = rest
        .rfind('}')
        .map_or_else(|| rest.trim_end().len(), |brace| brace + 1);
    Span {
        start,
        end: start + end,
    }
}

fn trimmed(text: &str) -> Span {
    let start = text.len() - text.trim_start().len();
    Span {
        start,
        end: start + text.trim().len(),
    }
}

/// What stands around the document, as a clause.
fn cut(text: &str, span: Span) -> Option<String> {
    let before = text.get(..span.start).unwrap_or_default().trim();
    let after = text.get(span.end..).unwrap_or_default().trim();
    let opening = before.lines().next_back().filter(|line| is_fence(line));
    let is_fenced = opening.is_some() && after.starts_with("```");
    let (before, after) = if is_fenced {
        let fence = opening.map_or(0, str::len);
        let before = before.get(..before.len() - fence).unwrap_or_default();
        (before.trim(), after.trim_start_matches('`').trim())
    } else {
        (before, after)
    };
    let mut parts = Vec::new();
    if !before.is_empty() {
        parts.push(format!("{} before the document", characters(before)));
    }
    if !after.is_empty() {
        parts.push(format!("{} after the document", characters(after)));
    }
    if is_fenced {
        parts.push("the code fence around it".to_owned());
    }
    (!parts.is_empty()).then(|| parts.join(" and "))
}

fn characters(text: &str) -> String {
    match text.chars().count() {
        1 => "1 character of prose".to_owned(),
        count => format!("{count} characters of prose"),
    }
}

/// A line such as ```` ```json ````.
fn is_fence(line: &str) -> bool {
    line.trim_start()
        .strip_prefix("```")
        .is_some_and(|rest| rest.chars().all(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(answer: &str, document: &str, cut: Option<&str>) {
        let (span, said) = extract_plan(answer);
        assert_eq!(answer.get(span.start..span.end), Some(document));
        assert_eq!(said.as_deref(), cut);
    }

    #[test]
    fn a_bare_document_is_left_alone() {
        check("{\"steps\": []}", "{\"steps\": []}", None);
        check("\n {\"a\": 1}\n", "{\"a\": 1}", None);
        check("", "", None);
        check("no JSON here", "no JSON here", None);
    }

    #[test]
    fn prose_and_fences_are_cut() {
        check(
            "Sure!\n\n```json\n{\"steps\": [{\"tool\": \"a\"}]}\n```\nDone.",
            "{\"steps\": [{\"tool\": \"a\"}]}",
            Some(
                "5 characters of prose before the document and \
                 5 characters of prose after the document and the code fence around it",
            ),
        );
        check(
            "```\n{\"plan\": {}}\n```",
            "{\"plan\": {}}",
            Some("the code fence around it"),
        );
    }

    #[test]
    fn braces_in_prose_and_in_strings_mislead_nothing() {
        check(
            "Use {x} or {\"a\": 1} or {\"b: {\"steps\": [{\"tool\": \"} ```\"}]} and } or {",
            "{\"steps\": [{\"tool\": \"} ```\"}]}",
            Some(
                "27 characters of prose before the document and \
                 10 characters of prose after the document",
            ),
        );
    }

    #[test]
    fn of_several_plans_the_last_counts() {
        check(
            "{\"steps\": [1]} no: {\"steps\": [2]}",
            "{\"steps\": [2]}",
            Some("18 characters of prose before the document"),
        );
    }

    #[test]
    fn a_broken_document_is_found_whole() {
        check(
            "Plan: {\"steps\": [{\"steps\": []},]} ok",
            "{\"steps\": [{\"steps\": []},]}",
            Some(
                "5 characters of prose before the document and 2 characters of prose after the document",
            ),
        );
        check(
            "Plan: {\"steps\": [{\"tool\": ",
            "{\"steps\": [{\"tool\":",
            Some("5 characters of prose before the document"),
        );
    }

    #[test]
    fn many_braces_cost_little() {
        let answer = "{\"".repeat(50_000);
        let (span, _) = extract_plan(&answer);
        assert_eq!(span.start, 0);
    }
}
