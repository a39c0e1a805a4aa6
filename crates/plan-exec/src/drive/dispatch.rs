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
use crate::drive::outcome::{Judged, Reach, Returned, judge, redact};
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
    /// Makes the call that an effect is.
    pub(super) fn dispatch(&mut self, step: &StepPath, attempt: u32, effect: EffectCall) {
        let takeoff = self.takeoff(step, attempt, &effect);
        match effect {
            EffectCall::Tool(effect) => self.call_tool(takeoff, effect),
            EffectCall::Code(effect) => self.run_code(takeoff, effect),
            EffectCall::Prompt(effect) => self.ask_model(takeoff, effect),
            EffectCall::Agent(effect) => self.run_agent(takeoff, effect),
        }
    }

    fn takeoff(&self, step: &StepPath, attempt: u32, effect: &EffectCall) -> Takeoff {
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
        let Takeoff {
            step,
            attempt,
            limit,
            cancellation,
            cx: told,
            ..
        } = takeoff;
        let (grace, limits) = (self.shared.grace, self.shared.policy.limits);
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
            let landing = fly(call, limit, grace, cancellation).await;
            let mut judged: Judged = judge(landing, reach, &limits);
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
