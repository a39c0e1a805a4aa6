//! Arguments that are paths, held inside what the run was granted.

use std::path::{Path, PathBuf};

use plan_run::{FailureClass, RetryAdvice};
use plan_validate::catalog::CatalogTool;
use serde_json::{Map, Value};

use crate::context::RunFacts;
use crate::folder::real;
use crate::{Dispatched, ToolError};

/// Looks at a call's paths before it is made. Empty for almost every tool.
#[derive(Debug, Default)]
pub(crate) struct PathArguments {
    names: Vec<String>,
    roots: Vec<PathBuf>,
    files: Vec<PathBuf>,
}

impl PathArguments {
    /// What has to be looked at in calls of a tool: what its input schema calls a path.
    pub(crate) fn of(tool: Option<&CatalogTool>, run: &RunFacts) -> Self {
        let names = tool.map_or(&[][..], CatalogTool::path_arguments);
        if names.is_empty() || run.roots.iter().any(|root| root == Path::new("/")) {
            return Self::default();
        }
        Self {
            names: names.iter().map(|(name, _)| name.clone()).collect(),
            roots: [&run.scratch]
                .into_iter()
                .chain(&run.roots)
                .cloned()
                .collect(),
            files: run.files.iter().map(|file| file.path.clone()).collect(),
        }
    }

    /// Refuses a call with a path that leads out of what the run was granted, links followed.
    ///
    /// # Errors
    /// A refusal; nothing was called.
    pub(crate) async fn check(self, arguments: &Map<String, Value>) -> Result<(), ToolError> {
        let given: Vec<(String, String)> = self
            .names
            .iter()
            .filter_map(|name| Some((name, arguments.get(name)?)))
            .flat_map(|(name, value)| texts(value).map(|text| (name.clone(), text.to_owned())))
            .collect();
        if given.is_empty() {
            return Ok(());
        }
        let looked = tokio::task::spawn_blocking(move || {
            given.into_iter().find(|(_, path)| !self.reaches(path))
        });
        match looked.await {
            Ok(None) => Ok(()),
            Ok(Some((name, path))) => Err(ToolError::new(
                FailureClass::RefusedByGrant,
                format!(
                    "the argument `{name}` leads to `{path}`, outside of what the run was granted; a path input or `roots` of the policy would grant it"
                ),
            )
            .retry(RetryAdvice::Never)
            .dispatched(Dispatched::No)),
            Err(_) => Err(ToolError::new(
                FailureClass::Internal,
                "the paths of the call could not be looked at",
            )
            .dispatched(Dispatched::No)),
        }
    }

    fn reaches(&self, path: &str) -> bool {
        let path = Path::new(path);
        if self.files.iter().any(|file| file == path) {
            return true;
        }
        if path.is_relative() {
            // it begins where the tool says, and must not climb out of there
            return path.components().all(|part| {
                matches!(
                    part,
                    std::path::Component::Normal(_) | std::path::Component::CurDir
                )
            });
        }
        let Ok(path) = real(path) else { return false };
        self.roots
            .iter()
            .filter_map(|root| real(root).ok())
            .any(|root| path.starts_with(root))
    }
}

/// The texts that a path argument holds: itself, or the items of a list.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        value => std::slice::from_ref(value),
    };
    items.iter().filter_map(Value::as_str)
}
