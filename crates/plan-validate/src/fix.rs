//! Fixing: the suggestions that a machine may apply, applied to the text.

use std::collections::BTreeSet;

use plan_model::Pointer;
use plan_model::document::{self, Document, ReadOptions};
use plan_model::edit::{self, Edit};

use crate::check::{Context, PlanRejected, check_parsed};
use crate::finding::{Applicability, Code, Finding};
use crate::validated::ValidatedPlan;

/// Rounds of checking and applying; one fix may bring another to light.
const MOST_ROUNDS: usize = 32;

/// Findings of a round that are looked through for fixes.
const MOST_FINDINGS: usize = 4_096;

/// A text after every fix that a machine may make, and what the check says of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fixed {
    /// The text; what no fix is about is as it was written.
    pub text: String,
    /// What was done, in order.
    pub applied: Vec<Applied>,
    /// The check of the new text.
    pub result: Result<ValidatedPlan, PlanRejected>,
}

/// One fix that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// The rule whose finding it mends.
    pub code: Code,
    /// Where, in the text before the round in which it was made.
    pub pointer: Pointer,
    /// What was done, in words.
    pub title: String,
}

/// Applies every machine-applicable suggestion to the text of a plan, a bundle or a planner's list.
///
/// Such an edit keeps the meaning of the plan; guesses are never applied. Edits are made in the text, so
/// that its layout stays. The rounds are repeated until no such suggestion is left. A text that cannot be
/// parsed is returned as it is.
///
/// ```
/// use plan_model::document::ReadOptions;
/// use plan_validate::{Context, Policy, ToolCatalog, fix};
///
/// let catalog = ToolCatalog::from_names(["search", "send"])?;
/// let policy = Policy::default();
/// let text = r#"{"steps": [
///   {"name": "find", "tool": "search"},
///   {"name": "tell", "tool": "send", "after": ["find",  "find"]}
/// ]}"#;
/// let fixed = fix(text, &ReadOptions::default(), &Context::new(&catalog, &policy));
/// assert!(fixed.text.contains(r#""after": ["find"]"#));
/// assert_eq!(fixed.applied[0].code, "P206");
/// assert!(fixed.result.is_ok_and(|plan| plan.warnings().is_empty()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fix(text: &str, options: &ReadOptions, cx: &Context<'_>) -> Fixed {
    let mut text = text.to_owned();
    let mut applied = Vec::new();
    let mut wide = *options;
    wide.limits.findings = MOST_FINDINGS;
    for _ in 0..MOST_ROUNDS {
        let parsed = document::parse(text.as_bytes(), &options.limits);
        let Some(document) = &parsed.document else {
            break;
        };
        let checked = check_parsed(&parsed, &wide, cx);
        let findings = match &checked {
            Ok(plan) => plan.warnings(),
            Err(rejected) => rejected.findings(),
        };
        let Some((edited, done)) = round(document, findings) else {
            break;
        };
        text = edited;
        applied.extend(done);
    }
    let parsed = document::parse(text.as_bytes(), &options.limits);
    let result = check_parsed(&parsed, options, cx);
    Fixed {
        text,
        applied,
        result,
    }
}

/// The text after the fixes that can be made together; `None` where there is none.
fn round(document: &Document, findings: &[Finding]) -> Option<(String, Vec<Applied>)> {
    let mut chosen: Vec<(&Edit, Applied)> = Vec::new();
    let mut places = BTreeSet::new();
    for finding in findings {
        let mut suggestions = finding.suggestions.iter();
        let edit = suggestions.find_map(|it| {
            let edit = it.edit.as_ref()?;
            (it.applicability == Applicability::MachineApplicable).then_some((edit, &it.title))
        });
        let Some((edit, title)) = edit else { continue };
        // of two that meet the later one waits for the next round
        if is_met(&places, edit.pointer()) {
            continue;
        }
        places.insert(edit.pointer());
        let applied = Applied {
            code: finding.code,
            pointer: finding.pointer.clone(),
            title: title.clone(),
        };
        chosen.push((edit, applied));
    }
    while !chosen.is_empty() {
        let edits: Vec<Edit> = chosen.iter().map(|(edit, _)| (*edit).clone()).collect();
        match edit::edited(document, &edits) {
            Ok(text) if text != document.text() => {
                return Some((
                    text,
                    chosen.into_iter().map(|(_, applied)| applied).collect(),
                ));
            }
            Ok(_) => return None,
            // what cannot be made together is made one after the other
            Err(_) if chosen.len() > 1 => chosen.truncate(1),
            Err(_) => return None,
        }
    }
    None
}

/// Whether a place is one of these, around one of them or inside of one.
fn is_met(places: &BTreeSet<&Pointer>, place: &Pointer) -> bool {
    let inside = places.range::<Pointer, _>(place..).next();
    let mut around = place.clone();
    while !around.as_str().is_empty() {
        around.pop();
        if places.contains(&around) {
            return true;
        }
    }
    inside.is_some_and(|other| other.is_within(place))
}
