//! Requests as they are opened: what a person reads, and what the answer is bound to.

use plan_model::{HumanInteraction, Output, Step, Timestamp};
use plan_validate::Approval;
use serde_json::{Map, Value, json};

use super::Machine;
use super::build::Builder;
use super::layout::Work;
use super::scope::RunScope;
use super::slot::Slot;
use crate::event::EventKind;
use crate::request::{CallTarget, ProposedCall};
use crate::{
    Effect, Failure, FailureClass, JsonObject, Request, RequestId, RequestKind, RetryAdvice,
};

impl Machine {
    /// Why a person is to approve the step's call when it is made; `None` where nobody is asked.
    fn why_asked(&self, slot: Slot) -> Option<&str> {
        let site = self.plan.grant().site(&self.step_of(slot).id)?;
        match &site.approval {
            Approval::AskAtCall(why) => Some(why),
            Approval::NotNeeded | Approval::GivenBy(_) => None,
        }
    }

    /// The question or approval that a step of the plan asks for.
    pub(super) fn open_question(
        &self,
        slot: Slot,
        ask: &HumanInteraction,
        now: Timestamp,
    ) -> Result<EventKind, Failure> {
        let scope = RunScope::shown(self, slot);
        let mut build = Builder::new(&scope, self.limits());
        let prompt = build.text(|| "the prompt".to_owned(), &ask.prompt);
        build.finish()?;
        let step = self.step_of(slot);
        let (kind, schema) = if ask.approval_required {
            (RequestKind::Approval, approval_schema())
        } else {
            (RequestKind::Question, answer_schema(response(step, ask)))
        };
        let expires_at = step.timeout_secs.map(|span| now.plus(span.as_duration()));
        Ok(self.open(slot, kind, prompt, schema, None, expires_at))
    }

    /// The approval of one call that the host's policy asks for.
    pub(super) fn open_approval(&self, slot: Slot, arguments: JsonObject) -> EventKind {
        let (target, script) = match Work::of(&self.step_of(slot).config) {
            Work::Code(call) => {
                let script = match &call.source {
                    plan_model::CodeSource::Inline(text) => Some(text.as_str()),
                    plan_model::CodeSource::File(_) => None,
                };
                (CallTarget::Language(call.language.clone()), script)
            }
            Work::Tool(call) => (CallTarget::Tool(call.tool.clone()), None),
            Work::Agent(call) => (CallTarget::Agent(call.agent.clone()), None),
            Work::Prompt(call) => (CallTarget::Model(call.model.clone()), None),
            Work::Ask(_) | Work::Choose(_) | Work::FanOut(_) | Work::FanIn(_) => {
                return self.nothing_to_approve(slot);
            }
        };
        let shown = Value::Object((*arguments).clone());
        let why = self.why_asked(slot).unwrap_or_default();
        let values = plan_model::canonical_json(&shown);
        let mut prompt = format!("Allow {target} to be called with {values}? ({why})");
        if let Some(script) = script {
            prompt.push_str("\n\n");
            prompt.push_str(script);
        }
        let call = ProposedCall { target, arguments };
        self.open(
            slot,
            RequestKind::Effect,
            prompt,
            approval_schema(),
            Some(call),
            None,
        )
    }

    fn nothing_to_approve(&self, slot: Slot) -> EventKind {
        let step = self.path(slot);
        let failure = Failure::new(
            FailureClass::Internal,
            "the step makes no call that could be approved",
        )
        .with_effect(Effect::None)
        .at(step.clone(), None);
        EventKind::StepFailed {
            step,
            failure: Box::new(failure),
        }
    }

    /// The failure of a step whose request nobody answered in time.
    pub(super) fn out_of_time(&self, slot: Slot) -> EventKind {
        let step = self.path(slot);
        let failure = Failure::new(FailureClass::Timeout, "nobody answered in time")
            .with_effect(Effect::None)
            .with_retry(RetryAdvice::Never)
            .at(step.clone(), None);
        EventKind::StepFailed {
            step,
            failure: Box::new(failure),
        }
    }

    fn open(
        &self,
        slot: Slot,
        kind: RequestKind,
        prompt: String,
        schema: Value,
        call: Option<ProposedCall>,
        expires_at: Option<Timestamp>,
    ) -> EventKind {
        let step = self.path(slot);
        let occurrence = self.state.steps.at(slot).asked.saturating_add(1);
        let id = RequestId::of(self.run_id(), &step, self.state.generation, occurrence);
        let bound = json!({
            "request": id.as_str(),
            "run": self.run_id().as_str(),
            "plan": self.plan.digest().to_string(),
            "step": step.to_string(),
            "kind": kind.as_str(),
            "prompt": prompt,
            "schema": schema,
            "call": call.as_ref().map(|call| json!({
                "target": call.target.to_string(),
                "arguments": Value::Object((*call.arguments).clone()),
            })),
        });
        EventKind::RequestOpened(Box::new(Request {
            binding: plan_model::Digest::of_json(&bound),
            id,
            kind,
            step,
            prompt,
            schema,
            call,
            expires_at,
        }))
    }
}

/// The output that receives the answer, where the step declares it.
pub(super) fn response<'a>(step: &'a Step, ask: &HumanInteraction) -> Option<&'a Output> {
    step.outputs
        .iter()
        .find(|output| output.name == ask.response_field)
}

fn approval_schema() -> Value {
    json!({ "enum": ["approve", "reject", "cancel"] })
}

/// A text, and what the declared output says beyond that.
fn answer_schema(output: Option<&Output>) -> Value {
    let declared = output.and_then(|output| output.schema.as_ref());
    let mut schema = match declared.map(|schema| &schema.0) {
        Some(Value::Object(declared)) => declared.clone(),
        Some(_) | None => Map::new(),
    };
    schema.insert("type".to_owned(), Value::from("string"));
    Value::Object(schema)
}
