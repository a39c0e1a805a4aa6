//! How a call says how far it is.

use plan_run::StepPath;
use tokio::sync::broadcast;

use crate::RunUpdate;

/// Where the reports of one run go.
#[derive(Debug, Clone)]
pub(crate) struct Progress(Option<broadcast::WeakSender<RunUpdate>>);

/// The most bytes of one report.
const MESSAGE_BYTES: usize = 1024;

impl Progress {
    /// To whoever watches the run. Does not keep the watchers' streams from ending.
    pub(crate) fn to(updates: &broadcast::Sender<RunUpdate>) -> Self {
        Self(Some(updates.downgrade()))
    }

    /// To nobody.
    pub(crate) fn nowhere() -> Self {
        Self(None)
    }

    /// Sends a report. Never waits; without watchers it does nothing.
    pub(crate) fn report(&self, step: &StepPath, attempt: u32, mut message: String) {
        let Some(updates) = self.0.as_ref().and_then(broadcast::WeakSender::upgrade) else {
            return;
        };
        if updates.receiver_count() == 0 {
            return;
        }
        message.truncate(message.floor_char_boundary(MESSAGE_BYTES));
        // fails only when the last watcher has just left
        let _ = updates.send(RunUpdate::Progress {
            step: step.clone(),
            attempt,
            message,
        });
    }
}
