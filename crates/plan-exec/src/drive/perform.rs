//! From events in the journal to what they say is done.

use std::sync::Arc;

use plan_run::{
    CodeEffect, CodeText, Effect, EffectCall, Event, EventKind, Failure, FailureClass, Request,
    RetryAdvice, StepPath, ToolEffect,
};
use tracing::Instrument;

use crate::context::CallFacts;
use crate::drive::Drive;
use crate::drive::batch::Settled;
use crate::drive::flight::fly;
use crate::drive::flights::Ticket;
use crate::drive::lending::{Fetched, Lent};
use crate::drive::outcome::{Judged, Reach, Returned, judge, redact};
use crate::drive::path_arguments::PathArguments;
use crate::progress::Progress;
use crate::{Cancellation, CodeRequest, ScriptSource, ToolContext};

impl Drive {
    /// Performs what events say that have just become durable.
    pub(super) fn perform(&mut self, events: &[Arc<Event>]) {
        for event in events {
            match &event.kind {
                EventKind::AttemptStarted(started) => self.depart(&started.step, started.attempt),
                EventKind::ItemsStopped { step } => self.stop_within(step),
                EventKind::RequestOpened(request) => self.ask(Request::clone(request)),
                EventKind::RequestAnswered(answered) => self.asks.withdraw(&answered.request),
                EventKind::RequestWithdrawn { request, .. } => self.asks.withdraw(request),
                EventKind::RunCreated(_)
                | EventKind::AttemptEnded { .. }
                | EventKind::RetryScheduled { .. }
                | EventKind::RetryDropped { .. }
                | EventKind::StepSkipped { .. }
                | EventKind::StepFailed { .. }
                | EventKind::BranchTaken { .. }
                | EventKind::ItemsExpanded(_)
                | EventKind::UntilEvaluated { .. }
                | EventKind::ListCollected { .. }
                | EventKind::FanOutDropped { .. }
                | EventKind::InDoubtFound { .. }
                | EventKind::Decided { .. }
                | EventKind::CancelRequested { .. }
                | EventKind::BudgetCrossed { .. }
                | EventKind::LateResult { .. }
                | EventKind::RunResumed { .. }
                | EventKind::RunEnded { .. } => {}
            }
        }
        self.heed_ending();
    }

    /// Shows a request to a person, where the host has a channel.
    pub(super) fn ask(&mut self, request: Request) {
        if let Some(channel) = &self.shared.human {
            self.asks.ask(channel, self.facts.run.clone(), request);
        }
    }

    /// Makes the attempts that the journal has and nobody has made: the append that told of them seemed to fail.
    pub(super) fn perform_orphans(&mut self) {
        for (step, attempt) in self.machine.started() {
            let under_way = self.flights.has(&step, attempt)
                || self.lending.is_fetching(&step, attempt)
                || self
                    .results
                    .iter()
                    .any(|settled| settled.is_of(&step, attempt));
            if !under_way {
                self.depart(&step, attempt);
            }
        }
    }

    fn depart(&mut self, step: &StepPath, attempt: u32) {
        if self.lending.needs(step.step()).is_empty() {
            self.call(step, attempt, &Lent::new());
        } else {
            let source = self.shared.secrets.clone();
            self.lending.fetch(source, step.clone(), attempt);
        }
    }

    /// Goes on with an attempt for which the host was asked for secrets.
    pub(super) fn lent(&mut self, fetched: Fetched) {
        let Fetched {
            step,
            attempt,
            lent,
        } = fetched;
        match lent {
            Ok(lent) => self.call(&step, attempt, &lent),
            Err(failure) => self
                .results
                .push(Settled::new(step, attempt, Err(Box::new(failure)))),
        }
    }

    /// Makes the call of an attempt, with the secrets that it needs.
    fn call(&mut self, step: &StepPath, attempt: u32, lent: &Lent) {
        let secret = |name: &_| lent.get(name).map(|secret| secret.expose().to_owned());
        match self.machine.effect(step, attempt, &secret) {
            Ok(effect) => self.dispatch(step, attempt, effect),
            Err(failure) => {
                let settled = Settled::new(step.clone(), attempt, Err(Box::new(failure)));
                self.results.push(settled);
            }
        }
    }

    fn dispatch(&mut self, step: &StepPath, attempt: u32, effect: EffectCall) {
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
                progress: Progress::to(&self.updates, self.lending.redactor()),
                confinement: std::sync::OnceLock::new(),
            },
        );
        let reads_only = |tool: &plan_model::ToolSpec| tool.effects.read_only.holds;
        let (grace, limits) = (self.shared.grace, self.shared.policy.limits);
        let redactor = self.lending.redactor();
        let span = tracing::info_span!("step", step = %step);
        let span = tracing::info_span!(parent: &span, "attempt", attempt);
        let ticket = |reach| Ticket {
            step: step.clone(),
            attempt,
            reach,
            limit,
            cancellation: cancellation.clone(),
        };
        let told = cx.clone();
        let finish = move |landing, reach| {
            let mut judged: Judged = judge(landing, reach, &limits);
            judged.confined(told.confinement());
            if !redactor.is_empty() {
                redact(&mut judged.result, &redactor);
                if let Some(late) = &mut judged.late {
                    redact(late, &redactor);
                }
            }
            judged
        };
        match effect {
            EffectCall::Tool(ToolEffect {
                tool, arguments, ..
            }) => {
                let Some(implementation) = self.shared.tools.tool(&tool).cloned() else {
                    let message = format!("nothing implements the tool `{tool}`");
                    self.ground(step, attempt, FailureClass::ToolNotFound, message);
                    return;
                };
                let reach = if self.plan.tool(step.step()).is_some_and(reads_only) {
                    Reach::ReadOnly
                } else {
                    Reach::Writes
                };
                let ticket = ticket(reach);
                let paths = PathArguments::of(self.plan.catalog_tool(step.step()), &self.facts);
                let call = async move {
                    paths.check(&arguments).await?;
                    implementation
                        .call(arguments, &cx)
                        .await
                        .map(Returned::Tool)
                };
                let flight =
                    async move { finish(fly(call, limit, grace, cancellation).await, reach) };
                self.flights.depart(ticket, flight.instrument(span));
            }
            EffectCall::Code(effect) => {
                let CodeEffect {
                    language,
                    source,
                    args,
                    stdin,
                    env,
                    working_dir,
                    ..
                } = effect;
                let Some(runner) = self.shared.tools.code_runner().cloned() else {
                    let message = "there is no code runner".to_owned();
                    self.ground(step, attempt, FailureClass::MissingInterpreter, message);
                    return;
                };
                let request = CodeRequest {
                    language,
                    source: match source {
                        CodeText::Inline(text) => ScriptSource::Inline(text),
                        CodeText::File(file) => ScriptSource::File(file),
                    },
                    args,
                    stdin,
                    env,
                    working_dir,
                    timeout: limit,
                };
                let reach = Reach::Writes;
                let ticket = ticket(reach);
                let call = async move { runner.run(request, &cx).await.map(Returned::Code) };
                let flight =
                    async move { finish(fly(call, limit, grace, cancellation).await, reach) };
                self.flights.depart(ticket, flight.instrument(span));
            }
        }
    }

    /// Ends an attempt that cannot be made.
    fn ground(&mut self, step: &StepPath, attempt: u32, class: FailureClass, message: String) {
        let failure = Failure::new(class, message)
            .with_retry(RetryAdvice::Never)
            .with_effect(Effect::None);
        let settled = Settled::new(step.clone(), attempt, Err(Box::new(failure)));
        self.results.push(settled);
    }
}
