//! A way to a person, for hosts that have one at hand.

use std::fmt::Debug;

use async_trait::async_trait;
use plan_run::{Answer, PrincipalName, Request, RunId};

/// Carries requests to a person while the run is driven.
///
/// Optional: without one, requests stay open in the journal and are answered
/// through [`Executor::answer`](crate::Executor::answer) or by another process.
/// With one, a run that waits is driven until every asked channel has replied.
#[async_trait]
pub trait HumanChannel: Debug + Send + Sync {
    /// Shows a request that is now in the journal, and brings the answer.
    ///
    /// `None` leaves the request open: the person declined to answer, or will
    /// do so another way. May be dropped at any `.await`, when the request was
    /// answered elsewhere or the drive ended. After a crash the same request is
    /// shown again.
    async fn ask(&self, run: &RunId, request: &Request) -> Option<HumanAnswer>;
}

/// What a person said, and who it was.
#[derive(Debug, Clone, PartialEq)]
pub struct HumanAnswer {
    /// The answer. Text never approves.
    pub answer: Answer,
    /// Who gave it.
    pub by: PrincipalName,
}

fn _is_object_safe(_: &dyn HumanChannel) {}
