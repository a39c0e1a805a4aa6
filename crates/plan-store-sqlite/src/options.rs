//! How a store is opened.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use plan_store::{Clock, StoreError, SystemClock};

use crate::SqliteStore;

/// What an acknowledged append survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Durability {
    /// The loss of power: every commit waits for the disk (`synchronous = FULL`).
    #[default]
    PowerLoss,
    /// The death of the process by whatever means, not that of the machine
    /// (`synchronous = NORMAL`). The file stays whole, the last commits may be lost.
    ProcessCrash,
}

/// How to open a [`SqliteStore`]; made by [`SqliteStore::options`].
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    pub(crate) durability: Durability,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) patience: Duration,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            durability: Durability::default(),
            clock: Arc::new(SystemClock),
            patience: Duration::from_secs(30),
        }
    }
}

impl SqliteOptions {
    /// What an acknowledged append survives. [`Durability::PowerLoss`] unless said otherwise.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// The clock by which claims live. That of the operating system unless said otherwise.
    ///
    /// All processes that share a file must agree on the time.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// How long to wait for other processes that write to the file: 30 seconds unless said otherwise.
    ///
    /// Past that, a call fails with the advice to try later.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Opens the file, which is made with its folders where it does not exist.
    ///
    /// # Errors
    /// As [`SqliteStore::open`].
    pub async fn open(self, path: impl AsRef<Path>) -> Result<SqliteStore, StoreError> {
        SqliteStore::open_with(path.as_ref(), self).await
    }
}
