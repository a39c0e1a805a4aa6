//! Where rules put what they find, and how that becomes a report.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use plan_model::document::{Document, Origin};
use plan_model::edit::Edit;
use plan_model::{Plan, Pointer, StepId};

use crate::finding::{Applicability, Code, Finding, Severity};

/// What rules find, in the order in which they find it.
///
/// Pointers are the *plan's*: `/steps/3/config/arguments/url`, whatever
/// document the plan was read from. [`Findings::finish`] translates them.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    found: Vec<Finding>,
    keep: usize,
    severities: BTreeMap<Code, Option<Severity>>,
    /// Places of which a problem of the reader already speaks, as the plan's pointers.
    unread: HashSet<String>,
    /// Findings that are only counted: the lightest and last of very many.
    dropped: usize,
    refused: bool,
}

/// So many findings are held before those that no report would show are let go.
const HELD: usize = 4_096;

/// How findings of a plan are told in the terms of its document.
#[derive(Debug)]
pub(crate) struct Telling<'a> {
    pub(crate) plan: Option<&'a Plan>,
    pub(crate) origin: &'a Origin,
}

/// Findings in their final order, capped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Report {
    pub(crate) findings: Vec<Finding>,
    /// How many more there were.
    pub(crate) truncated: usize,
    /// Whether any of all of them refuses the document.
    pub(crate) refused: bool,
}

impl Findings {
    /// A sink whose report holds at most `keep` findings, of the severities that a policy gives them.
    pub(crate) fn new(keep: usize, severities: &BTreeMap<Code, Option<Severity>>) -> Self {
        Self {
            keep,
            severities: severities.clone(),
            ..Self::default()
        }
    }

    /// Leaves out what is inside unread places, since a problem of the reader already speaks of them.
    #[must_use]
    pub(crate) fn beside(mut self, unread: &BTreeSet<Pointer>) -> Self {
        self.unread = unread.iter().map(|at| at.as_str().to_owned()).collect();
        self
    }

    /// Takes a finding whose pointers are the plan's.
    ///
    /// Very many are not held: memory is bounded, and the rest is counted.
    pub(crate) fn add(&mut self, finding: Finding) {
        if is_inside(&self.unread, &finding.pointer) {
            return;
        }
        self.found.push(finding);
        if self.found.len() >= self.keep.saturating_mul(2).max(HELD) {
            self.settle();
        }
    }

    /// Tells the findings in the document's terms.
    pub(crate) fn tell(&mut self, telling: &Telling<'_>) {
        for finding in &mut self.found {
            if finding.step.is_none() {
                finding.step = step_of(telling.plan, &finding.pointer);
            }
            finding.pointer = telling.origin.locate(&finding.pointer);
            for related in &mut finding.related {
                related.pointer = telling.origin.locate(&related.pointer);
            }
            for suggestion in &mut finding.suggestions {
                let Some(edit) = &mut suggestion.edit else {
                    continue;
                };
                let (Edit::Set { pointer, .. } | Edit::Remove { pointer }) = edit;
                if let Some(place) = telling.origin.locate_edit(pointer) {
                    suggestion.step = step_of(telling.plan, pointer);
                    *pointer = place;
                } else {
                    suggestion.edit = None;
                    suggestion.applicability = Applicability::MaybeIncorrect;
                }
            }
        }
    }

    /// Takes findings that already are in the document's terms.
    pub(crate) fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        self.found.extend(findings);
    }

    /// Applies the policy's severities, then orders, dedups and caps.
    ///
    /// The heaviest are kept; what is kept is ordered by pointer, then code.
    pub(crate) fn finish(mut self, document: Option<&Document>) -> Report {
        self.settle();
        self.found
            .sort_by(|a, b| (&a.pointer, a.code).cmp(&(&b.pointer, b.code)));
        for finding in &mut self.found {
            finding.redact();
            if let Some(document) = document {
                finding.place(document, None);
            }
        }
        Report {
            findings: self.found,
            truncated: self.dropped,
            refused: self.refused,
        }
    }

    /// Keeps the heaviest, the first of them by place and code, and counts the others.
    fn settle(&mut self) {
        self.found
            .retain_mut(|finding| match self.severities.get(&finding.code) {
                // INVARIANT: what refuses a plan guards a promise, and policy cannot weaken it
                _ if finding.severity == Severity::Error => true,
                Some(Some(severity)) => {
                    finding.severity = *severity;
                    true
                }
                Some(None) => false,
                None => true,
            });
        self.refused |= self
            .found
            .iter()
            .any(|finding| finding.severity == Severity::Error);
        let mut seen = HashSet::new();
        self.found.retain(|finding| {
            seen.insert((
                finding.code,
                finding.pointer.clone(),
                finding.message.clone(),
            ))
        });
        // findings of one place and code stay in the order in which their rule found them
        self.found.sort_by(|a, b| {
            (a.severity, &a.pointer, a.code).cmp(&(b.severity, &b.pointer, b.code))
        });
        self.dropped += self.found.len().saturating_sub(self.keep);
        self.found.truncate(self.keep);
    }
}

fn is_inside(unread: &HashSet<String>, pointer: &Pointer) -> bool {
    if unread.is_empty() {
        return false;
    }
    let mut text = pointer.as_str();
    loop {
        if unread.contains(text) {
            return true;
        }
        match text.rfind('/').and_then(|at| text.get(..at)) {
            Some(shorter) => text = shorter,
            None => return false,
        }
    }
}

/// The step that a pointer of the plan leads into.
pub(crate) fn step_of(plan: Option<&Plan>, pointer: &Pointer) -> Option<StepId> {
    let mut segments = pointer.segments().skip_while(|segment| segment == "plan");
    if segments.next().as_deref() != Some("steps") {
        return None;
    }
    let index: usize = segments.next()?.parse().ok()?;
    plan?.steps.get(index).map(|step| step.id.clone())
}

/// Whether a pointer leads into the default of a sensitive input.
pub(crate) fn is_sensitive(plan: Option<&Plan>, pointer: &Pointer) -> bool {
    let mut segments = pointer.segments().skip_while(|segment| segment == "plan");
    let (Some(list), Some(index), Some(field)) =
        (segments.next(), segments.next(), segments.next())
    else {
        return false;
    };
    let input = index
        .parse()
        .ok()
        .and_then(|index: usize| plan?.inputs.get(index));
    list == "inputs" && field == "default" && input.is_some_and(|input| input.sensitive)
}
