//! From a document to a plan.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{Plan, Pointer};

use super::bundle::read_bundle;
use super::decode::{Decoder, Place, read_plan};
use super::origin::Layout;
use super::planner::read_planner_list;
use super::{Document, DocumentKind, Origin, Problem, ProblemKind, ReadOptions};

/// A plan as far as it could be read.
#[derive(Debug)]
pub struct Read {
    /// The plan; stand-ins where something was not read. `None` when the document is no plan at all.
    pub plan: Option<Plan>,
    /// What the document turned out to be; never [`DocumentKind::Auto`].
    pub kind: DocumentKind,
    /// The first thousand problems of shape, in the order of the text.
    pub problems: Vec<Problem>,
    /// How many problems there were beyond these.
    pub further: usize,
    /// Places, in the *plan's* pointers, that hold a stand-in: nothing within them is worth a further word.
    pub unread: BTreeSet<Pointer>,
    /// How places of the plan are found in the document.
    pub origin: Origin,
    /// A bundle's tools: where they stand in the document, and the array as written.
    pub tools: Option<(Pointer, Value)>,
}

impl Read {
    /// Whether a place of the plan holds a stand-in, or is within one.
    pub fn is_unread(&self, pointer: &Pointer) -> bool {
        let mut at = pointer.clone();
        loop {
            if self.unread.contains(&at) {
                return true;
            }
            if at == Pointer::root() {
                return false;
            }
            at.pop();
        }
    }
}

/// Reads a plan from a document.
///
/// Every problem of shape is reported, not the first. What could not be read is
/// a stand-in in the plan and is listed in [`Read::unread`]; arrays keep their
/// length, so that indices of the plan and of the document agree. Linear in the
/// document, but for looking up names.
///
/// A plan with more steps than [`crate::Limits::steps`] is one problem and no plan.
pub fn read(document: &Document, options: &ReadOptions) -> Read {
    let root = Place::root(document.root());
    let kind = match options.kind {
        DocumentKind::Auto => kind_of(&root),
        kind => kind,
    };
    let layout = match kind {
        DocumentKind::Bundle => Layout::Bundle,
        DocumentKind::Planner => Layout::Planner,
        DocumentKind::Auto | DocumentKind::Plan => Layout::Plan,
    };
    let mut cx = Decoder::new(options, layout);
    let (mut plan, mut tools, mut origin) = (None, None, Origin::new(layout));
    if !root.is_object() {
        let expected = "a plan, a bundle or a planner's list, as an object";
        cx.wrong_shape(&root, expected, &[]);
    } else if layout == Layout::Bundle {
        (plan, tools) = read_bundle(&mut cx, &root);
    } else if steps_within_limit(&mut cx, &root) {
        if layout == Layout::Planner {
            let (list, steps) = read_planner_list(&mut cx, &root, options.edges);
            (plan, origin) = (Some(list), Origin::planner(steps));
        } else {
            plan = Some(read_plan(&mut cx, &root));
        }
    }
    let (problems, further) = cx.problems.finish();
    Read {
        plan,
        kind,
        problems,
        further,
        unread: cx.unread,
        origin,
        tools,
    }
}

/// Whether the plan at a place has no more steps than the limit; reports it otherwise.
pub(crate) fn steps_within_limit(cx: &mut Decoder, plan: &Place<'_, '_>) -> bool {
    let Some(steps) = plan.member("steps") else {
        return true;
    };
    let (actual, limit) = (steps.elements().count(), cx.limits.steps);
    if actual > limit {
        let what = "steps";
        cx.report(
            &steps,
            ProblemKind::TooLarge {
                what,
                actual,
                limit,
            },
        );
    }
    actual <= limit
}

/// What a document is, by its members.
fn kind_of(root: &Place<'_, '_>) -> DocumentKind {
    let has = |name| root.node.member(name).is_some();
    let step_has = |name| {
        root.member("steps").is_some_and(|steps| {
            steps
                .elements()
                .any(|step| step.node.member(name).is_some())
        })
    };
    if has("plan") {
        DocumentKind::Bundle
    } else if has("metadata") || has("format") || step_has("config") {
        DocumentKind::Plan
    } else if has("steps") || has("objective") || has("planner") {
        DocumentKind::Planner
    } else {
        DocumentKind::Plan
    }
}
