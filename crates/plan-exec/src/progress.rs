//! How a call says how far it is.

use std::sync::Arc;

use plan_run::StepPath;
use tokio::sync::broadcast;

use crate::RunUpdate;
use crate::drive::redact::Redactor;

/// Where the reports of one run go.
#[derive(Debug, Clone)]
pub(crate) struct Progress(Option<(broadcast::WeakSender<RunUpdate>, Arc<Redactor>)>);

/// The most bytes of one report.
const MESSAGE_BYTES: usize = 1024;

impl Progress {
    /// To whoever watches the run, secrets struck out. Does not keep the watchers' streams from ending.
    pub(crate) fn to(updates: &broadcast::Sender<RunUpdate>, redactor: Arc<Redactor>) -> Self {
        Self(Some((updates.downgrade(), redactor)))
    }

    /// To nobody.
    pub(crate) fn nowhere() -> Self {
        Self(None)
    }

    /// Sends a report. Never waits; without watchers it does nothing.
    pub(crate) fn report(&self, step: &StepPath, attempt: u32, mut message: String) {
        let Some((updates, redactor)) = &self.0 else {
            return;
        };
        let Some(updates) = updates.upgrade() else {
            return;
        };
        if updates.receiver_count() == 0 {
            return;
        }
        redactor.text(&mut message);
        message.truncate(message.floor_char_boundary(MESSAGE_BYTES));
        // fails only when the last watcher has just left
        let _ = updates.send(RunUpdate::Progress {
            step: step.clone(),
            attempt,
            message,
        });
    }
}
