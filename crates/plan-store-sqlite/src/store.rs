//! The store: one file, one thread that writes, a few connections that read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use plan_model::Timestamp;
use plan_run::RetryAdvice;
use plan_store::{Clock, StoreError};
use rusqlite::Connection;
use tokio::task::spawn_blocking;

use crate::SqliteOptions;
use crate::connection;
use crate::owners::Owners;
use crate::readers::Readers;
use crate::wakeups::Wakeups;
use crate::write_queue::WriteQueue;

/// Runs and plan versions in one SQLite file, which any number of processes on
/// one machine may open at once.
///
/// Clones share everything. With the last clone the store lets go of the locks of its
/// owners; what was queued by then is still written.
///
/// # Guarantees
/// Those of [`plan_store::RunStore`] and [`plan_store::PlanStore`], and:
/// - an acknowledged write survives what [`crate::Durability`] says;
/// - a killed owner's run can be claimed at once;
/// - a damaged record spoils only its own run;
/// - other processes that write make a call wait, not fail, up to
///   [`SqliteOptions::patience`].
///
/// # Non-guarantees
/// The file belongs on a local disk: SQLite's locks do not hold on network file systems.
/// The file is not encrypted, and holds what runs were given. A file that is new can be
/// read by its owner only.
///
/// ```
/// use plan_store::{RunFilter, RunStore, StoreError};
/// use plan_store_sqlite::SqliteStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), StoreError> {
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("runs.db");
/// let store = SqliteStore::open(path).await?;
/// let page = store.list(&RunFilter::default(), &Default::default()).await?;
/// assert!(page.heads.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct SqliteStore(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    queue: WriteQueue,
    readers: Readers,
    owners: Arc<Owners>,
    wakeups: Wakeups,
}

impl SqliteStore {
    /// Opens a file with the default options; makes it with its folders where it does not exist.
    ///
    /// # Errors
    /// [`StoreError::Open`] when the path cannot be used: not writable, a folder, not a
    /// database, the database of another program. [`StoreError::NewerSchema`] when a newer
    /// release wrote it. [`StoreError::Backend`] when other processes kept it busy for too long.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::options().open(path).await
    }

    /// The options under which a file is opened.
    ///
    /// ```
    /// use plan_store_sqlite::{Durability, SqliteStore};
    ///
    /// # async fn open() -> Result<(), plan_store::StoreError> {
    /// let store = SqliteStore::options()
    ///     .durability(Durability::ProcessCrash)
    ///     .open("runs.db")
    ///     .await?;
    /// # let _ = store;
    /// # Ok(())
    /// # }
    /// ```
    pub fn options() -> SqliteOptions {
        SqliteOptions::default()
    }

    /// Where the file is, as an absolute path.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    pub(crate) async fn open_with(path: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        let given = path.to_owned();
        let path = off_thread(move || connection::prepare(&given)).await?;
        let queue = WriteQueue::start(&path, options.patience, {
            let (path, options) = (path.clone(), options.clone());
            move || connection::writer(&path, &options)
        })
        .await?;
        let owners = off_thread({
            let path = path.clone();
            move || Ok(Arc::new(Owners::beside(&path)))
        })
        .await?;
        Ok(Self(Arc::new(Shared {
            clock: options.clock,
            queue,
            readers: Readers::new(path.clone(), options.patience),
            owners,
            wakeups: Wakeups::default(),
            path,
        })))
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    pub(crate) fn owners(&self) -> &Arc<Owners> {
        &self.0.owners
    }

    pub(crate) fn wakeups(&self) -> &Wakeups {
        &self.0.wakeups
    }

    /// Writes within a commit.
    pub(crate) async fn commit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.0.queue.commit(work).await
    }

    /// Reads one consistent moment.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.0.readers.read(work).await
    }
}

async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    spawn_blocking(work)
        .await
        .map_err(|_| StoreError::Backend {
            message: "opening it was broken off".to_owned(),
            retry: RetryAdvice::Never,
        })?
}
