//! Catalog and policy files, in YAML or JSON.

mod error;
mod source;
mod yaml;

use std::path::{Path, PathBuf};

use plan_model::Limits;
use plan_validate::{Policy, ToolCatalog};

pub use error::{FileError, FileFinding};

use crate::ToolKinds;
use source::SourceFile;

/// What a catalog file says, and where it stands.
#[derive(Debug, Clone)]
pub struct CatalogFile {
    path: PathBuf,
    folder: PathBuf,
    catalog: ToolCatalog,
    kinds: ToolKinds,
}

impl CatalogFile {
    /// The catalog.
    pub fn catalog(&self) -> &ToolCatalog {
        &self.catalog
    }

    /// The kinds that its tools may be of.
    pub(crate) fn kinds(&self) -> &ToolKinds {
        &self.kinds
    }

    /// The absolute path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that relative paths in the file are relative to: its own.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Reads a catalog file.
///
/// Its name says what it is (`.json`, `.yaml`, `.yml`); with another name, a text
/// that starts with `{` is JSON. Paths in it are relative to its folder.
///
/// # Errors
/// When the file cannot be read, or is no catalog: every finding, with its line.
pub fn load_catalog(path: impl AsRef<Path>) -> Result<CatalogFile, FileError> {
    ToolKinds::built_in().load_catalog(path)
}

impl ToolKinds {
    /// As [`load_catalog`], where tools may be of these kinds too.
    ///
    /// # Errors
    /// As for [`load_catalog`].
    pub fn load_catalog(self, path: impl AsRef<Path>) -> Result<CatalogFile, FileError> {
        let file = SourceFile::read(path.as_ref(), &Limits::default())?;
        let words: Vec<&str> = self.words().collect();
        let catalog = ToolCatalog::from_document_with_kinds(file.document(), &words)
            .map_err(|rejected| file.rejected(rejected.findings().to_vec()))?;
        let folder = file.path().parent().unwrap_or(Path::new("/")).to_owned();
        Ok(CatalogFile {
            path: file.path().to_owned(),
            folder,
            catalog,
            kinds: self,
        })
    }
}

/// Reads a policy file; notation and bounds are as for [`load_catalog`].
///
/// # Errors
/// When the file cannot be read, or is no policy: every finding, with its line.
pub fn load_policy(path: impl AsRef<Path>) -> Result<Policy, FileError> {
    let file = SourceFile::read(path.as_ref(), &Limits::default())?;
    Policy::from_document(file.document())
        .map_err(|rejected| file.rejected(rejected.findings().to_vec()))
}

/// The value that a YAML text holds.
pub(crate) fn yaml_value(bytes: &[u8]) -> Option<serde_json::Value> {
    yaml::read(bytes, &Limits::default())
        .ok()
        .map(|(value, _)| value)
}
