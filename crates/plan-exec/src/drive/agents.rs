//! What agents in flight want taken down: their calls, and what their models cost.

use std::collections::VecDeque;

use plan_run::{
    Effect, EventKind, Failure, FailureClass, JsonObject, Machine, ModelUsage, RetryAdvice,
    StepPath,
};
use tokio::sync::{mpsc, oneshot};

use crate::ExecError;
use crate::drive::Drive;
use crate::drive::batch::Batch;
use crate::drive::turn::refused_own;

/// The words of agents that nobody has looked at yet.
#[derive(Debug)]
pub(crate) struct Agents {
    sender: mpsc::UnboundedSender<AgentWord>,
    inbox: mpsc::UnboundedReceiver<AgentWord>,
    /// Taken in, not journaled yet.
    pub(super) pending: VecDeque<AgentWord>,
}

/// Something that an agent wants taken down.
#[derive(Debug)]
pub(crate) struct AgentWord {
    pub(crate) step: StepPath,
    pub(crate) attempt: u32,
    pub(crate) what: What,
    /// The number that it had in a batch which the journal seemed not to take.
    pub(crate) staged: Option<u32>,
    pub(crate) reply: oneshot::Sender<Result<u32, Box<Failure>>>,
}

/// What an agent says.
#[derive(Debug)]
pub(crate) enum What {
    /// It wants to call a tool; what speaks against it.
    Called {
        tool: String,
        arguments: JsonObject,
        refusal: Option<Failure>,
    },
    /// A call has ended.
    Ended { call: u32, failure: Option<Failure> },
    /// Its model answered.
    Answered { usage: ModelUsage },
}

/// A word in a batch, and what is said to it once the journal has it.
pub(crate) type Heard = (AgentWord, Result<u32, Box<Failure>>);

impl Agents {
    pub(super) fn new() -> Self {
        let (sender, inbox) = mpsc::unbounded_channel();
        Self {
            sender,
            inbox,
            pending: VecDeque::new(),
        }
    }

    /// The way from an agent to its drive.
    pub(super) fn sender(&self) -> mpsc::UnboundedSender<AgentWord> {
        self.sender.clone()
    }

    /// Waits for a word, and takes it in.
    pub(super) async fn listen(&mut self) {
        if let Some(word) = self.inbox.recv().await {
            self.pending.push_back(word);
        }
    }

    /// Takes in what has been said already.
    pub(super) fn try_listen(&mut self) {
        while let Ok(word) = self.inbox.try_recv() {
            self.pending.push_back(word);
        }
    }
}

impl AgentWord {
    /// The event that it makes, and what is said to it.
    fn event(&self, machine: &Machine) -> Option<(EventKind, Result<u32, Box<Failure>>)> {
        let (step, attempt) = (&self.step, self.attempt);
        match &self.what {
            What::Called {
                tool,
                arguments,
                refusal,
            } => {
                let called = machine
                    .agent_calls(
                        step,
                        attempt,
                        tool.clone(),
                        arguments.clone(),
                        refusal.clone(),
                    )
                    .ok()?;
                let said = match &called.refusal {
                    Some(refusal) => Err(refusal.clone()),
                    None => Ok(called.call),
                };
                Some((EventKind::AgentCalled(Box::new(called)), said))
            }
            What::Ended { call, failure } => {
                let event = machine.agent_call_ends(step, attempt, *call, failure.clone())?;
                Some((event, Ok(*call)))
            }
            What::Answered { usage } => {
                let answer = machine.answers(step, attempt).saturating_add(1);
                let event = machine.answered(step, attempt, *usage)?;
                Some((event, Ok(answer)))
            }
        }
    }

    /// Whether an event of the journal says just this.
    pub(super) fn made(&self, event: &EventKind) -> bool {
        let of = |step: &StepPath, attempt: u32| *step == self.step && attempt == self.attempt;
        match (&self.what, event) {
            (What::Called { .. }, EventKind::AgentCalled(called)) => {
                of(&called.step, called.attempt) && self.staged == Some(called.call)
            }
            (
                What::Ended { call, .. },
                EventKind::AgentCallEnded {
                    step,
                    attempt,
                    call: ended,
                    ..
                },
            ) => of(step, *attempt) && call == ended,
            (
                What::Answered { .. },
                EventKind::ModelAnswered {
                    step,
                    attempt,
                    answer,
                    ..
                },
            ) => of(step, *attempt) && self.staged == Some(*answer),
            _ => false,
        }
    }
}

/// What an event that the journal has says to the agent that made it.
pub(super) fn said_by(event: &EventKind) -> Result<u32, Box<Failure>> {
    match event {
        EventKind::AgentCalled(called) => match &called.refusal {
            Some(refusal) => Err(refusal.clone()),
            None => Ok(called.call),
        },
        EventKind::AgentCallEnded { call, .. } => Ok(*call),
        EventKind::ModelAnswered { answer, .. } => Ok(*answer),
        _ => Err(Box::new(over())),
    }
}

/// What is said to an agent whose attempt is over.
pub(super) fn over() -> Failure {
    Failure::new(FailureClass::Cancelled, "the attempt of the agent is over")
        .with_effect(Effect::None)
        .with_retry(RetryAdvice::Never)
}

impl Drive {
    /// Stages what agents want taken down.
    pub(super) fn stage_agents(&mut self, batch: &mut Batch) -> Result<(), ExecError> {
        while let Some(mut word) = self.agents.pending.pop_front() {
            // a late answer of an ended attempt has nobody left to tell
            let is_heard = self.machine.is_under_way(&word.step, word.attempt);
            let made = is_heard.then(|| word.event(&self.machine)).flatten();
            let Some((event, said)) = made else {
                // the agent may be gone
                drop(word.reply.send(Err(Box::new(over()))));
                continue;
            };
            word.staged = match &event {
                EventKind::AgentCalled(called) => Some(called.call),
                EventKind::AgentCallEnded { call, .. } => Some(*call),
                EventKind::ModelAnswered { answer, .. } => Some(*answer),
                _ => None,
            };
            batch
                .stage(&mut self.machine, event)
                .map_err(|refused| refused_own(&self.facts.run, refused))?;
            batch.heard.push((word, said));
        }
        Ok(())
    }
}
