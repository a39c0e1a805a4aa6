//! The kinds of tools that a catalog may have, and the way to add one.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use plan_exec::Tool;
use plan_model::{ToolName, ToolSpec};
use serde_json::{Map, Value};

use crate::{ConfigError, SubprocessTool};

/// Makes the tools of one kind: those whose `config` says `kind: …`.
///
/// A host registers its own with [`ToolKinds::with`]. Making a tool is quick and touches nothing outside: a tool that
/// needs a connection makes it with its first call.
pub trait ToolKind: fmt::Debug + Send + Sync {
    /// The word of `kind`.
    fn word(&self) -> &str;

    /// Makes the tool of an entry. The tool's [`spec`](Tool::spec) is the entry's.
    ///
    /// # Errors
    /// When the entry cannot be run: every reason.
    fn make(&self, entry: &CatalogEntry<'_>) -> Result<Arc<dyn Tool>, EntryRefused>;
}

/// One entry of a catalog, for whoever makes a tool of it.
#[derive(Debug, Clone, Copy)]
pub struct CatalogEntry<'a> {
    spec: &'a ToolSpec,
    folder: &'a Path,
}

impl<'a> CatalogEntry<'a> {
    pub(crate) fn new(spec: &'a ToolSpec, folder: &'a Path) -> Self {
        Self { spec, folder }
    }

    /// The tool's name.
    pub fn name(&self) -> &'a ToolName {
        &self.spec.name
    }

    /// All that the catalog says of the tool.
    pub fn spec(&self) -> &'a ToolSpec {
        self.spec
    }

    /// Its `config`, `kind` included. What is in it is for the kind to check.
    pub fn config(&self) -> Option<&'a Map<String, Value>> {
        self.spec.config.as_ref()?.as_object()
    }

    /// The folder that paths are relative to: the catalog's own.
    pub fn folder(&self) -> &'a Path {
        self.folder
    }
}

/// Why no tool was made of an entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .reasons.join("; "))]
pub struct EntryRefused {
    reasons: Vec<String>,
}

impl EntryRefused {
    /// Each reason is a clause that follows "the tool `name`", such as "has no `server` in its `config`".
    pub fn new<R: Into<String>>(reasons: impl IntoIterator<Item = R>) -> Self {
        Self {
            reasons: reasons.into_iter().map(Into::into).collect(),
        }
    }

    /// The reasons.
    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }
}

impl From<ConfigError> for EntryRefused {
    fn from(error: ConfigError) -> Self {
        Self::new([error.to_string()])
    }
}

/// The kinds that a host knows, by their words.
#[derive(Debug, Clone)]
pub struct ToolKinds(BTreeMap<String, Arc<dyn ToolKind>>);

impl ToolKinds {
    /// The kinds of this crate: `subprocess`, and `http` with the feature of that name.
    pub fn built_in() -> Self {
        let kinds = Self(BTreeMap::new()).with(SubprocessEntries);
        #[cfg(feature = "http")]
        let kinds = kinds.with(HttpEntries);
        kinds
    }

    /// Adds a kind, in place of one of the same word.
    #[must_use]
    pub fn with(mut self, kind: impl ToolKind + 'static) -> Self {
        self.0.insert(kind.word().to_owned(), Arc::new(kind));
        self
    }

    /// The words, in order.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(crate) fn get(&self, word: &str) -> Option<&dyn ToolKind> {
        self.0.get(word).map(AsRef::as_ref)
    }
}

impl Default for ToolKinds {
    fn default() -> Self {
        Self::built_in()
    }
}

/// `kind: subprocess`.
#[derive(Debug)]
struct SubprocessEntries;

impl ToolKind for SubprocessEntries {
    fn word(&self) -> &'static str {
        "subprocess"
    }

    fn make(&self, entry: &CatalogEntry<'_>) -> Result<Arc<dyn Tool>, EntryRefused> {
        let tool = SubprocessTool::new(entry.spec().clone(), entry.folder())?;
        Ok(Arc::new(tool))
    }
}

/// `kind: http`.
#[cfg(feature = "http")]
#[derive(Debug)]
struct HttpEntries;

#[cfg(feature = "http")]
impl ToolKind for HttpEntries {
    fn word(&self) -> &'static str {
        "http"
    }

    fn make(&self, entry: &CatalogEntry<'_>) -> Result<Arc<dyn Tool>, EntryRefused> {
        let tool = crate::HttpTool::new(entry.spec().clone())?;
        Ok(Arc::new(tool))
    }
}

fn _is_object_safe(_: &dyn ToolKind) {}
