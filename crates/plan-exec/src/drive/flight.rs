//! One attempt in flight: its time, its panics, its cancellation.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;

use crate::drive::outcome::Returned;
use crate::{Cancellation, ToolError};

/// How the call of an attempt came to its end.
#[derive(Debug)]
pub(crate) enum Landing {
    /// By itself.
    Returned(Result<Returned, ToolError>),
    /// By a panic; what it said, where it said something.
    Panicked(Option<String>),
    /// Its time was up. What it still returned within its grace is late.
    TimedOut {
        /// The time that it had.
        limit: Duration,
        /// What came too late.
        late: Option<Result<Returned, ToolError>>,
    },
    /// The run is ending, and the call did not end by itself within its grace.
    Stopped,
}

/// Waits for a call to end, or ends it.
///
/// Once its time is up or the run is ending, a call that has looked at its
/// cancellation has `grace` to end by itself; then it is dropped, which kills
/// what it started.
pub(crate) async fn fly<F>(
    call: F,
    limit: Option<Duration>,
    grace: Duration,
    cancellation: Cancellation,
) -> Landing
where
    F: Future<Output = Result<Returned, ToolError>>,
{
    // unwind safety: nothing of the call is looked at after a panic
    let mut call = Box::pin(AssertUnwindSafe(call).catch_unwind());
    let time_is_up = async {
        match limit {
            Some(limit) => tokio::time::sleep(limit).await,
            None => std::future::pending().await,
        }
    };
    let timed_out = tokio::select! {
        biased;
        ended = &mut call => return landed(ended),
        () = cancellation.cancelled() => None,
        () = time_is_up => limit,
    };
    cancellation.cancel();
    let last = if cancellation.is_observed() {
        tokio::time::timeout(grace, call).await.ok()
    } else {
        None
    };
    match (timed_out, last.map(landed)) {
        (Some(limit), Some(Landing::Returned(late))) => Landing::TimedOut {
            limit,
            late: Some(late),
        },
        (Some(limit), _) => Landing::TimedOut { limit, late: None },
        (None, Some(landing)) => landing,
        (None, None) => Landing::Stopped,
    }
}

fn landed(ended: Result<Result<Returned, ToolError>, Box<dyn Any + Send>>) -> Landing {
    match ended {
        Ok(result) => Landing::Returned(result),
        Err(panic) => Landing::Panicked(said(&*panic)),
    }
}

/// The text of a panic, where it has one.
fn said(panic: &(dyn Any + Send)) -> Option<String> {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
}
