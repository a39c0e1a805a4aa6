//! The state of one run, and the one place where a step's phase changes.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use plan_model::{Digest, FailurePolicy, OnError, Timestamp};

use super::basis::Basis;
use super::frame::{Fan, FrameId, Frames};
use super::join::Verdict;
use super::layout::Work;
use super::phase::Phase;
use super::ready::Ready;
use super::slot::{PerStep, Slot, narrow};
use crate::event::{Budget, LateResult, RunCreated};
use crate::record::{AgentCallRecord, AttemptEnd};
use crate::{Failure, JsonObject, Machine, ModelUsage, PrincipalName, RequestId, RunId, RunStatus};

/// Everything that events change.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) created: Box<RunCreated>,
    pub(super) created_at: Timestamp,
    /// The inputs as views show them: sensitive ones masked.
    pub(super) masked_inputs: JsonObject,
    pub(super) generation: u32,
    /// The run whose results it began with.
    pub(super) forked_from: Option<RunId>,
    pub(super) ending: Option<Stopping>,
    pub(super) ended: Option<Ended>,
    /// Every step of the plan, then those of items. What stands for a body step itself never changes.
    pub(super) steps: PerStep<StepState>,
    /// The items that were opened.
    pub(super) frames: Frames,
    pub(super) ready: Ready,
    pub(super) in_flight: BTreeSet<Slot>,
    pub(super) asking: BTreeSet<Slot>,
    pub(super) doubtful: BTreeSet<Slot>,
    pub(super) delayed: usize,
    /// Steps that have not ended: of the main flow, and of the items that are open.
    pub(super) left: usize,
    /// Steps of the main flow whose failure fails the run.
    pub(super) failed: BTreeSet<Slot>,
    /// When delayed attempts may start.
    pub(super) delays: BTreeSet<(Timestamp, Slot)>,
    /// When open requests and fan-outs run out of time.
    pub(super) expiries: BTreeSet<(Timestamp, Slot)>,
    /// Steps that are to be given up, because the run is ending or a fan-out around them is out of time.
    pub(super) loose: BTreeSet<Slot>,
    pub(super) requests: BTreeMap<RequestId, (Slot, RequestState)>,
    pub(super) tool_calls: u64,
    /// Items that fan-outs opened or may still open; those that a reset keeps count once.
    pub(super) items: u64,
    /// Bytes that attempts delivered.
    pub(super) output_bytes: u64,
    /// Tokens that models counted.
    pub(super) used: Option<ModelUsage>,
    /// Time in which something ran or could start, while somebody drove the run.
    pub(super) driven: Duration,
    /// Up to when that is counted.
    pub(super) driven_to: Timestamp,
    /// The latest time that any event named.
    pub(super) clock: Timestamp,
}

/// One step's part of the state.
#[derive(Debug, Clone)]
pub(super) struct StepState {
    /// The index of the step in the plan.
    pub(super) place: u32,
    /// The item that it is for.
    pub(super) frame: Option<FrameId>,
    /// A reset wants it to run again once its item is opened.
    pub(super) anew: bool,
    /// The items, of a fan-out.
    pub(super) fan: Option<Box<Fan>>,
    pub(super) phase: Phase,
    /// Dependencies that have not ended.
    pub(super) open: usize,
    pub(super) attempts: Vec<AttemptState>,
    /// Failed attempts since the last reset.
    pub(super) failures: u32,
    /// Requests opened so far.
    pub(super) asked: u32,
    /// The digest of the call that a person approved.
    pub(super) approved: Option<Box<Digest>>,
    /// Who answered its last request.
    pub(super) answered_by: Option<PrincipalName>,
    pub(super) outputs: Option<JsonObject>,
    pub(super) failure: Option<Box<Failure>>,
}

/// One attempt on record.
#[derive(Debug, Clone)]
pub(super) struct AttemptState {
    pub(super) started_at: Timestamp,
    pub(super) arguments: JsonObject,
    pub(super) end: Option<Box<AttemptEnd>>,
    pub(super) late: Option<Box<LateResult>>,
    /// What it has to do with models, where it has.
    pub(super) asked: Option<Box<Asked>>,
}

/// What one attempt has to do with models.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    /// The most tokens that it may use.
    pub(super) tokens: Option<u64>,
    /// How many answers it got.
    pub(super) answers: u32,
    /// What they cost.
    pub(super) usage: ModelUsage,
    /// The calls of an agent.
    pub(super) calls: Vec<AgentCallRecord>,
}

/// Why nothing more starts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stopping {
    pub(super) cause: StopCause,
    /// Whether work in flight is stopped too.
    pub(super) abort: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum StopCause {
    /// A step failed under `stop`.
    Failed,
    /// A budget was crossed.
    Crossed(Budget, u64),
    /// Somebody ended the run.
    Cancelled {
        by: PrincipalName,
        reason: Option<String>,
    },
}

/// How a run ended.
#[derive(Debug, Clone)]
pub(super) struct Ended {
    pub(super) at: Timestamp,
    pub(super) status: RunStatus,
    pub(super) outputs: JsonObject,
    pub(super) failure: Option<Box<Failure>>,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestState {
    Open,
    Answered,
    Expired,
    Withdrawn,
}

impl StepState {
    pub(super) fn new(place: usize, frame: Option<FrameId>) -> Self {
        Self {
            place: narrow(place),
            frame,
            anew: false,
            fan: None,
            phase: Phase::Blocked,
            open: 0,
            attempts: Vec::new(),
            failures: 0,
            asked: 0,
            approved: None,
            answered_by: None,
            outputs: None,
            failure: None,
        }
    }

    /// Forgets everything but what is on record: its attempts, and the items that it had.
    pub(super) fn reset(&mut self) {
        let fresh = Self {
            place: self.place,
            frame: self.frame,
            fan: self.fan.take(),
            attempts: std::mem::take(&mut self.attempts),
            asked: self.asked,
            ..Self::new(0, None)
        };
        *self = fresh;
    }

    /// The number of the last attempt.
    pub(super) fn last_attempt(&self) -> u32 {
        u32::try_from(self.attempts.len()).unwrap_or(u32::MAX)
    }
}

impl State {
    pub(super) fn is_cancelled(&self) -> bool {
        matches!(
            &self.ending,
            Some(Stopping {
                cause: StopCause::Cancelled { .. },
                ..
            })
        )
    }

    /// Whether something runs or can start.
    fn is_driven(&self) -> bool {
        self.delayed > 0
            || !self.loose.is_empty()
            || !self.in_flight.is_empty()
            || !self.ready.decisions.is_empty()
            || !self.ready.starts.is_empty()
    }

    pub(super) fn status(&self) -> RunStatus {
        if let Some(ended) = &self.ended {
            return ended.status;
        }
        let open = !self.asking.is_empty() || !self.doubtful.is_empty();
        let driven = if self.ending.is_some() {
            // whatever is not in flight or in doubt is given up at once
            !self.in_flight.is_empty() || !self.loose.is_empty()
        } else {
            self.is_driven()
        };
        if driven || !open {
            RunStatus::Running
        } else {
            RunStatus::Waiting
        }
    }
}

impl<P: Basis> Machine<P> {
    /// Moves a step to another phase and keeps every index true.
    pub(super) fn enter(&mut self, slot: Slot, phase: Phase) {
        self.leave(slot);
        self.state.steps.at_mut(slot).phase = phase;
        self.entered(slot);
    }

    /// Takes a step out of the indexes that its phase has put it in.
    fn leave(&mut self, slot: Slot) {
        let pool = self.layout.pool_of(self.place_of(slot));
        let state = &mut self.state;
        if !state.loose.is_empty() {
            state.loose.remove(&slot);
        }
        match &state.steps.at(slot).phase {
            Phase::Blocked => {}
            Phase::Ready | Phase::Owed => {
                state.ready.decisions.remove(&slot);
                state.ready.withdraw(slot, pool);
            }
            Phase::Delayed(due_at) => {
                state.delayed -= 1;
                state.delays.remove(&(*due_at, slot));
                state.ready.withdraw(slot, pool);
            }
            Phase::InFlight => {
                state.in_flight.remove(&slot);
                state.ready.ended(pool);
            }
            Phase::Asking(request) => {
                state.asking.remove(&slot);
                if let Some(expires_at) = request.expires_at {
                    state.expiries.remove(&(expires_at, slot));
                }
            }
            Phase::Doubtful => {
                state.doubtful.remove(&slot);
            }
            Phase::Spread => {
                state.ready.decisions.remove(&slot);
                self.forget_expiry(slot);
                self.give_back_items(slot);
            }
            // only a reset leaves these, and it rebuilds the counts
            Phase::Succeeded | Phase::Failed | Phase::Skipped(_) | Phase::Cancelled => {}
        }
    }

    /// Brings the indexes up to the phase that a step is in now.
    fn entered(&mut self, slot: Slot) {
        let pool = self.layout.pool_of(self.place_of(slot));
        let is_given_up = self.is_given_up(slot);
        let state = &mut self.state;
        match &state.steps.at(slot).phase {
            Phase::Blocked => {}
            Phase::Ready | Phase::Owed if is_given_up => {
                state.loose.insert(slot);
            }
            Phase::Ready => {
                if self.needs_slot(slot) {
                    self.state.ready.offer(slot, pool);
                } else {
                    self.state.ready.decisions.insert(slot);
                }
            }
            Phase::Owed => {
                state.ready.decisions.insert(slot);
            }
            Phase::Delayed(due_at) => {
                state.delayed += 1;
                if is_given_up {
                    state.loose.insert(slot);
                } else if *due_at <= state.clock {
                    state.ready.offer(slot, pool);
                } else {
                    state.delays.insert((*due_at, slot));
                }
            }
            Phase::InFlight => {
                state.in_flight.insert(slot);
                state.ready.started(pool);
            }
            Phase::Asking(request) => {
                state.asking.insert(slot);
                if let Some(expires_at) = request.expires_at {
                    state.expiries.insert((expires_at, slot));
                }
                if is_given_up {
                    state.loose.insert(slot);
                }
            }
            Phase::Doubtful => {
                state.doubtful.insert(slot);
            }
            Phase::Spread => {
                let expires_at = state
                    .steps
                    .at(slot)
                    .fan
                    .as_ref()
                    .and_then(|it| it.expires_at);
                state.expiries.extend(expires_at.map(|at| (at, slot)));
            }
            Phase::Failed => {
                let fails = self.step_of(slot).on_error == OnError::Fail;
                self.settled(slot, fails);
            }
            Phase::Succeeded | Phase::Skipped(_) | Phase::Cancelled => self.settled(slot, false),
        }
    }

    /// A step has ended: counts it and unblocks what waited for it alone.
    fn settled(&mut self, slot: Slot, fails: bool) {
        self.state.left = self.state.left.saturating_sub(1);
        let frame = self.frame_of(slot);
        if fails {
            if frame.is_none() {
                self.state.failed.insert(slot);
            }
            let stops = self.plan.plan().failure_policy == FailurePolicy::Stop;
            if stops && self.reaches_run(slot) {
                self.stop(StopCause::Failed, false);
            }
        }
        if let Some(frame) = frame {
            self.settled_within(frame, slot, fails);
            return;
        }
        let plan = self.plan.clone();
        for dependent in plan.graph().dependents(slot.index()) {
            let dependent = Slot::main(*dependent);
            let step = self.state.steps.at_mut(dependent);
            step.open = step.open.saturating_sub(1);
            if step.open == 0 && step.phase == Phase::Blocked {
                self.enter(dependent, Phase::Ready);
            }
        }
    }

    /// Starts nothing more. A cancellation overrides a failure; nothing overrides a cancellation.
    pub(super) fn stop(&mut self, cause: StopCause, abort: bool) {
        match &mut self.state.ending {
            None => {
                self.state.ending = Some(Stopping { cause, abort });
                self.give_all_up();
            }
            Some(stopping) => {
                stopping.abort |= abort;
                let cancels = matches!(cause, StopCause::Cancelled { .. });
                let cancelled = matches!(stopping.cause, StopCause::Cancelled { .. });
                if cancels && !cancelled {
                    stopping.cause = cause;
                }
            }
        }
    }

    /// Whether a ready step waits only for a slot.
    fn needs_slot(&self, slot: Slot) -> bool {
        let is_effect = matches!(
            Work::of(&self.step_of(slot).config),
            Work::Tool(_) | Work::Code(_) | Work::Prompt(_) | Work::Agent(_)
        );
        is_effect
            && self.verdict(slot) == Verdict::Runs
            && (self.state.steps.at(slot).approved.is_some()
                || !self.layout.asks_at_call(self.place_of(slot)))
    }

    /// Moves what is due by the clock among the steps that can start.
    pub(super) fn advance(&mut self, at: Timestamp) {
        if at <= self.state.clock {
            return;
        }
        self.state.clock = at;
        while let Some((due_at, slot)) = self.state.delays.first().copied() {
            if due_at > at {
                break;
            }
            self.state.delays.pop_first();
            let pool = self.layout.pool_of(self.place_of(slot));
            self.state.ready.offer(slot, pool);
        }
    }
}
