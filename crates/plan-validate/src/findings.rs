//! Where rules put what they find, and how that becomes a report.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use plan_model::document::{Document, Origin};
use plan_model::edit::Edit;
use plan_model::{Plan, Pointer, StepId};

use crate::finding::{Code, Finding, Severity};

/// What rules find, in the order in which they find it.
///
/// Pointers are the *plan's*: `/steps/3/config/arguments/url`, whatever
/// document the plan was read from. [`Findings::finish`] translates them.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    found: Vec<Finding>,
    keep: usize,
}

/// How findings of a plan are told in the terms of its document.
#[derive(Debug)]
pub(crate) struct Telling<'a> {
    pub(crate) plan: Option<&'a Plan>,
    pub(crate) origin: &'a Origin,
    pub(crate) unread: &'a BTreeSet<Pointer>,
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
    /// A sink whose report holds at most `keep` findings.
    pub(crate) fn new(keep: usize) -> Self {
        Self {
            found: Vec::new(),
            keep,
        }
    }

    /// Takes a finding whose pointers are the plan's.
    pub(crate) fn add(&mut self, finding: Finding) {
        self.found.push(finding);
    }

    /// Tells the findings in the document's terms: those inside unread places are left out, since
    /// a problem of the reader already speaks of them.
    pub(crate) fn tell(&mut self, telling: &Telling<'_>) {
        let unread: HashSet<&str> = telling.unread.iter().map(Pointer::as_str).collect();
        self.found.retain_mut(|finding| {
            if !unread.is_empty() && is_inside(&unread, &finding.pointer) {
                return false;
            }
            if finding.step.is_none() {
                finding.step = step_of(telling.plan, &finding.pointer);
            }
            finding.pointer = telling.origin.locate(&finding.pointer);
            for related in &mut finding.related {
                related.pointer = telling.origin.locate(&related.pointer);
            }
            for suggestion in &mut finding.suggestions {
                if let Some(Edit::Set { pointer, .. } | Edit::Remove { pointer }) =
                    &mut suggestion.edit
                {
                    *pointer = telling.origin.locate(pointer);
                }
            }
            true
        });
    }

    /// Takes findings that already are in the document's terms.
    pub(crate) fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        self.found.extend(findings);
    }

    /// Applies the policy's severities, then orders, dedups and caps.
    ///
    /// The heaviest are kept; what is kept is ordered by pointer, then code.
    pub(crate) fn finish(
        mut self,
        document: Option<&Document>,
        severities: &BTreeMap<Code, Option<Severity>>,
    ) -> Report {
        self.found
            .retain_mut(|finding| match severities.get(&finding.code) {
                // INVARIANT: what refuses a plan guards a promise, and policy cannot weaken it
                _ if finding.severity == Severity::Error => true,
                Some(Some(severity)) => {
                    finding.severity = *severity;
                    true
                }
                Some(None) => false,
                None => true,
            });
        let refused = self
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
        let truncated = self.found.len().saturating_sub(self.keep);
        self.found.truncate(self.keep);
        self.found
            .sort_by(|a, b| (&a.pointer, a.code).cmp(&(&b.pointer, b.code)));
        if let Some(document) = document {
            for finding in &mut self.found {
                finding.place(document, None);
            }
        }
        Report {
            findings: self.found,
            truncated,
            refused,
        }
    }
}

fn is_inside(unread: &HashSet<&str>, pointer: &Pointer) -> bool {
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
