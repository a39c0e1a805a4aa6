//! Values and texts that may hold references, and expressions.

use std::collections::BTreeMap;

use super::name::holds_reference;
use super::quote::in_quotes;
use super::{Decoder, Place, SharedNames};
use crate::document::string::source_offset;
use crate::document::tree::NodeRef;
use crate::document::{ProblemKind, Span};
use crate::{Expression, Names, Pointer, Reference, ReferenceError, SecretName, StepId, Template};

/// The most bytes that are marked of a reference that nothing closes.
const LONGEST_MARKED: usize = 256;

/// What the parser of references asks and tells.
struct Heard<'s> {
    steps: &'s BTreeMap<String, StepId>,
    names: &'s SharedNames,
    environment: Vec<(Pointer, SecretName)>,
    /// Malformed references beyond those that are told one by one.
    further: usize,
}

/// The most reads of the environment that one value is heard of.
const MOST_HEARD: usize = 1_000;

impl Names for Heard<'_> {
    /// A name that no step can have is still a name: the rule about unknown steps has candidates for it.
    fn step(&mut self, name: &str) -> Option<StepId> {
        let known = self.steps.get(name).cloned();
        known.or_else(|| (!name.is_empty()).then(|| self.names.name(name)))
    }

    fn environment(&mut self, pointer: &Pointer, name: &SecretName) {
        if self.environment.len() < MOST_HEARD {
            self.environment.push((pointer.clone(), name.clone()));
        }
    }

    fn further(&mut self, count: usize) {
        self.further += count;
    }
}

impl Decoder {
    /// Any value, in which strings may hold references.
    pub(crate) fn template(&mut self, at: &Place<'_, '_>) -> Template {
        self.note_inexact(at);
        self.refuse_references_in_keys(at);
        let (parsed, environment, further) = {
            let mut heard = self.heard();
            let parsed = Template::parse_with(at.node.to_value(), &mut heard);
            (parsed, heard.environment, heard.further)
        };
        self.note_environment(at, environment);
        self.problems.count_further(further);
        parsed.unwrap_or_else(|errors| {
            self.stand_in(at);
            for (pointer, error) in errors {
                self.malformed(at, &pointer, error);
            }
            Template::Literal(at.node.to_value())
        })
    }

    /// A text that may hold references.
    pub(crate) fn text_template(&mut self, at: Option<Place<'_, '_>>) -> Option<Template> {
        let at = at?;
        if at.node.as_text().is_none() {
            self.wrong_shape(&at, "text", &[]);
            return None;
        }
        Some(self.template(&at))
    }

    /// An object of values that may hold references.
    pub(crate) fn templates(
        &mut self,
        at: Option<Place<'_, '_>>,
        what: &str,
        each: fn(&mut Self, &Place<'_, '_>) -> Template,
    ) -> BTreeMap<String, Template> {
        let mut map = BTreeMap::new();
        let Some(at) = at else { return map };
        if !at.is_object() {
            self.wrong_shape(&at, what, &[]);
        }
        for (key, place) in at.members() {
            self.refuse_reference_in_key(&place, key);
            let value = each(self, &place);
            map.entry(key.text().to_owned()).or_insert(value);
        }
        map
    }

    /// What a fan-out may name as its list.
    pub(crate) fn list_source(&mut self, at: Option<Place<'_, '_>>) -> Option<Reference> {
        let at = at?;
        let Some(text) = at.node.as_text() else {
            self.wrong_shape(&at, "a reference to a list, such as `step.output`", &[]);
            return None;
        };
        let (parsed, environment) = {
            let mut heard = self.heard();
            let parsed = Reference::parse_list_source(text, &mut heard);
            (parsed, heard.environment)
        };
        self.note_environment(&at, environment);
        parsed
            .map_err(|error| {
                self.stand_in(&at);
                self.malformed(&at, &Pointer::root(), error);
            })
            .ok()
    }

    /// A condition's expression.
    pub(crate) fn expression(&mut self, at: Option<Place<'_, '_>>) -> Option<Expression> {
        let at = at?;
        let Some(text) = at.node.as_text() else {
            self.wrong_shape(&at, "an expression, as text", &[]);
            return None;
        };
        Expression::parse(text, &self.limits)
            .map_err(|error| {
                self.stand_in(&at);
                let span = within(at.node, error.range.start, error.range.end);
                self.report_within(&at, span, ProblemKind::InvalidExpression { error });
            })
            .ok()
    }

    fn heard(&self) -> Heard<'_> {
        Heard {
            steps: &self.step_names,
            names: &self.names,
            environment: Vec::new(),
            further: 0,
        }
    }

    fn note_environment(&mut self, at: &Place<'_, '_>, heard: Vec<(Pointer, SecretName)>) {
        for (pointer, name) in heard {
            if !self.problems.has_room_for_notes() {
                return;
            }
            let node = follow(at.node, &pointer);
            let kind = ProblemKind::EnvironmentReference {
                name: name.to_string(),
            };
            let pointer = concat(at.pointer(), &pointer);
            self.problems.note(kind, node.span(), pointer);
        }
    }

    fn malformed(&mut self, at: &Place<'_, '_>, pointer: &Pointer, error: ReferenceError) {
        if self.problems.is_full() {
            // its place would only be looked for to be thrown away
            self.problems.count_further(1);
            return;
        }
        let node = follow(at.node, pointer);
        let text = node.text();
        let rest = text.get(error.at..).unwrap_or_default();
        let near = rest
            .get(..rest.floor_char_boundary(LONGEST_MARKED))
            .unwrap_or_default();
        let end = error.at + near.find('}').map_or(near.len(), |found| found + 1);
        let span = within(node, error.at, end);
        let kind = ProblemKind::MalformedReference {
            in_quotes: in_quotes(text, error.at, &self.step_names),
            error,
        };
        self.problems
            .add(kind, span, || concat(at.pointer(), pointer));
    }

    fn refuse_references_in_keys(&mut self, at: &Place<'_, '_>) {
        for element in at.elements() {
            self.refuse_references_in_keys(&element);
        }
        for (key, member) in at.members() {
            self.refuse_reference_in_key(&member, key);
            self.refuse_references_in_keys(&member);
        }
    }

    fn refuse_reference_in_key(&mut self, member: &Place<'_, '_>, key: NodeRef<'_>) {
        if holds_reference(key.text()) {
            let kind = ProblemKind::MisplacedReference {
                place: "an object key",
            };
            self.report_within(member, key.span(), kind);
        }
    }
}

/// The node that a pointer leads to from another.
fn follow<'d>(from: NodeRef<'d>, pointer: &Pointer) -> NodeRef<'d> {
    pointer.segments().fold(from, |node, segment| {
        let element = || segment.parse().ok().and_then(|at| node.elements().nth(at));
        node.member(&segment).or_else(element).unwrap_or(node)
    })
}

/// Where some bytes of a string stand in the text.
fn within(node: NodeRef<'_>, start: usize, end: usize) -> Span {
    let span = node.span();
    let limit = span.end.saturating_sub(1);
    let at = |offset| (span.start + source_offset(node.source(), offset)).min(limit);
    Span {
        start: at(start),
        end: at(end.max(start)),
    }
}

fn concat(mut pointer: Pointer, tail: &Pointer) -> Pointer {
    tail.segments().for_each(|segment| pointer.push(segment));
    pointer
}
