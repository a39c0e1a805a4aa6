//! A file as a parsed tree, whatever notation it is in.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use plan_model::document::{Document, Parsed, Position, parse};
use plan_model::{Limits, Pointer};
use plan_validate::{Finding, FindingSpan, problem_findings};

use super::yaml::{self, Places};
use super::{FileError, FileFinding};

/// A file that was read, and what leads from a place of its tree to a line.
#[derive(Debug)]
pub(super) struct SourceFile {
    path: PathBuf,
    document: Document,
    /// Where YAML has its values; JSON's own spans do.
    places: Option<Places>,
}

impl SourceFile {
    /// Reads a file of at most [`Limits::document_bytes`].
    pub(super) fn read(path: &Path, limits: &Limits) -> Result<Self, FileError> {
        let name = path.display().to_string();
        let bytes = bytes_of(path, &name, limits.document_bytes)?;
        let path = path.canonicalize().map_err(|source| FileError::Read {
            path: name.clone(),
            source,
        })?;
        let (parsed, places) = if is_json(&path, &bytes) {
            (parse(&bytes, limits), None)
        } else {
            let (value, places) = yaml::read(&bytes, limits).map_err(|fault| FileError::Yaml {
                path: name.clone(),
                line: fault.line,
                column: fault.column,
                message: fault.message,
            })?;
            (Document::from_value(&value, limits), Some(places))
        };
        Self::of(path, name, parsed, places)
    }

    fn of(
        path: PathBuf,
        name: String,
        parsed: Parsed,
        places: Option<Places>,
    ) -> Result<Self, FileError> {
        if !parsed.problems.is_empty() || parsed.document.is_none() {
            let findings = problem_findings(&parsed);
            let document = parsed.document.as_ref();
            let findings = findings
                .into_iter()
                .map(|finding| placed(finding, document, places.as_ref()))
                .collect();
            return Err(FileError::Rejected {
                path: name,
                findings,
            });
        }
        match parsed.document {
            Some(document) => Ok(Self {
                path,
                document,
                places,
            }),
            None => Err(FileError::Rejected {
                path: name,
                findings: Vec::new(),
            }),
        }
    }

    /// The file's absolute path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The tree.
    pub(super) fn document(&self) -> &Document {
        &self.document
    }

    /// The error of a file with these findings.
    pub(super) fn rejected(&self, findings: Vec<Finding>) -> FileError {
        FileError::Rejected {
            path: self.path.display().to_string(),
            findings: findings
                .into_iter()
                .map(|finding| placed(finding, Some(&self.document), self.places.as_ref()))
                .collect(),
        }
    }
}

fn placed(finding: Finding, document: Option<&Document>, places: Option<&Places>) -> FileFinding {
    let find = |pointer: &Pointer, span: Option<&FindingSpan>| match (places, span, document) {
        (Some(places), _, _) => places.find(pointer),
        (None, Some(span), _) => (span.line as u64, span.column as u64),
        (None, None, Some(document)) => in_json(document, pointer),
        (None, None, None) => (1, 1),
    };
    let (line, column) = find(&finding.pointer, finding.span.as_ref());
    let related = finding
        .related
        .iter()
        .map(|place| find(&place.pointer, place.span.as_ref()))
        .collect();
    FileFinding {
        finding,
        line,
        column,
        related,
    }
}

fn in_json(document: &Document, pointer: &Pointer) -> (u64, u64) {
    let Position { line, column } = document.position_of(document.span_of(pointer).start);
    (line as u64, column as u64)
}

/// Reads no more than one byte over the limit, whatever the file claims to be.
fn bytes_of(path: &Path, name: &str, limit: usize) -> Result<Vec<u8>, FileError> {
    let failed = |source| FileError::Read {
        path: name.to_owned(),
        source,
    };
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(FileError::NotAFile {
            path: name.to_owned(),
        });
    }
    let mut bytes = Vec::new();
    file.take((limit as u64).saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() > limit {
        return Err(FileError::TooLarge {
            path: name.to_owned(),
            limit,
        });
    }
    Ok(bytes)
}

fn is_json(path: &Path, bytes: &[u8]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("json") => true,
        Some("yaml" | "yml") => false,
        _ => bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{'),
    }
}
