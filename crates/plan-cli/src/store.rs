//! The store that a URL names.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use planwright::run::event::RunCreated;
use planwright::run::{EventKind, RunId, decode};
use planwright::sqlite::SqliteStore;
use planwright::store::{MemoryStore, RunStore, Sequence, Store, StoreError};

use crate::args;
use crate::exit::{Exit, Halt};

/// Whether a store may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// It is made.
    Create,
    /// There is nothing to be found in it.
    Refuse,
}

/// How a run is named on later command lines: its id, and its store where that is not the usual one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// The store of the default.
    Usual,
    /// Another one, as the shell takes it.
    Named(String),
    /// Memory: no later command line finds it.
    Nowhere,
}

impl Place {
    /// The place that a URL names.
    pub(crate) fn of(url: &str) -> Self {
        match url {
            args::DEFAULT_STORE => Self::Usual,
            "memory:" => Self::Nowhere,
            other => Self::Named(quoted(other)),
        }
    }

    /// The command that goes on with a run, if any can.
    pub(crate) fn resume(&self, run: impl Display) -> Option<String> {
        match self {
            Self::Usual => Some(format!("planwright resume {run}")),
            Self::Named(url) => Some(format!("planwright resume {run} --store {url}")),
            Self::Nowhere => None,
        }
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '/' | '.' | '_' | '-');
    if word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
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
        None if path_like(url) => {
            return Err(Halt::usage(format!("`{url}` is no store"))
                .help(format!("did you mean `sqlite:{url}`?")));
        }
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
    let folder = match path.parent() {
        // a bare file name has the empty path before it
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let folder = folder
        .canonicalize()
        .map_err(|error| Halt::usage(format!("could not find `{}`: {error}", folder.display())))?;
    Ok(Opened {
        store: Arc::new(store),
        scratch: Some(folder.join("scratch")),
    })
}

/// Whether somebody wrote a path and forgot what kind of store it is.
fn path_like(url: &str) -> bool {
    !url.is_empty() && !url.contains(':')
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resume_names_the_store_that_the_shell_has_to_be_told() {
        for (url, command) in [
            (args::DEFAULT_STORE, Some("planwright resume r")),
            ("memory:", None),
            (
                "sqlite:a/b.db",
                Some("planwright resume r --store sqlite:a/b.db"),
            ),
            (
                "sqlite:it's mine.db",
                Some(r"planwright resume r --store 'sqlite:it'\''s mine.db'"),
            ),
        ] {
            assert_eq!(Place::of(url).resume("r").as_deref(), command, "{url}");
        }
    }
}
