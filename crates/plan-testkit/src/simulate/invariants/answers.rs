//! Requests and answers, and the calls that wait for them.

use std::collections::BTreeMap;

use plan_run::event::Consequence;
use plan_run::{Answer, EventKind, JsonObject, Request, RequestId, RequestKind, StepPath};
use plan_validate::Approval;

use crate::simulate::Simulation;
use crate::simulate::folded::{Ended, Folded};
use crate::simulate::simulated::Run;

pub(super) fn count_once(run: &Run) -> Vec<String> {
    let mut broken = Vec::new();
    let mut open: BTreeMap<&RequestId, &Request> = BTreeMap::new();
    for entry in &run.journal {
        match &entry.event.kind {
            EventKind::RequestOpened(request) => {
                open.insert(&request.id, request);
            }
            EventKind::RequestWithdrawn { request, .. } => {
                open.remove(request);
            }
            EventKind::StepFailed { step, .. } => open.retain(|_, request| request.step != *step),
            EventKind::RequestAnswered(answered) => {
                let Some(request) = open.remove(&answered.request) else {
                    broken.push(format!("{} is not open", answered.request));
                    continue;
                };
                let is_text = matches!(answered.answer, Answer::Text(_));
                let takes_text = request.kind == RequestKind::Question;
                let is_cancel = answered.answer == Answer::Cancel;
                let is_late = request.expires_at.is_some_and(|last| entry.event.at > last);
                if (is_text != takes_text && !is_cancel)
                    || is_late
                    || answered.binding != request.binding
                {
                    broken.push(format!("{} took {:?}", request.id, answered.answer));
                }
            }
            _ => {}
        }
    }
    broken
}

pub(super) fn approved_first(of: &Simulation, run: &Run) -> Vec<String> {
    let mut broken = Vec::new();
    let mut shown: BTreeMap<&RequestId, &JsonObject> = BTreeMap::new();
    let mut approved: BTreeMap<&StepPath, &JsonObject> = BTreeMap::new();
    let mut folded = Folded::default();
    for entry in &run.journal {
        let kind = &entry.event.kind;
        match kind {
            EventKind::RequestOpened(request) => {
                approved.remove(&request.step);
                if let Some(call) = &request.call {
                    shown.insert(&request.id, &call.arguments);
                }
            }
            EventKind::RequestAnswered(answered) => {
                if let (Consequence::Permits, Some(call)) =
                    (&answered.consequence, shown.get(&answered.request))
                {
                    approved.insert(&answered.step, call);
                }
            }
            EventKind::RunResumed { reset, .. } => {
                approved.retain(|step, _| !reset.contains(step));
            }
            EventKind::AttemptStarted(started) => {
                let site = of.plan.grant().site(started.step.step());
                let is_approved = match site.map(|site| &site.approval) {
                    Some(Approval::AskAtCall(_)) => {
                        approved.get(&started.step) == Some(&&started.arguments)
                    }
                    Some(Approval::GivenBy(gate)) => {
                        folded.ended.get(&StepPath::from(gate)) == Some(&Ended::Succeeded)
                    }
                    Some(Approval::NotNeeded) | None => true,
                };
                if !is_approved {
                    broken.push(format!("{} #{}", started.step, started.attempt));
                }
            }
            _ => {}
        }
        folded.take(kind);
    }
    broken
}
