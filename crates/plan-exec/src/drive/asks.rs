//! Requests that a channel is carrying to a person.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan_run::{Request, RequestId, RunId};
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinSet};

use crate::drive::Control;
use crate::drive::command::Told;
use crate::{HumanAnswer, HumanChannel};

/// The questions that are out.
#[derive(Debug, Default)]
pub(crate) struct Asks {
    tasks: JoinSet<(RequestId, Option<HumanAnswer>)>,
    out: BTreeMap<RequestId, AbortHandle>,
}

impl Asks {
    /// Hands a request to the channel.
    pub(crate) fn ask(&mut self, channel: &Arc<dyn HumanChannel>, run: RunId, request: Request) {
        if self.out.contains_key(&request.id) {
            return;
        }
        let id = request.id.clone();
        let channel = Arc::clone(channel);
        let task = self.tasks.spawn(async move {
            let answer = channel.ask(&run, &request).await;
            (request.id, answer)
        });
        self.out.insert(id, task);
    }

    /// Waits for a channel to come back; with an answer, unless the person left it open.
    pub(crate) async fn next(&mut self) -> Option<Option<Told>> {
        let (request, answer) = match self.tasks.join_next().await? {
            Ok(back) => back,
            Err(error) => {
                // a channel that panicked leaves its request open
                tracing::error!(%error, "a channel to a person failed");
                self.out.retain(|_, task| !task.is_finished());
                return Some(None);
            }
        };
        self.out.remove(&request);
        Some(answer.map(|HumanAnswer { answer, by }| {
            let control = Control::Answer {
                request,
                answer,
                by,
            };
            // nobody waits: an answer that does not fit leaves the request open
            (control, oneshot::channel().0)
        }))
    }

    /// Stops asking: the request was answered elsewhere.
    pub(crate) fn withdraw(&mut self, request: &RequestId) {
        if let Some(task) = self.out.remove(request) {
            task.abort();
        }
    }

    /// Whether no question is out.
    pub(crate) fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Stops asking at all.
    pub(crate) fn clear(&mut self) {
        self.out.clear();
        self.tasks.abort_all();
    }
}
