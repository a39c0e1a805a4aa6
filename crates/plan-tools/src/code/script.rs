//! The files that are written for one script: itself where it stands in the plan, and what goes with it.

use std::path::{Path, PathBuf};

use plan_exec::{ToolContext, ToolError};
use plan_run::FailureClass;

use super::refused;

/// A file that is removed when its script has ended.
#[derive(Debug)]
pub(super) struct ScriptFile(PathBuf);

impl ScriptFile {
    /// Writes a file of an attempt below the scratch folder, for this user's eyes only.
    pub(super) async fn write(
        scratch: &Path,
        ending: &str,
        text: &str,
        cx: &ToolContext,
    ) -> Result<Self, ToolError> {
        let folder = scratch.join(".scripts");
        let name = format!(
            "{}-{}{ending}",
            file_name(&cx.step_path().to_string()),
            cx.attempt(),
        );
        let path = folder.join(name);
        let written = async {
            tokio::fs::create_dir_all(&folder).await?;
            // what a killed run left; a link in its place is replaced, never followed
            match tokio::fs::remove_file(&path).await {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let file = Self(path.clone());
            let mut options = tokio::fs::OpenOptions::new();
            options.write(true).create_new(true).mode(0o600);
            let mut opened = options.open(&path).await?;
            tokio::io::AsyncWriteExt::write_all(&mut opened, text.as_bytes()).await?;
            tokio::io::AsyncWriteExt::flush(&mut opened).await?;
            Ok(file)
        };
        let written: std::io::Result<Self> = written.await;
        written.map_err(|error| unwritten(&path, &error))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Opens the file for reading, before anybody else can have touched it.
    pub(super) fn open(&self) -> Result<std::fs::File, ToolError> {
        std::fs::File::open(&self.0).map_err(|error| unwritten(&self.0, &error))
    }
}

impl Drop for ScriptFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn unwritten(path: &Path, error: &std::io::Error) -> ToolError {
    refused(
        FailureClass::Permission,
        format!("could not write the script `{}`: {error}", path.display()),
    )
}

/// A step's path as a file name: all but letters, digits, `-` and `_` become `.`.
fn file_name(step: &str) -> String {
    step.chars()
        .map(|character| match character {
            '-' | '_' => character,
            _ if character.is_ascii_alphanumeric() => character,
            _ => '.',
        })
        .collect()
}

/// How the name of a script's file ends: some interpreters look at it.
pub(super) fn extension(language: &str) -> &'static str {
    match language {
        "python" | "python3" | "py" => ".py",
        "javascript" | "js" | "node" => ".js",
        "bash" => ".bash",
        "sh" | "shell" => ".sh",
        _ => "",
    }
}
