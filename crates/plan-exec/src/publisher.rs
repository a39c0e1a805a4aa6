//! Where the updates of one run go: to whoever watches it, and to the observers of the executor.

use std::sync::Arc;

use plan_run::{Event, RunStatus, StepPath};
use tokio::sync::broadcast;

use crate::drive::redact::Redactor;
use crate::observer::Watch;
use crate::{ExecError, ObservedRun, RunUpdate};

/// Shows what happens in one run. Never waits for whoever looks.
#[derive(Debug)]
pub(crate) struct Publisher {
    updates: broadcast::Sender<RunUpdate>,
    observed: Observed,
}

/// The run as observers see it, and those who do.
#[derive(Debug, Clone)]
struct Observed {
    run: Arc<ObservedRun>,
    observers: Arc<[Arc<Watch>]>,
}

impl Publisher {
    pub(crate) fn new(
        updates: broadcast::Sender<RunUpdate>,
        run: ObservedRun,
        observers: Arc<[Arc<Watch>]>,
    ) -> Self {
        Self {
            updates,
            observed: Observed {
                run: Arc::new(run),
                observers,
            },
        }
    }

    /// Shows an event that is in the journal.
    pub(crate) fn recorded(&self, event: &Arc<Event>) {
        publish(&self.updates, &self.observed, || {
            RunUpdate::Recorded(Arc::clone(event))
        });
    }

    /// Ends the streams of the run, and tells observers how its drive came out.
    pub(crate) fn end(self, outcome: &Result<RunStatus, ExecError>) {
        drop(self.updates);
        for observer in &*self.observed.observers {
            observer.left(&self.observed.run, outcome.clone());
        }
    }
}

/// How a call says how far it is.
#[derive(Debug, Clone)]
pub(crate) struct Progress(Option<Line>);

#[derive(Debug, Clone)]
struct Line {
    /// Does not keep the streams of the run from ending.
    updates: broadcast::WeakSender<RunUpdate>,
    observed: Observed,
    redactor: Arc<Redactor>,
}

/// The most bytes of one report.
const MESSAGE_BYTES: usize = 1024;

impl Progress {
    /// To whoever looks at the run, secrets struck out.
    pub(crate) fn to(publisher: &Publisher, redactor: Arc<Redactor>) -> Self {
        Self(Some(Line {
            updates: publisher.updates.downgrade(),
            observed: publisher.observed.clone(),
            redactor,
        }))
    }

    /// To nobody.
    pub(crate) fn nowhere() -> Self {
        Self(None)
    }

    /// Sends a report. Never waits; without anybody who looks it does nothing.
    pub(crate) fn report(&self, step: &StepPath, attempt: u32, mut message: String) {
        let Some(line) = &self.0 else {
            return;
        };
        // the drive may have ended
        let Some(updates) = line.updates.upgrade() else {
            return;
        };
        publish(&updates, &line.observed, move || {
            line.redactor.text(&mut message);
            message.truncate(message.floor_char_boundary(MESSAGE_BYTES));
            RunUpdate::Progress {
                step: step.clone(),
                attempt,
                message,
            }
        });
    }
}

fn publish(
    updates: &broadcast::Sender<RunUpdate>,
    observed: &Observed,
    update: impl FnOnce() -> RunUpdate,
) {
    let is_watched = updates.receiver_count() > 0;
    if !is_watched && observed.observers.is_empty() {
        return;
    }
    let update = update();
    for observer in &*observed.observers {
        observer.saw(&observed.run, update.clone());
    }
    if is_watched {
        // fails only when the last watcher has just left
        let _ = updates.send(update);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, Weak};

    use plan_model::{Digest, PlanId, StepId, Timestamp};
    use plan_run::event::{PlanRef, Trigger};
    use plan_run::{EventKind, RunId};

    use super::*;
    use crate::{Observer, Updates};

    /// Sees nothing before its door is open.
    #[derive(Debug)]
    struct Behind(Arc<Mutex<()>>);

    impl Observer for Behind {
        fn saw(&self, _: &ObservedRun, _: &RunUpdate) {
            drop(self.0.lock());
        }
    }

    fn run() -> ObservedRun {
        ObservedRun {
            run: RunId::new("r").unwrap(),
            plan: PlanRef {
                id: PlanId::of_bytes(b"a plan"),
                version: 1,
                name: "a plan".to_owned(),
                digest: Digest::of_json(&serde_json::json!(1)),
            },
            principal: None,
            tags: std::collections::BTreeMap::new(),
            trigger: Trigger::Caller,
        }
    }

    #[tokio::test]
    async fn of_a_hundred_thousand_unread_events_the_last_thousand_are_kept() {
        const EVENTS: u64 = 100_000;
        let door = Arc::new(Mutex::new(()));
        let shut = door.lock().unwrap();
        let observers = Arc::new([Arc::new(Watch::new(Arc::new(Behind(Arc::clone(&door)))))]);
        let (updates, unread) = broadcast::channel(crate::update::UPDATES);
        let publisher = Publisher::new(updates, run(), observers);
        let mut events: Vec<Weak<Event>> = Vec::new();
        for at in 0..EVENTS {
            let event = Arc::new(Event {
                at: Timestamp::from_millis(i64::try_from(at).unwrap()),
                kind: EventKind::ItemsStopped {
                    step: StepPath::from(StepId::new("s").unwrap()),
                },
            });
            publisher.recorded(&event);
            events.push(Arc::downgrade(&event));
        }
        let kept = events.iter().filter(|event| event.strong_count() > 0);
        // and the one that the observer is being shown
        assert!(kept.count() <= 1_024 + 1);
        drop(shut);
        let mut updates = Updates::new(unread);
        let first = updates.next().await;
        assert!(
            matches!(first, Some(RunUpdate::Missed(missed)) if missed == EVENTS - 1_024),
            "{first:?}"
        );
        publisher.end(&Ok(RunStatus::Succeeded));
        let mut left = 0;
        while updates.next().await.is_some() {
            left += 1;
        }
        assert_eq!(left, 1_024);
    }
}
