//! The queue before one observer, and the thread on which it is called.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use plan_run::{RunId, RunStatus};
use tokio::sync::watch;
use tracing::Dispatch;

use crate::update::UPDATES;
use crate::{ExecError, ObservedRun, Observer, RunUpdate};

/// One observer, and what it has not been shown yet.
///
/// Its thread begins with the first notice, and ends once this is dropped and everything was shown.
#[derive(Debug)]
pub(crate) struct Watch(Arc<Desk>);

#[derive(Debug)]
struct Desk {
    observer: Arc<dyn Observer>,
    queue: Mutex<Queue>,
    more: Condvar,
    /// The number of the last notice that was shown.
    shown: watch::Sender<u64>,
}

#[derive(Debug)]
struct Queue {
    notices: VecDeque<Notice>,
    /// What was dropped of each run, and not told yet.
    missed: BTreeMap<RunId, (Arc<ObservedRun>, u64)>,
    /// The number of the last notice that was put in.
    number: u64,
    thread: Thread,
    closed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thread {
    Unborn,
    Runs,
    /// There can be none: nothing is kept for it.
    Refused,
}

#[derive(Debug)]
struct Notice {
    number: u64,
    run: Arc<ObservedRun>,
    what: What,
}

#[derive(Debug)]
enum What {
    Saw(RunUpdate),
    Left(Result<RunStatus, ExecError>),
}

impl Watch {
    pub(crate) fn new(observer: Arc<dyn Observer>) -> Self {
        let queue = Queue {
            notices: VecDeque::new(),
            missed: BTreeMap::new(),
            number: 0,
            thread: Thread::Unborn,
            closed: false,
        };
        Self(Arc::new(Desk {
            observer,
            queue: Mutex::new(queue),
            more: Condvar::new(),
            shown: watch::Sender::new(0),
        }))
    }

    /// Leaves an update for the observer. Never waits for it.
    pub(crate) fn saw(&self, run: &Arc<ObservedRun>, update: RunUpdate) {
        self.leave(run, What::Saw(update));
    }

    /// Tells the observer how the drive of a run came out.
    pub(crate) fn left(&self, run: &Arc<ObservedRun>, outcome: Result<RunStatus, ExecError>) {
        self.leave(run, What::Left(outcome));
    }

    fn leave(&self, run: &Arc<ObservedRun>, what: What) {
        let mut queue = self.0.lock();
        if queue.thread == Thread::Unborn {
            queue.thread = begin(Arc::clone(&self.0));
        }
        if queue.thread == Thread::Refused {
            return;
        }
        queue.number += 1;
        let notice = Notice {
            number: queue.number,
            run: Arc::clone(run),
            what,
        };
        queue.notices.push_back(notice);
        if queue.notices.len() > UPDATES {
            queue.drop_oldest();
        }
        drop(queue);
        self.0.more.notify_one();
    }

    /// Waits until the observer was shown all that has been left for it so far.
    pub(crate) async fn caught_up(&self) {
        let mut shown = self.0.shown.subscribe();
        let number = {
            let queue = self.0.lock();
            if queue.thread == Thread::Refused {
                return;
            }
            queue.number
        };
        // the sender is here, and so it cannot be gone
        let _ = shown.wait_for(|shown| *shown >= number).await;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.more.notify_one();
    }
}

/// Begins the thread of an observer.
fn begin(desk: Arc<Desk>) -> Thread {
    // whoever listens to this executor should hear of panics too
    let dispatch = tracing::dispatcher::get_default(Dispatch::clone);
    let show = move || tracing::dispatcher::with_default(&dispatch, || desk.show_all());
    let thread = std::thread::Builder::new().name("planwright-observer".to_owned());
    match thread.spawn(show) {
        Ok(_) => Thread::Runs,
        Err(error) => {
            tracing::error!(%error, "there is no thread for an observer, which sees nothing");
            Thread::Refused
        }
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // nothing panics while it holds the lock
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows what is left here, until nobody can leave anything any more.
    fn show_all(&self) {
        while let Some((missed, notice)) = self.next() {
            let Notice { number, run, what } = notice;
            if let Some(missed) = missed {
                self.show(&run, |observer| {
                    observer.saw(&run, &RunUpdate::Missed(missed));
                });
            }
            match what {
                What::Saw(update) => self.show(&run, |observer| observer.saw(&run, &update)),
                What::Left(outcome) => self.show(&run, |observer| {
                    observer.left(&run, outcome.as_ref().copied());
                }),
            }
            self.shown.send_replace(number);
        }
    }

    /// The next notice, and how many of its run before it were dropped. Waits for one; `None` once there can be none.
    fn next(&self) -> Option<(Option<u64>, Notice)> {
        let mut queue = self.lock();
        loop {
            if let Some(notice) = queue.notices.pop_front() {
                let missed = queue.missed.remove(&notice.run.run);
                return Some((missed.map(|(_, count)| count), notice));
            }
            // nothing of these runs is left that it could go before
            if let Some((_, (run, missed))) = queue.missed.pop_first() {
                let what = What::Saw(RunUpdate::Missed(missed));
                let number = queue.number;
                return Some((None, Notice { number, run, what }));
            }
            if queue.closed {
                return None;
            }
            queue = self
                .more
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn show(&self, run: &ObservedRun, call: impl FnOnce(&dyn Observer)) {
        // unwind safety: whatever the observer left half done is its own
        let shown = catch_unwind(AssertUnwindSafe(|| call(&*self.observer)));
        if shown.is_err() {
            tracing::error!(run = %run.run, "an observer panicked, and is shown what follows");
        }
    }
}

impl Queue {
    fn drop_oldest(&mut self) {
        if let Some(Notice { run, .. }) = self.notices.pop_front() {
            let entry = self.missed.entry(run.run.clone());
            entry.or_insert_with(|| (run, 0)).1 += 1;
        }
    }
}
