//! References of which every way may be absent in one run, and plan outputs.
//!
//! That is told only where one result of one condition leaves out all that is read and yet lets the reader run:
//! what two conditions may come to together is not known.

use plan_model::{Join, OnError, Root};

use super::{Candidate, RULE, joins, of_step, otherwise};
use crate::facts::{Facts, Guard, Site, Use, assured, decided};
use crate::finding::{Finding, Severity};
use crate::findings::Findings;
use crate::rules::{name, place};
use crate::text::{listed, quoted};

/// What can be read of a choice and may be absent.
struct Choice {
    /// The steps, in the order of the choice.
    steps: Vec<usize>,
    /// Those that nothing but a result of a condition leaves out.
    guarded: Vec<usize>,
}

pub(super) fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let mut known = None;
    for read in &facts.uses {
        let is_output = read.step.is_none();
        if !is_output && !read.is_choice() {
            continue;
        }
        if read.step.is_some_and(|step| waits_for_all(facts, step)) {
            continue;
        }
        let assured: &[bool] = known.get_or_insert_with(|| assured(facts));
        let Some(choice) = choice(facts, read, assured) else {
            continue;
        };
        let finding = match read.site {
            Site::PlanOutput(output) => of_output(facts, read, output, &choice),
            _ => read
                .step
                .and_then(|step| of_reader(facts, read, step, &choice)),
        };
        if let Some(finding) = finding {
            findings.add(finding);
        }
    }
}

/// Whether neither the step nor anything around it runs without all that it waits for.
fn waits_for_all(facts: &Facts<'_>, step: usize) -> bool {
    let mut around = std::iter::successors(Some(step), |step| facts.owner(*step));
    around.all(|step| facts.join(step) == Some(Join::All))
}

/// What is read, where nothing of it is certain to be there.
fn choice(facts: &Facts<'_>, read: &Use<'_>, assured: &[bool]) -> Option<Choice> {
    let mut choice = Choice {
        steps: Vec::new(),
        guarded: Vec::new(),
    };
    for (path, step) in read.paths() {
        match &path.root {
            Root::Input(name) => {
                let (_, input) = facts.input(name.as_str())?;
                if input.required || input.default.is_some() {
                    return None;
                }
            }
            Root::Step(_) => {
                let step = step?;
                if assured.get(step).copied().unwrap_or(true) {
                    return None;
                }
                choice.steps.push(step);
                if facts.step(step)?.on_error != OnError::Continue {
                    choice.guarded.push(step);
                }
            }
            Root::Config(_) | Root::Item(_) | Root::Secret(_) => return None,
        }
    }
    (!choice.steps.is_empty()).then_some(choice)
}

/// The result of a condition that leaves out all of these steps, as the guard that they have in common, where
/// `may` the reader run with it.
fn common(facts: &Facts<'_>, steps: &[usize], may: &dyn Fn(Guard) -> bool) -> Option<Guard> {
    let guards = facts.guards();
    let (first, others) = steps.split_first()?;
    guards.around(facts, *first).find(|guard| {
        let has = |step: &usize| guards.around(facts, *step).any(|other| other == *guard);
        others.iter().all(has) && decided(facts, guard.condition).is_none() && may(*guard)
    })
}

/// A step that reads.
fn of_reader(facts: &Facts<'_>, read: &Use<'_>, step: usize, choice: &Choice) -> Option<Finding> {
    let source = *choice.steps.first()?;
    let reader = joins(facts, step, source)?;
    let elsewhere = |source: &usize| joins(facts, step, *source) != Some(reader);
    let join = facts.step(reader)?.join;
    if join == Join::All || choice.steps.iter().any(elsewhere) {
        return None;
    }
    // under `any` something else that the reader waits for must have run
    let guards = facts.guards();
    let has = |step: usize, guard: Guard| guards.around(facts, step).any(|other| other == guard);
    let further = |guard: Option<Guard>| {
        let dependencies = facts.graph.dependencies(reader).iter();
        let mut others = dependencies.filter(|dependency| !choice.steps.contains(dependency));
        join == Join::Settled || others.any(|other| guard.is_none_or(|guard| !has(*other, guard)))
    };
    if choice.guarded.is_empty() {
        if !further(None) {
            return None;
        }
    } else {
        common(facts, &choice.guarded, &|guard| {
            !has(reader, guard) && further(Some(guard))
        })?;
    }
    let candidate = Candidate {
        read,
        step,
        joins: reader,
        source,
    };
    Some(of_step(facts, &candidate))
}

/// Whether some plan output reads a step that runs only where the condition comes out the other way.
fn publishes_other(facts: &Facts<'_>, guard: Guard) -> bool {
    let mut outputs = facts
        .uses
        .iter()
        .rev()
        .take_while(|read| read.step.is_none());
    let is_other = |other: Guard| other.condition == guard.condition && other.side != guard.side;
    outputs.any(|read| {
        let mut steps = read.steps();
        steps.any(|step| facts.guards().around(facts, step).any(is_other))
    })
}

/// A plan output, which is read whatever ran.
fn of_output(facts: &Facts<'_>, read: &Use<'_>, output: usize, choice: &Choice) -> Option<Finding> {
    // of a body step P410 tells
    if choice.steps.iter().any(|step| facts.owner(*step).is_some()) {
        return None;
    }
    let guard = if choice.guarded.is_empty() {
        None
    } else {
        Some(common(facts, &choice.guarded, &|_| true)?)
    };
    // who publishes something of the other branch as well knows that one of them is null
    if guard.is_some_and(|guard| publishes_other(facts, guard)) {
        return None;
    }
    let steps = match choice.steps.as_slice() {
        [step] => name::of(facts, *step),
        steps => {
            let ids = steps.iter().filter_map(|step| facts.step(*step));
            format!("none of {}", listed(ids.map(|step| step.id.as_str())))
        }
    };
    let may = match (guard, choice.steps.len()) {
        (Some(_), 1) => "may be skipped",
        (None, 1) => "may fail while the run goes on",
        _ => "may have run",
    };
    let named = quoted(&facts.plan.outputs.get(output)?.name);
    let message = format!("{steps} {may}, and the plan output {named} is null then");
    // nothing acts on it, and to publish one of two branches may be meant
    let finding = RULE.at(read.pointer(), message).severity(Severity::Note);
    let finding = if let Some(guard) = guard {
        let field = if guard.side {
            "true_steps"
        } else {
            "false_steps"
        };
        finding.related(place::config(guard.condition, field), "chosen here, or not")
    } else {
        let step = *choice.steps.first()?;
        finding.related(
            place::step(step).join("on_error"),
            "the run goes on without it",
        )
    };
    Some(finding.help(otherwise(read.reference)))
}
