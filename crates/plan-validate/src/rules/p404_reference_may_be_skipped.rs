//! P404 reference-may-be-skipped: a step that runs although what it reads may not have run.
//!
//! That is so under `join: any` and `settled` alone. A reference with `??` says what to read instead, which may be
//! absent in the same run; a plan output is read whatever ran.

mod choices;

use plan_model::{Join, Reference, Segment, StepConfig};
use serde_json::Value;

use super::{name, place};
use crate::facts::{Atom, Facts, Mask, Site, Sweep, Use, assured};
use crate::finding::{Finding, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::{listed, quoted};

pub(super) const RULE: Rule = Rule::new(
    "P404",
    "reference-may-be-skipped",
    Severity::Warning,
    include_str!("../../rules/P404-reference-may-be-skipped.md"),
    Check::Plan(check),
);

/// A reference of a step that does not wait for the success of what it reads.
#[derive(Debug, Clone, Copy)]
struct Candidate<'f, 'a> {
    read: &'f Use<'a>,
    /// The step that reads.
    step: usize,
    /// The step or the fan-out around it whose join decides.
    joins: usize,
    /// The step that is read.
    source: usize,
}

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    if facts.graph.order().is_none() {
        return;
    }
    let mut candidates = candidates(facts);
    if !candidates.is_empty() {
        let assured = assured(facts);
        candidates.retain(|it| !assured.get(it.source).copied().unwrap_or(false));
        retain_uncertain(facts, &mut candidates);
    }
    for candidate in &candidates {
        findings.add(of_step(facts, candidate));
    }
    choices::check(facts, findings);
}

fn candidates<'f, 'a>(facts: &'f Facts<'a>) -> Vec<Candidate<'f, 'a>> {
    let mut found = Vec::new();
    for read in &facts.uses {
        let (Some(step), true) = (read.step, !read.is_choice()) else {
            continue;
        };
        let is_strict = facts.join(step) == Some(Join::All);
        if is_strict && facts.owner(step).is_none() {
            continue;
        }
        let Some(source) = read.source() else {
            continue;
        };
        let Some(joins) = joins(facts, step, source) else {
            continue;
        };
        let join = facts.join(joins).unwrap_or_default();
        let alone = join == Join::Any && facts.graph.dependencies(joins).len() == 1;
        let asks_itself = read.site == Site::Expression && asks_for_null(facts, step, read);
        if join != Join::All && !alone && !asks_itself {
            found.push(Candidate {
                read,
                step,
                joins,
                source,
            });
        }
    }
    found
}

/// The step, or the fan-out around it, that waits for what is read.
fn joins(facts: &Facts<'_>, step: usize, source: usize) -> Option<usize> {
    let around = std::iter::successors(Some(step), |step| facts.owner(*step));
    around
        .take(facts.limits.depth.saturating_add(1))
        .find(|at| facts.graph.dependencies(*at).binary_search(&source).is_ok())
}

/// Whether a condition comes to both of its results with null too: then it says what null means.
fn asks_for_null(facts: &Facts<'_>, step: usize, read: &Use<'_>) -> bool {
    with_null(facts, step, read.reference).is_some_and(|outcomes| outcomes.holds || outcomes.fails)
}

fn with_null(
    facts: &Facts<'_>,
    step: usize,
    reference: &Reference,
) -> Option<plan_model::Outcomes> {
    match &facts.step(step)?.config {
        StepConfig::Condition(condition) => Some(
            condition
                .expression
                .outcomes(&|other| (other == reference).then_some(Value::Null)),
        ),
        _ => None,
    }
}

/// Leaves what is not certain to have succeeded when the reading step starts.
fn retain_uncertain(facts: &Facts<'_>, candidates: &mut Vec<Candidate<'_, '_>>) {
    let mut sources: Vec<usize> = candidates.iter().map(|it| it.source).collect();
    sources.sort_unstable();
    sources.dedup();
    let mut sweep = Sweep::new(facts, &[], &facts.certain().untaken);
    for batch in sources.chunks(64) {
        let atoms: Vec<Atom> = batch.iter().copied().map(Atom::Success).collect();
        let mut certain: Vec<(usize, usize)> = Vec::new();
        sweep.run(&atoms, &mut |step, mask: Mask| {
            let bits = batch.iter().enumerate();
            let holds = bits.filter(|(bit, _)| mask.holds >> bit & 1 == 1);
            certain.extend(holds.map(|(_, source)| (step, *source)));
        });
        certain.sort_unstable();
        candidates.retain(|it| certain.binary_search(&(it.joins, it.source)).is_err());
    }
}

fn of_step(facts: &Facts<'_>, candidate: &Candidate<'_, '_>) -> Finding {
    let read = candidate.read;
    let why = refuses_null(facts, candidate);
    let is_choice = !read.reference.otherwise().is_empty();
    let message = format!(
        "{} runs even where {} did not, and {} is null then{}",
        name::of(facts, candidate.step),
        if is_choice {
            format!(
                "none of {}",
                listed(read.reference.steps().map(plan_model::StepId::as_str))
            )
        } else {
            name::of(facts, candidate.source)
        },
        quoted(read.reference.to_string()),
        why.as_deref()
            .map_or_else(String::new, |why| format!(", which {why}")),
    );
    let severity = if why.is_some() {
        Severity::Error
    } else {
        Severity::Warning
    };
    RULE.at(read.pointer(), message)
        .severity(severity)
        .related(
            place::step(candidate.joins).join("join"),
            "it does not wait for the success of all",
        )
        .help(otherwise(read.reference))
}

/// How a reference goes on to something that is there.
fn otherwise(reference: &Reference) -> String {
    let paths: Vec<String> = reference.paths().map(ToString::to_string).collect();
    format!(
        "say what to read instead: `${{{} ?? …}}`",
        paths.join(" ?? ")
    )
}

/// What cannot take null, as a clause after "which".
fn refuses_null(facts: &Facts<'_>, candidate: &Candidate<'_, '_>) -> Option<String> {
    let read = candidate.read;
    match read.site {
        Site::Over => Some(format!(
            "{} cannot take for a list",
            name::of(facts, candidate.step)
        )),
        Site::Expression => {
            let outcomes = with_null(facts, candidate.step, read.reference)?;
            let none = !outcomes.holds && !outcomes.fails;
            none.then(|| "leaves the expression without a value".to_owned())
        }
        Site::Argument(argument) if read.whole => {
            let taken = facts.tool(candidate.step)?.argument(argument)?;
            let way: Vec<Segment> = read.within.segments().map(|s| segment(&s)).collect();
            // null for an optional argument is dropped
            let given = taken.required || !way.is_empty();
            let shape = taken.shape.at(&way).ok()?;
            (given && !shape.may_be_null())
                .then(|| format!("the argument {} does not take", quoted(argument)))
        }
        _ => None,
    }
}

fn segment(text: &str) -> Segment {
    text.parse()
        .map_or_else(|_| Segment::Name(text.to_owned()), Segment::Index)
}
