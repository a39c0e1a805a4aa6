//! What an agent does while its attempt runs.

use plan_model::Timestamp;

use crate::event::AgentCalled;
use crate::machine::Machine;
use crate::machine::basis::Basis;
use crate::machine::layout::Work;
use crate::machine::phase::Phase;
use crate::machine::slot::Slot;
use crate::machine::state::Asked;
use crate::record::AgentCallRecord;
use crate::{Failure, Refused, StepPath};

impl<P: Basis> Machine<P> {
    pub(in crate::machine) fn agent_called(
        &mut self,
        at: Timestamp,
        called: &AgentCalled,
    ) -> Result<(), Refused> {
        let slot = self.running_agent(&called.step, called.attempt, "agent_called")?;
        let expected = self.calls_of(slot).saturating_add(1);
        if called.call != expected {
            return Err(Refused::WrongAnswer {
                step: called.step.clone(),
                expected,
                actual: called.call,
            });
        }
        self.tick(at);
        self.state.tool_calls += u64::from(called.refusal.is_none());
        if let Some(attempt) = self.state.steps.at_mut(slot).attempts.last_mut() {
            let asked = attempt.asked.get_or_insert_with(Box::<Asked>::default);
            asked.calls.push(AgentCallRecord {
                call: called.call,
                tool: called.tool.clone(),
                arguments: called.arguments.clone(),
                started_at: at,
                ended_at: None,
                refusal: called.refusal.clone(),
                failure: None,
            });
        }
        Ok(())
    }

    pub(in crate::machine) fn agent_call_ended(
        &mut self,
        at: Timestamp,
        (step, attempt): (&StepPath, u32),
        call: u32,
        failure: Option<&Failure>,
    ) -> Result<(), Refused> {
        let name = "agent_call_ended";
        let slot = self.running_agent(step, attempt, name)?;
        let open = |record: &AgentCallRecord| {
            record.call == call && record.ended_at.is_none() && record.refusal.is_none()
        };
        let attempts = &self.state.steps.at(slot).attempts;
        let asked = attempts.last().and_then(|last| last.asked.as_deref());
        let place = asked.and_then(|asked| asked.calls.iter().position(open));
        let Some(place) = place else {
            return Err(Refused::WrongAnswer {
                step: step.clone(),
                expected: self.calls_of(slot),
                actual: call,
            });
        };
        self.tick(at);
        let last = self.state.steps.at_mut(slot).attempts.last_mut();
        let asked = last.and_then(|last| last.asked.as_deref_mut());
        if let Some(record) = asked.and_then(|asked| asked.calls.get_mut(place)) {
            record.ended_at = Some(at);
            record.failure = failure.cloned().map(Box::new);
        }
        Ok(())
    }

    /// The slot of an agent whose attempt runs.
    fn running_agent(
        &self,
        step: &StepPath,
        attempt: u32,
        event: &'static str,
    ) -> Result<Slot, Refused> {
        let slot = self.slot(step)?;
        if !matches!(Work::of(&self.step_of(slot).config), Work::Agent(_)) {
            return Err(Refused::WrongKind {
                step: step.clone(),
                event,
            });
        }
        let phase = &self.state.steps.at(slot).phase;
        if *phase != Phase::InFlight {
            return Err(Refused::WrongPhase {
                step: step.clone(),
                status: phase.status(),
                event,
            });
        }
        self.check_last(slot, attempt)?;
        Ok(slot)
    }

    /// How many calls the last attempt of an agent has asked for.
    fn calls_of(&self, slot: Slot) -> u32 {
        let attempts = &self.state.steps.at(slot).attempts;
        let asked = attempts.last().and_then(|last| last.asked.as_deref());
        asked.map_or(0, |asked| {
            u32::try_from(asked.calls.len()).unwrap_or(u32::MAX)
        })
    }
}
