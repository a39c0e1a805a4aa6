//! Connections that only read, used off the async threads.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use plan_run::RetryAdvice;
use plan_store::StoreError;
use rusqlite::Connection;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::connection;
use crate::error::{failed, patiently, stopped};

/// The most reads at once.
const MAX_READERS: usize = 4;

/// A few connections, opened when they are first needed and then kept.
#[derive(Debug, Clone)]
pub(crate) struct Readers(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    patience: Duration,
    slots: Arc<Semaphore>,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(crate) fn new(path: PathBuf, patience: Duration) -> Self {
        Self(Arc::new(Shared {
            path,
            patience,
            slots: Arc::new(Semaphore::new(MAX_READERS)),
            idle: Mutex::default(),
        }))
    }

    /// Reads one consistent moment of the file.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let slot = Arc::clone(&self.0.slots)
            .acquire_owned()
            .await
            .map_err(|_| stopped())?;
        let shared = Arc::clone(&self.0);
        spawn_blocking(move || {
            let _slot = slot;
            shared.read(work)
        })
        .await
        .map_err(|_| StoreError::Backend {
            message: "a read was broken off".to_owned(),
            retry: RetryAdvice::Never,
        })?
    }
}

impl Shared {
    fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connection::reader(&self.path, self.patience)?,
        };
        patiently(self.patience, || connection.execute_batch("BEGIN")).map_err(failed)?;
        let outcome = work(&connection);
        // a connection that cannot end its transaction is not used again
        if connection.execute_batch("COMMIT").is_ok() {
            self.idle().push(connection);
        }
        outcome
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
