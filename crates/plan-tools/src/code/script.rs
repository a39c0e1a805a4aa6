//! The file of a script that stands in the plan.

use std::path::{Path, PathBuf};

use plan_exec::{ToolContext, ToolError};
use plan_model::LanguageName;
use plan_run::FailureClass;

use super::refused;

/// A file that is removed when its script has ended.
#[derive(Debug)]
pub(super) struct ScriptFile(PathBuf);

impl ScriptFile {
    /// Writes the script of an attempt below the scratch folder, for this user's eyes only.
    pub(super) async fn write(
        scratch: &Path,
        language: &LanguageName,
        text: &str,
        cx: &ToolContext,
    ) -> Result<Self, ToolError> {
        let folder = scratch.join(".scripts");
        let name = format!(
            "{}-{}{}",
            file_name(&cx.step_path().to_string()),
            cx.attempt(),
            extension(language.as_str())
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
        written.await.map_err(|error: std::io::Error| {
            refused(
                FailureClass::Permission,
                format!("could not write the script `{}`: {error}", path.display()),
            )
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ScriptFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
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

fn extension(language: &str) -> &'static str {
    match language {
        "python" | "python3" | "py" => ".py",
        "javascript" | "js" | "node" => ".js",
        "bash" => ".bash",
        "sh" | "shell" => ".sh",
        _ => "",
    }
}
