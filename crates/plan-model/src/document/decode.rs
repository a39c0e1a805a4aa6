//! From nodes to the model: a toolkit of typed readers, and a file for each part of a plan.
//!
//! Every reader takes a place that may be absent, reports what is wrong there,
//! and answers `None` when there is nothing to use. Who asked puts a stand-in.

mod agent_call;
mod close;
mod code_call;
mod condition;
mod fan_in;
mod fan_out;
mod human_interaction;
mod input;
mod limits;
mod metadata;
mod name;
mod object;
mod output;
mod place;
mod plan;
mod prompt_call;
mod quote;
mod retry;
mod scalar;
mod shared;
mod step;
mod template;
mod tool_call;

use std::collections::{BTreeMap, BTreeSet};

use crate::id::{IMPORTED_MAX, NATIVE_MAX};
use crate::{Limits, Pointer, StepId};

use super::origin::Layout;
use super::problem::Problems;
use super::{NameLength, ProblemKind, ReadOptions, Span};

pub(crate) use object::Field;
pub(crate) use place::Place;
pub(crate) use plan::read_plan;
pub(crate) use scalar::describe;
pub(crate) use shared::SharedNames;
pub(crate) use tool_call::tool_name;

/// Stand-ins that are listed one by one; with more of them the whole plan counts as unread.
const UNREAD: usize = 1_000;

/// What one reading of a document gathers.
#[derive(Debug)]
pub(crate) struct Decoder {
    pub(crate) limits: Limits,
    pub(crate) problems: Problems,
    pub(crate) unread: BTreeSet<Pointer>,
    /// Steps by what references may call them beside their ids.
    pub(crate) step_names: BTreeMap<String, StepId>,
    pub(crate) names: SharedNames,
    layout: Layout,
    name_bytes: usize,
}

impl Decoder {
    pub(crate) fn new(options: &ReadOptions, layout: Layout) -> Self {
        let native = layout == Layout::Plan && options.names == NameLength::ByKind;
        Self {
            limits: options.limits,
            problems: Problems::default(),
            unread: BTreeSet::new(),
            step_names: BTreeMap::new(),
            names: SharedNames::new(),
            layout,
            name_bytes: if native { NATIVE_MAX } else { IMPORTED_MAX },
        }
    }

    /// Reports a problem with the value at a place.
    pub(crate) fn report(&mut self, at: &Place<'_, '_>, kind: ProblemKind) {
        self.report_within(at, at.node.span(), kind);
    }

    /// Reports a problem with a part of the text of the value at a place.
    pub(crate) fn report_within(&mut self, at: &Place<'_, '_>, span: Span, kind: ProblemKind) {
        self.problems.add(kind, span, || at.pointer());
    }

    /// Reports a value of the wrong shape, and that a stand-in takes its place.
    pub(crate) fn wrong_shape(
        &mut self,
        at: &Place<'_, '_>,
        expected: impl Into<String>,
        one_of: &[&str],
    ) {
        self.stand_in(at);
        // a number that is not exact was reported by the parser
        if !at.is_inexact() {
            let kind = ProblemKind::WrongShape {
                expected: expected.into(),
                one_of: one_of.iter().map(ToString::to_string).collect(),
                actual: describe(at.node),
            };
            self.report(at, kind);
        }
    }

    /// Notes that the plan holds a stand-in for the value at a place.
    pub(crate) fn stand_in(&mut self, at: &Place<'_, '_>) {
        self.stand_in_at(&at.pointer());
    }

    /// Notes that the plan holds a stand-in for what a document's pointer leads to.
    pub(crate) fn stand_in_at(&mut self, pointer: &Pointer) {
        if self.unread.len() >= UNREAD {
            self.unread.clear();
            self.unread.insert(Pointer::root());
        }
        if !self.unread.contains(&Pointer::root()) {
            self.unread.insert(self.layout.to_plan(pointer));
        }
    }

    /// Whether a stand-in was noted for exactly this place.
    pub(crate) fn is_stand_in(&self, at: &Place<'_, '_>) -> bool {
        self.unread.contains(&self.layout.to_plan(&at.pointer()))
    }

    /// Reads each element of an array; nothing when it is absent or no array.
    pub(crate) fn list<'d, T>(
        &mut self,
        at: Option<Place<'d, '_>>,
        what: &str,
        mut each: impl FnMut(&mut Self, &Place<'d, '_>) -> T,
    ) -> Vec<T> {
        let Some(at) = at else { return Vec::new() };
        if !at.is_array() {
            self.wrong_shape(&at, format!("an array of {what}"), &[]);
        }
        let mut list = Vec::with_capacity(at.elements().count());
        list.extend(at.elements().map(|element| each(self, &element)));
        list
    }
}
