//! A cooperative signal: the work should end now.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Tells work in flight that it should end: the run was cancelled, or the attempt's time is up.
///
/// Clones share one signal. A call that looked at its signal is given a grace
/// to end by itself once it was raised; a call that never looked is dropped at
/// once, at its next `.await`.
///
/// ```
/// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
/// # runtime.block_on(async {
/// let cancellation = plan_exec::Cancellation::new();
/// let seen = cancellation.clone();
/// cancellation.cancel();
/// seen.cancelled().await;
/// assert!(seen.is_cancelled());
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancellation(Arc<Signal>);

#[derive(Debug, Default)]
struct Signal {
    raised: AtomicBool,
    observed: AtomicBool,
    waiting: Notify,
}

impl Cancellation {
    /// A signal that nobody has raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises the signal. It is never lowered.
    pub fn cancel(&self) {
        self.0.raised.store(true, Ordering::Release);
        self.0.waiting.notify_waiters();
    }

    /// Whether the signal was raised.
    pub fn is_cancelled(&self) -> bool {
        self.0.raised.load(Ordering::Acquire)
    }

    /// Ends once the signal is raised; at once when it was.
    pub async fn cancelled(&self) {
        // registered before the look, so that a signal raised in between is not missed
        let raised = self.0.waiting.notified();
        if self.is_cancelled() {
            return;
        }
        raised.await;
    }

    /// Notes that the work looks at its signal, and so may end by itself.
    pub(crate) fn observe(&self) -> &Self {
        self.0.observed.store(true, Ordering::Release);
        self
    }

    /// Whether the work has ever looked at its signal.
    pub(crate) fn is_observed(&self) -> bool {
        self.0.observed.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_clone_wakes_and_a_late_one_does_not_wait() {
        let cancellation = Cancellation::new();
        let waiting: Vec<_> = (0..3)
            .map(|_| {
                let seen = cancellation.clone();
                tokio::spawn(async move { seen.cancelled().await })
            })
            .collect();
        tokio::task::yield_now().await;
        assert!(!cancellation.is_cancelled());
        cancellation.cancel();
        for task in waiting {
            task.await.unwrap();
        }
        cancellation.cancelled().await;
    }
}
