//! Paths of a script, held inside what the run was granted.

use std::path::{Path, PathBuf};

use plan_exec::{ToolContext, ToolError};
use plan_run::FailureClass;

use super::refused;

/// Makes the run's scratch folder and gives its real path.
pub(crate) async fn scratch(cx: &ToolContext) -> Result<PathBuf, ToolError> {
    let folder = cx.scratch();
    let failed = |error: std::io::Error| {
        refused(
            FailureClass::Permission,
            format!(
                "could not make the scratch folder `{}`: {error}",
                folder.display()
            ),
        )
    };
    tokio::fs::create_dir_all(folder).await.map_err(failed)?;
    tokio::fs::canonicalize(folder).await.map_err(failed)
}

/// Makes the folder for what a script or an agent throws away.
pub(crate) async fn temporary(scratch: &Path) -> Result<String, ToolError> {
    let folder = scratch.join(".tmp");
    match tokio::fs::create_dir_all(&folder).await {
        Ok(()) => Ok(folder.display().to_string()),
        Err(error) => Err(refused(
            FailureClass::Permission,
            format!("could not make the folder `{}`: {error}", folder.display()),
        )),
    }
}

/// The real paths of the folders that a run may use. The first is its scratch folder.
#[derive(Debug)]
pub(crate) struct Roots(Vec<PathBuf>);

impl Roots {
    /// A root that does not exist grants nothing.
    pub(crate) fn of(scratch: &Path, cx: &ToolContext) -> Self {
        let granted = cx
            .roots()
            .iter()
            .filter_map(|root| root.canonicalize().ok());
        Self(std::iter::once(scratch.to_owned()).chain(granted).collect())
    }

    /// The folders.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(PathBuf::as_path)
    }

    /// The real path of a working directory, relative to the scratch folder.
    pub(crate) fn folder(&self, path: &str) -> Result<PathBuf, ToolError> {
        let base = self.0.first().map_or(Path::new("/"), PathBuf::as_path);
        let real = real_path("working directory", &base.join(path))?;
        if !real.is_dir() {
            return Err(refused(
                FailureClass::NotFound,
                format!("the working directory `{path}` is not a directory"),
            ));
        }
        self.contain("working directory", path, real, std::iter::empty())
    }

    /// The real path of a script file, relative to the working directory.
    pub(super) fn script(
        &self,
        path: &str,
        working_dir: &Path,
        readable: impl Iterator<Item = PathBuf>,
    ) -> Result<PathBuf, ToolError> {
        let real = real_path("script", &working_dir.join(path))?;
        if !real.is_file() {
            return Err(refused(
                FailureClass::NotFound,
                format!("the script `{path}` is not a file"),
            ));
        }
        self.contain("script", path, real, readable)
    }

    fn contain(
        &self,
        what: &str,
        path: &str,
        real: PathBuf,
        readable: impl Iterator<Item = PathBuf>,
    ) -> Result<PathBuf, ToolError> {
        let inside = self.0.iter().any(|root| real.starts_with(root))
            || readable
                .filter_map(|root| root.canonicalize().ok())
                .any(|root| real.starts_with(root));
        if inside {
            Ok(real)
        } else {
            Err(refused(
                FailureClass::RefusedByGrant,
                format!(
                    "the {what} `{path}` is outside of what the run was granted; a directory input or `roots` of the policy would grant it"
                ),
            ))
        }
    }
}

/// The path without links and dots, so that a comparison means what it says.
fn real_path(what: &str, path: &Path) -> Result<PathBuf, ToolError> {
    path.canonicalize().map_err(|error| {
        let class = match error.kind() {
            std::io::ErrorKind::PermissionDenied => FailureClass::Permission,
            _ => FailureClass::NotFound,
        };
        refused(class, format!("the {what} `{}`: {error}", path.display()))
    })
}
