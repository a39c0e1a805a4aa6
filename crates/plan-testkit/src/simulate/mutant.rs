//! Drivers with one fault each: the proof that every invariant can find one.

use plan_model::StepConfig;
use plan_run::event::{AttemptOutcome, Budget, LateResult};
use plan_run::{Event, EventKind, IdempotencyKey, JsonObject, RequestKind, SkipReason, StepPath};
use serde_json::{Map, Value, json};

use super::driver::Driver;
use super::world::World;

/// A fault between the machine and its journal or its world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mutant {
    /// Takes a run up as if nothing had been in flight.
    ForgetsRecovery,
    /// Makes work again after a crash that is not safe to repeat.
    RepeatsAfterACrash,
    /// Resets what may be repeated by nobody's leave.
    RepeatsWithoutAWord,
    /// Makes calls before the journal has them.
    PerformsBeforeItJournals,
    /// Starts a step while another that it waits for runs.
    StartsTooEarly,
    /// Forgets an output of a step.
    LosesAnOutput,
    /// Lets the result of an attempt count that had timed out.
    SwallowsALateResult,
    /// Calls on when all calls have been made.
    IgnoresTheBudget,
    /// Promises every token of the run to each question.
    PromisesEveryToken,
    /// Runs a step again that is done.
    RunsItAgain,
    /// Ends a run without a word about steps that never ran.
    LeavesAStepPending,
    /// Writes on when another has the claim.
    WritesAfterItWasFenced,
    /// Uses an answer twice.
    AnswersTwice,
    /// Says that the run waits for a person while other work goes on.
    SaysThatItWaits,
    /// Schedules a retry in its head alone.
    ForgetsToJournal,
    /// Makes a call that a person was to approve.
    SkipsTheApproval,
    /// Tries again only when nothing else is going on.
    GivesUpWhenBusy,
}

/// What becomes of a proposal in broken hands.
#[derive(Debug)]
pub(crate) struct Twisted {
    pub(crate) kind: EventKind,
    pub(crate) is_applied: bool,
    pub(crate) is_journaled: bool,
}

impl Twisted {
    pub(crate) fn straight(kind: EventKind) -> Self {
        Self {
            kind,
            is_applied: true,
            is_journaled: true,
        }
    }

    fn unseen(kind: EventKind) -> Self {
        Self {
            kind,
            is_applied: true,
            is_journaled: false,
        }
    }

    fn made_up(kind: EventKind) -> Self {
        Self {
            kind,
            is_applied: false,
            is_journaled: true,
        }
    }
}

impl Mutant {
    /// Every mutant.
    pub const ALL: [Self; 17] = [
        Self::ForgetsRecovery,
        Self::RepeatsAfterACrash,
        Self::RepeatsWithoutAWord,
        Self::PerformsBeforeItJournals,
        Self::StartsTooEarly,
        Self::LosesAnOutput,
        Self::SwallowsALateResult,
        Self::IgnoresTheBudget,
        Self::PromisesEveryToken,
        Self::RunsItAgain,
        Self::LeavesAStepPending,
        Self::WritesAfterItWasFenced,
        Self::AnswersTwice,
        Self::SaysThatItWaits,
        Self::ForgetsToJournal,
        Self::SkipsTheApproval,
        Self::GivesUpWhenBusy,
    ];

    /// What it makes of a proposal.
    pub(crate) fn twist(
        self,
        world: &mut World<'_>,
        driver: &Driver,
        kind: EventKind,
    ) -> Vec<Twisted> {
        match (self, kind) {
            (Self::RepeatsAfterACrash, EventKind::InDoubtFound { step, attempt }) => {
                let outcome = AttemptOutcome::Interrupted;
                vec![Twisted::straight(EventKind::AttemptEnded {
                    step,
                    attempt,
                    outcome,
                })]
            }
            (Self::StartsTooEarly, kind @ EventKind::AttemptStarted(_)) => {
                let early = pending_tools(world, driver)
                    .into_iter()
                    .filter_map(|step| started(driver, &step, &Map::new()))
                    .find(|kind| !fits(driver, world, kind));
                let early = early.map(Twisted::made_up);
                [Twisted::straight(kind)].into_iter().chain(early).collect()
            }
            (
                Self::LosesAnOutput,
                EventKind::AttemptEnded {
                    step,
                    attempt,
                    outcome: AttemptOutcome::Succeeded(mut delivered),
                },
            ) => {
                delivered.outputs = JsonObject::default();
                vec![Twisted::straight(EventKind::AttemptEnded {
                    step,
                    attempt,
                    outcome: AttemptOutcome::Succeeded(delivered),
                })]
            }
            (
                Self::SwallowsALateResult,
                EventKind::LateResult {
                    step,
                    attempt,
                    result: LateResult::Succeeded,
                },
            ) => vec![Twisted::made_up(EventKind::AttemptEnded {
                step,
                attempt,
                outcome: AttemptOutcome::Succeeded(plan_run::event::Delivered::default()),
            })],
            (
                Self::IgnoresTheBudget,
                kind @ EventKind::BudgetCrossed {
                    budget: Budget::ToolCalls,
                    ..
                },
            ) => {
                let more = pending_tools(world, driver)
                    .into_iter()
                    .filter_map(|step| started(driver, &step, &Map::new()))
                    .find(|kind| fits(driver, world, kind));
                vec![Twisted::straight(more.unwrap_or(kind))]
            }
            (
                Self::RunsItAgain,
                kind @ EventKind::AttemptEnded {
                    outcome: AttemptOutcome::Succeeded(_),
                    ..
                },
            ) => {
                let again = kind
                    .step()
                    .and_then(|step| started(driver, step, &Map::new()))
                    .map(Twisted::made_up);
                [Twisted::straight(kind)].into_iter().chain(again).collect()
            }
            (
                Self::LeavesAStepPending,
                kind @ EventKind::StepSkipped {
                    reason: SkipReason::RunFailed | SkipReason::RunCancelled,
                    ..
                },
            )
            | (Self::ForgetsToJournal, kind @ EventKind::RetryScheduled { .. }) => {
                vec![Twisted::unseen(kind)]
            }
            (Self::AnswersTwice, kind @ EventKind::RequestAnswered(_)) => {
                vec![Twisted::straight(kind.clone()), Twisted::made_up(kind)]
            }
            (Self::SkipsTheApproval, EventKind::RequestOpened(request))
                if request.kind == RequestKind::Effect =>
            {
                let arguments = request.call.as_ref().map(|call| (*call.arguments).clone());
                let call = started(driver, &request.step, &arguments.unwrap_or_default());
                let asked = EventKind::RequestOpened(request);
                vec![Twisted::straight(call.unwrap_or(asked))]
            }
            (
                Self::GivesUpWhenBusy,
                EventKind::AttemptEnded {
                    step,
                    attempt,
                    outcome: AttemptOutcome::Retrying(failure),
                },
            ) if !driver.flights.is_empty() => {
                vec![Twisted::straight(EventKind::AttemptEnded {
                    step,
                    attempt,
                    outcome: AttemptOutcome::Failed(failure),
                })]
            }
            (Self::GivesUpWhenBusy, kind @ EventKind::RetryScheduled { .. })
                if !fits(driver, world, &kind) =>
            {
                Vec::new()
            }
            (_, kind) => vec![Twisted::straight(kind)],
        }
    }
}

/// Steps that call a tool and have not ended.
fn pending_tools(world: &World<'_>, driver: &Driver) -> Vec<StepPath> {
    let plan = world.sim.plan.plan();
    let is_tool = |path: &StepPath| {
        let step = plan.step(path.step());
        step.is_some_and(|(_, step)| matches!(step.config, StepConfig::ToolCall(_)))
    };
    let record = driver.machine.record();
    let steps = record.all_steps().into_iter();
    let open = steps.filter(|(path, step)| !step.status.is_ended() && is_tool(path));
    open.map(|(path, _)| path).collect()
}

/// The start of a step's next attempt.
fn started(driver: &Driver, step: &StepPath, arguments: &Map<String, Value>) -> Option<EventKind> {
    let machine = &driver.machine;
    let record = machine.record();
    let attempts = record.step_at(step)?.attempts.len();
    let key = IdempotencyKey::of(machine.run_id(), step, machine.generation());
    let started = json!({
        "step": step.to_string(),
        "attempt": attempts + 1,
        "generation": machine.generation(),
        "key": key.as_str(),
        "arguments": arguments,
    });
    serde_json::from_value(started)
        .ok()
        .map(EventKind::AttemptStarted)
}

fn fits(driver: &Driver, world: &World<'_>, kind: &EventKind) -> bool {
    let event = Event {
        at: world.now,
        kind: kind.clone(),
    };
    driver.machine.clone().apply(&event).is_ok()
}
