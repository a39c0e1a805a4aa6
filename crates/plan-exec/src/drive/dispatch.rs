//! From an effect to the call that performs it.

use std::sync::Arc;
use std::time::Duration;

use plan_run::{Effect, EffectCall, Failure, FailureClass, RetryAdvice, StepPath};
use tracing::{Instrument, Span};

use crate::context::CallFacts;
use crate::drive::Drive;
use crate::drive::batch::Settled;
use crate::drive::flight::fly;
use crate::drive::flights::Ticket;
use crate::drive::lending::Lent;
use crate::drive::outcome::{Judged, Reach, Returned, judge, redact};
use crate::drive::turns::Turn;
use crate::publisher::Progress;
use crate::{Cancellation, ToolContext, ToolError, spans};

/// What the call of an attempt has to itself, whatever kind it is of.
pub(super) struct Takeoff {
    pub(super) step: StepPath,
    pub(super) attempt: u32,
    /// The most that it may take.
    pub(super) limit: Option<Duration>,
    pub(super) cx: ToolContext,
    /// The span of the step, for that of the attempt to be in.
    pub(super) span: Span,
    cancellation: Cancellation,
}

impl Takeoff {
    /// Raised when the call is to end; looking at it this way promises nothing.
    pub(super) fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }
}

impl Drive {
    /// Makes the call that an effect is, with the secrets that were lent for it.
    pub(super) fn dispatch(
        &mut self,
        step: &StepPath,
        attempt: u32,
        effect: EffectCall,
        lent: &Lent,
    ) {
        let secrets = match &effect {
            EffectCall::Tool(effect) => self.shared.secrets_of(&effect.tool, lent),
            EffectCall::Code(_) | EffectCall::Prompt(_) | EffectCall::Agent(_) => Lent::new(),
        };
        let takeoff = self.takeoff(step, attempt, &effect, secrets);
        match effect {
            EffectCall::Tool(effect) => self.call_tool(takeoff, effect),
            EffectCall::Code(effect) => self.run_code(takeoff, effect),
            EffectCall::Prompt(effect) => self.ask_model(takeoff, effect),
            EffectCall::Agent(effect) => self.run_agent(takeoff, effect, lent),
        }
    }

    fn takeoff(
        &self,
        step: &StepPath,
        attempt: u32,
        effect: &EffectCall,
        secrets: Lent,
    ) -> Takeoff {
        let limit = effect.timeout();
        let cancellation = Cancellation::new();
        let cx = ToolContext::new(
            Arc::clone(&self.facts),
            CallFacts {
                step: step.clone(),
                attempt,
                key: effect.key().clone(),
                deadline: limit.map(|limit| self.now().plus(limit)),
                cancellation: cancellation.clone(),
                progress: Progress::to(&self.publisher, self.lending.redactor()),
                confinement: std::sync::OnceLock::new(),
                secrets,
            },
        );
        Takeoff {
            step: step.clone(),
            attempt,
            limit,
            cx,
            span: spans::step(step),
            cancellation,
        }
    }

    /// Lets a call go, and sees to what becomes of it.
    pub(super) fn fly<F>(&mut self, takeoff: Takeoff, reach: Reach, span: Span, call: F)
    where
        F: Future<Output = Result<Returned, ToolError>> + Send + 'static,
    {
        self.fly_in_turn(takeoff, reach, (span, Turn::default()), call);
    }

    /// As [`Drive::fly`], for a call that waits for its turn.
    pub(super) fn fly_in_turn<F>(
        &mut self,
        takeoff: Takeoff,
        reach: Reach,
        (span, turn): (Span, Turn),
        call: F,
    ) where
        F: Future<Output = Result<Returned, ToolError>> + Send + 'static,
    {
        let Takeoff {
            step,
            attempt,
            limit,
            cancellation,
            cx: told,
            ..
        } = takeoff;
        let shared = Arc::clone(&self.shared);
        let redactor = self.lending.redactor();
        let ticket = Ticket {
            step,
            attempt,
            reach,
            limit,
            cancellation: cancellation.clone(),
        };
        let seen = span.clone();
        let flight = async move {
            let landing = fly(call, limit, shared.grace, cancellation).await;
            let reach = if turn.is_awaited() {
                Reach::ReadOnly
            } else {
                reach
            };
            let mut judged: Judged = judge(landing, reach, &shared.policy.limits);
            judged.confined(told.confinement());
            if let Err(failure) = &judged.result {
                spans::failed(&seen, failure.class);
            }
            if !redactor.is_empty() {
                redact(&mut judged.result, &redactor);
                if let Some(late) = &mut judged.late {
                    redact(late, &redactor);
                }
            }
            judged
        };
        self.flights.depart(ticket, flight.instrument(span));
    }

    /// Ends an attempt that cannot be made.
    pub(super) fn ground(&mut self, takeoff: Takeoff, class: FailureClass, message: String) {
        let failure = Failure::new(class, message)
            .with_retry(RetryAdvice::Never)
            .with_effect(Effect::None);
        let settled = Settled::new(takeoff.step, takeoff.attempt, Err(Box::new(failure)));
        self.results.push(settled);
    }
}
