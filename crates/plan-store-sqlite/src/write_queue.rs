//! The one thread that writes, and the queue before it.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use plan_run::RetryAdvice;
use plan_store::StoreError;
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::error::{cannot_open, failed, patiently, stopped};

/// The most tasks in one commit. Bounds how long the first of them waits.
const MAX_GROUP: usize = 256;

/// Hands work to the thread that owns the writing connection.
///
/// What waits in the queue goes into one commit, and nobody hears of success before
/// that commit. Each task has a savepoint: what it wrote is undone if it fails, and
/// the others stay. A task that was queued is done even if nobody waits for it.
#[derive(Debug, Clone)]
pub(crate) struct WriteQueue(Sender<Box<dyn Task>>);

impl WriteQueue {
    /// Starts the thread, on which `open` makes the connection.
    pub(crate) async fn start(
        path: &std::path::Path,
        patience: Duration,
        open: impl FnOnce() -> Result<Connection, StoreError> + Send + 'static,
    ) -> Result<Self, StoreError> {
        let (sender, tasks) = channel();
        let (opened, opening) = oneshot::channel();
        thread::Builder::new()
            .name("planwright-store".to_owned())
            .spawn(move || match open() {
                Ok(connection) => {
                    // a caller that gave up has dropped the queue as well
                    let _ = opened.send(Ok(()));
                    serve(&connection, &tasks, patience);
                }
                Err(error) => {
                    let _ = opened.send(Err(error));
                }
            })
            .map_err(|error| cannot_open(path, format!("no thread can be started ({error})")))?;
        opening.await.map_err(|_| stopped())??;
        Ok(Self(sender))
    }

    /// Performs `work` within a commit, and returns once that is durable.
    pub(crate) async fn commit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let task = Pending {
            work: Some(work),
            outcome: None,
            reply,
        };
        self.0.send(Box::new(task)).map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }
}

/// Work in the queue, whatever its result.
trait Task: Send {
    /// Does the work. The error says why what it wrote must be undone.
    fn perform(&mut self, connection: &Connection) -> Result<(), StoreError>;
    /// Answers who waits, with its own outcome or with why the commit failed.
    fn answer(self: Box<Self>, committed: &Result<(), StoreError>);
}

struct Pending<F, T> {
    work: Option<F>,
    outcome: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<F, T> Task for Pending<F, T>
where
    F: FnOnce(&Connection) -> Result<T, StoreError> + Send,
    T: Send,
{
    fn perform(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let Some(work) = self.work.take() else {
            return Ok(());
        };
        let outcome = work(connection);
        let undo = outcome.as_ref().map(|_| ()).map_err(Clone::clone);
        self.outcome = Some(outcome);
        undo
    }

    fn answer(self: Box<Self>, committed: &Result<(), StoreError>) {
        let outcome = match (self.outcome, committed) {
            (Some(outcome), Ok(())) => outcome,
            // a refusal wrote nothing, so it holds without the commit
            (Some(Err(refusal)), Err(_)) => Err(refusal),
            (_, Err(error)) => Err(error.clone()),
            (None, Ok(())) => Err(stopped()),
        };
        // nobody waits any more: the future was dropped
        let _ = self.reply.send(outcome);
    }
}

fn serve(connection: &Connection, tasks: &Receiver<Box<dyn Task>>, patience: Duration) {
    while let Ok(first) = tasks.recv() {
        let mut group = vec![first];
        group.extend(tasks.try_iter().take(MAX_GROUP - 1));
        let committed = commit(connection, &mut group, patience);
        for task in group {
            task.answer(&committed);
        }
    }
}

fn commit(
    connection: &Connection,
    group: &mut [Box<dyn Task>],
    patience: Duration,
) -> Result<(), StoreError> {
    patiently(patience, || execute(connection, "BEGIN IMMEDIATE")).map_err(failed)?;
    let done = perform(connection, group)
        .and_then(|()| patiently(patience, || execute(connection, "COMMIT")).map_err(failed));
    if done.is_err() && !connection.is_autocommit() {
        execute(connection, "ROLLBACK").map_err(failed)?;
    }
    done
}

fn perform(connection: &Connection, group: &mut [Box<dyn Task>]) -> Result<(), StoreError> {
    for task in group {
        execute(connection, "SAVEPOINT task").map_err(failed)?;
        let outcome = task.perform(connection);
        if connection.is_autocommit() {
            // SQLite undid the whole commit, as it does when the disk is full
            return Err(outcome.err().unwrap_or_else(undone));
        }
        if outcome.is_err() {
            execute(connection, "ROLLBACK TO task").map_err(failed)?;
        }
        execute(connection, "RELEASE task").map_err(failed)?;
    }
    Ok(())
}

fn execute(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(|_| ())
}

fn undone() -> StoreError {
    StoreError::Backend {
        message: "SQLite undid the commit".to_owned(),
        retry: RetryAdvice::Later,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch("CREATE TABLE t (n INTEGER PRIMARY KEY)")
            .unwrap();
        connection
    }

    fn insert(n: i64, then: Result<(), StoreError>) -> (Box<dyn Task>, Answer) {
        let (reply, answer) = oneshot::channel();
        let work = move |connection: &Connection| {
            connection
                .execute("INSERT INTO t VALUES (?1)", [n])
                .map_err(failed)?;
            then
        };
        let task = Pending {
            work: Some(work),
            outcome: None,
            reply,
        };
        (Box::new(task), answer)
    }

    type Answer = oneshot::Receiver<Result<(), StoreError>>;

    fn run(connection: &Connection, tasks: Vec<(Box<dyn Task>, Answer)>) -> Vec<bool> {
        let (mut group, answers): (Vec<_>, Vec<_>) = tasks.into_iter().unzip();
        let committed = commit(connection, &mut group, Duration::ZERO);
        for task in group {
            task.answer(&committed);
        }
        answers
            .into_iter()
            .map(|mut answer| answer.try_recv().unwrap().is_ok())
            .collect()
    }

    fn rows(connection: &Connection) -> Vec<i64> {
        let mut statement = connection.prepare("SELECT n FROM t ORDER BY n").unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }

    #[test]
    fn a_task_that_fails_is_undone_alone() {
        let connection = connection();
        let answers = run(
            &connection,
            vec![
                insert(1, Ok(())),
                insert(2, Err(undone())),
                insert(3, Ok(())),
            ],
        );
        assert_eq!(answers, [true, false, true]);
        assert_eq!(rows(&connection), [1, 3]);
    }

    #[test]
    fn nobody_hears_of_success_when_the_commit_was_undone() {
        let connection = connection();
        let (reply, answer) = oneshot::channel();
        let undoes = Pending {
            work: Some(|connection: &Connection| execute(connection, "ROLLBACK").map_err(failed)),
            outcome: None,
            reply,
        };
        let answers = run(
            &connection,
            vec![
                insert(1, Ok(())),
                (Box::new(undoes), answer),
                insert(2, Ok(())),
            ],
        );
        assert_eq!(answers, [false, false, false]);
        assert_eq!(rows(&connection), [0i64; 0]);
        assert!(connection.is_autocommit());
    }
}
