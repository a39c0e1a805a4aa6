//! The store that a URL names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use planwright::run::event::RunCreated;
use planwright::run::{EventKind, RunId, decode};
use planwright::sqlite::SqliteStore;
use planwright::store::{MemoryStore, RunStore, Sequence, Store, StoreError};

use crate::exit::{Exit, Halt};

/// Whether a store may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// It is made.
    Create,
    /// There is nothing to be found in it.
    Refuse,
}

/// An open store.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) store: Arc<dyn Store>,
    /// Where the folders of its runs are; absent: the system's folder for temporary files.
    pub(crate) scratch: Option<PathBuf>,
}

/// Opens the store of a URL.
pub(crate) async fn open(url: &str, missing: Missing) -> Result<Opened, Halt> {
    if url == "memory:" {
        return Ok(Opened {
            store: Arc::new(MemoryStore::new()),
            scratch: None,
        });
    }
    if url.starts_with("postgres:") || url.starts_with("postgresql:") {
        return Err(Halt::usage("this build has no Postgres store")
            .help("`sqlite:PATH` keeps runs in a file"));
    }
    let path = match url.strip_prefix("sqlite:") {
        Some(path) if !path.is_empty() && !path.contains('\0') => Path::new(path),
        _ => {
            return Err(Halt::usage(format!("`{url}` is no store"))
                .help("a store is `sqlite:PATH` or `memory:`"));
        }
    };
    if missing == Missing::Refuse && !path.exists() {
        return Err(
            Halt::usage(format!("there is no store `{}`", path.display()))
                .help("name the one of the run with `--store`"),
        );
    }
    let store = SqliteStore::open(path)
        .await
        .map_err(|error| Halt::usage(error.to_string()))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let folder = folder
        .canonicalize()
        .map_err(|error| Halt::usage(format!("could not find `{}`: {error}", folder.display())))?;
    Ok(Opened {
        store: Arc::new(store),
        scratch: Some(folder.join("scratch")),
    })
}

/// What a run was made of, from the first record of its journal.
pub(crate) async fn created(store: &dyn Store, run: &RunId) -> Result<RunCreated, Halt> {
    let page = RunStore::read(store, run, Sequence::START)
        .await
        .map_err(|error| of_store(&error))?;
    let first = page
        .records
        .first()
        .and_then(|record| decode(record.as_bytes()).ok());
    match first.map(|event| event.kind) {
        Some(EventKind::RunCreated(created)) => Ok(*created),
        _ => Err(Halt::usage(format!(
            "the journal of run `{run}` cannot be read"
        ))),
    }
}

/// A run's name from the command line.
pub(crate) fn run_id(text: &str) -> Result<RunId, Halt> {
    RunId::new(text).map_err(|error| Halt::usage(format!("the run id `{text}` {error}")))
}

/// What a store said, with the exit code that it means.
pub(crate) fn of_store(error: &StoreError) -> Halt {
    match error {
        StoreError::Claimed { .. } | StoreError::Fenced { .. } => {
            Halt::new(Exit::Driven, error.to_string())
        }
        _ => Halt::usage(error.to_string()),
    }
}
