//! What may happen next.

use plan_model::Timestamp;

use super::Machine;
use super::join::Verdict;
use super::layout::Work;
use super::phase::Phase;
use super::scope::RunScope;
use super::slot::Slot;
use super::transition::digest_of;
use crate::event::{AttemptStarted, Budget, EventKind};
use crate::{Effect, Failure, FailureClass, IdempotencyKey, RetryAdvice};

/// Proposals of one call. More follow when these have been applied.
const BATCH: usize = 1024;

impl Machine {
    /// The events that may happen now, in order.
    ///
    /// The driver journals and applies them all, and calls again until there are
    /// none. Time spent depends on what is proposed, not on the size of the plan.
    pub fn next(&self, now: Timestamp) -> Vec<EventKind> {
        let mut events = Vec::new();
        if self.state.ended.is_some() {
            return events;
        }
        if let Some(crossed) = self.crossed(now) {
            events.push(crossed);
        } else if self.state.ending.is_some() || !self.state.loose.is_empty() {
            self.drain(&mut events, BATCH);
            if events.is_empty() {
                events.extend(self.items_out_of_time(now));
            }
        } else {
            self.decide_ready(now, &mut events);
            if events.is_empty() {
                self.start_ready(now, &mut events);
            }
        }
        if events.is_empty() && self.state.left == 0 {
            events.push(self.publish());
        }
        events
    }

    /// Everything that needs no slot.
    fn decide_ready(&self, now: Timestamp, events: &mut Vec<EventKind>) {
        if let Some(stopped) = self.items_out_of_time(now) {
            // what is next depends on what that stops
            events.push(stopped);
            return;
        }
        let expired = self.state.expiries.iter().take_while(|(at, _)| *at < now);
        for (_, slot) in expired.take(BATCH) {
            if self.state.steps.at(*slot).phase == Phase::Spread {
                continue;
            }
            events.push(self.out_of_time(*slot));
            if self.fails_run(*slot) {
                return;
            }
        }
        for slot in self.state.ready.decisions.iter().take(BATCH) {
            let event = match &self.state.steps.at(*slot).phase {
                Phase::Owed => self.schedule_owed(*slot, now),
                Phase::Spread => self.proceed(*slot),
                _ => self.decide_step(*slot, now),
            };
            let stops = matches!(event, EventKind::StepFailed { .. }) && self.fails_run(*slot);
            events.push(event);
            if stops {
                // nothing more may start
                return;
            }
        }
    }

    fn decide_step(&self, slot: Slot, now: Timestamp) -> EventKind {
        if let Verdict::Skips(reason) = self.verdict(slot) {
            return EventKind::StepSkipped {
                step: self.path(slot),
                reason,
            };
        }
        let event = match Work::of(&self.step_of(slot).config) {
            Work::Choose(condition) => condition
                .expression
                .evaluate(&RunScope::plain(self, slot))
                .map(|result| EventKind::BranchTaken {
                    step: self.path(slot),
                    result,
                })
                .map_err(|error| {
                    Failure::new(
                        FailureClass::InvalidArguments,
                        format!("the expression has no value: {error}"),
                    )
                }),
            Work::Ask(ask) => self.open_question(slot, ask, now),
            Work::FanOut(fan_out) => self.expand(slot, fan_out, now),
            Work::FanIn(fan_in) => self.collect(slot, fan_in),
            Work::Tool(_) | Work::Code(_) | Work::Prompt(_) | Work::Agent(_) => {
                self.start(slot, None)
            }
        };
        event.unwrap_or_else(|failure| self.broken(slot, failure))
    }

    /// Attempts, as many as there are free slots, in plan order.
    fn start_ready(&self, now: Timestamp, events: &mut Vec<EventKind>) {
        let state = &self.state;
        let free = self
            .layout
            .max_concurrency
            .saturating_sub(state.in_flight.len());
        let due = state
            .delays
            .iter()
            .take_while(|(at, _)| *at <= now)
            .map(|(_, slot)| *slot);
        let mut slots: Vec<Slot> = due.take(free).collect();
        let retries = slots.len();
        slots.extend(state.ready.starts.iter().take(free).copied());
        if retries > 0 {
            slots.sort_unstable();
        }
        let mut calls = state.tool_calls;
        let mut tokens = self.tokens_left();
        let mut pools: Vec<(usize, usize)> = Vec::new();
        for slot in slots.into_iter().take(free) {
            let pool = self.layout.pool_of(self.place_of(slot));
            if let Some(pool) = pool
                && !take_from(&mut pools, pool, state.ready.free(Some(pool)))
            {
                continue;
            }
            let is_tool = matches!(Work::of(&self.step_of(slot).config), Work::Tool(_));
            if let Some(limit) = self.layout.max_tool_calls
                && is_tool
                && calls >= limit
            {
                events.push(EventKind::BudgetCrossed {
                    budget: Budget::ToolCalls,
                    limit,
                });
                return;
            }
            let mut set_aside = None;
            if let Some(left) = tokens
                && let Some(most) = self.tokens_of(slot, left)
            {
                if let Some(crossed) = self.spent() {
                    events.push(crossed);
                    return;
                }
                if most == 0 {
                    // what is in flight may give back some of it
                    continue;
                }
                tokens = Some(left.saturating_sub(most));
                set_aside = Some(most);
            }
            calls += u64::from(is_tool);
            match self.start(slot, set_aside) {
                Ok(event) => events.push(event),
                Err(failure) => {
                    events.push(self.broken(slot, failure));
                    if self.fails_run(slot) {
                        return;
                    }
                }
            }
        }
    }

    /// The start of an attempt, or the request for its approval.
    fn start(&self, slot: Slot, tokens: Option<u64>) -> Result<EventKind, Failure> {
        let arguments = self.shown_arguments(slot)?;
        let state = self.state.steps.at(slot);
        if let Some(gate) = self.layout.gate_of(self.place_of(slot))
            && !self.is_approved(gate)
        {
            return Err(self.unapproved(gate));
        }
        if self.layout.asks_at_call(self.place_of(slot)) {
            let approved = state.approved.as_deref() == Some(&digest_of(&arguments));
            if !approved {
                return Ok(self.open_approval(slot, arguments));
            }
        }
        let step = self.path(slot);
        let generation = self.state.generation;
        Ok(EventKind::AttemptStarted(AttemptStarted {
            attempt: state.last_attempt().saturating_add(1),
            generation,
            key: IdempotencyKey::of(self.run_id(), &step, generation),
            arguments,
            tokens,
            step,
        }))
    }

    /// Whether an approval of the plan was given.
    fn is_approved(&self, gate: Slot) -> bool {
        let step = self.state.steps.at(gate);
        let (Work::Ask(ask), Phase::Succeeded) =
            (Work::of(&self.step_of(gate).config), &step.phase)
        else {
            return false;
        };
        let answer = step.outputs.as_ref();
        let answer = answer.and_then(|outputs| outputs.get(ask.response_field.as_str()));
        answer.is_some_and(|answer| *answer == true || *answer == "approved")
    }

    /// INVARIANT: the check found that the approval always comes first. Should a journal say otherwise, the call
    /// is not made.
    fn unapproved(&self, gate: Slot) -> Failure {
        Failure::new(
            FailureClass::RefusedByGrant,
            format!("step `{}` was not approved", self.path(gate)),
        )
    }

    /// Whether a failure of this step starts nothing more.
    pub(super) fn fails_run(&self, slot: Slot) -> bool {
        self.reaches_run(slot) && self.plan.plan().failure_policy == plan_model::FailurePolicy::Stop
    }

    /// The failure of a step whose values could not be built.
    pub(super) fn broken(&self, slot: Slot, failure: Failure) -> EventKind {
        let step = self.path(slot);
        let failure = failure
            .with_effect(Effect::None)
            .with_retry(RetryAdvice::Never)
            .at(step.clone(), None);
        EventKind::StepFailed {
            step,
            failure: Box::new(failure),
        }
    }
}

/// Takes one of the `free` slots of a pool, unless this call took them all.
fn take_from(taken: &mut Vec<(usize, usize)>, pool: usize, free: usize) -> bool {
    match taken.iter_mut().find(|(known, _)| *known == pool) {
        Some((_, count)) if *count >= free => false,
        Some((_, count)) => {
            *count += 1;
            true
        }
        None if free == 0 => false,
        None => {
            taken.push((pool, 1));
            true
        }
    }
}
