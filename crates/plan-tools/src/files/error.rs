//! Why a file could not be used.

use std::fmt;

use plan_validate::Finding;

/// Why a catalog or policy file could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file could not be read.
    #[error("could not read `{path}`: {source}")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The path leads to something else than a file.
    #[error("`{path}` is not a file")]
    NotAFile {
        /// The path.
        path: String,
    },
    /// The file is larger than any such file may be.
    #[error("`{path}` has more than {limit} bytes")]
    TooLarge {
        /// The file.
        path: String,
        /// The most bytes.
        limit: usize,
    },
    /// The text is no YAML that can be used.
    #[error("`{path}` line {line}, column {column}: {message}")]
    Yaml {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: u64,
        /// What is wrong, as a clause.
        message: String,
    },
    /// The file has findings, at least one of them an error.
    #[error("`{path}` has {}", count(findings.len()))]
    Rejected {
        /// The file.
        path: String,
        /// Every finding.
        findings: Vec<FileFinding>,
    },
}

/// A finding of a catalog or policy file, and where it is in that file.
#[derive(Debug, Clone)]
pub struct FileFinding {
    /// The finding. Its span, where it has one, is of the file's JSON form.
    pub finding: Finding,
    /// The line in the file, from 1.
    pub line: u64,
    /// The column in the file, from 1.
    pub column: u64,
    /// Where the related places of the finding are in the file, in their order: line and column, from 1.
    pub related: Vec<(u64, u64)>,
}

/// One line, with the further places of the finding and the ways out.
impl fmt::Display for FileFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.finding.line())?;
        for (place, (line, column)) in self.finding.related.iter().zip(&self.related) {
            write!(f, "; {} is at {line}:{column}", place.note)?;
        }
        for suggestion in &self.finding.suggestions {
            write!(f, "; help: {}", suggestion.title)?;
        }
        Ok(())
    }
}

impl FileError {
    /// The findings, where the file could be read at all.
    pub fn findings(&self) -> &[FileFinding] {
        match self {
            Self::Rejected { findings, .. } => findings,
            _ => &[],
        }
    }
}

fn count(findings: usize) -> String {
    if findings == 1 {
        "one finding".to_owned()
    } else {
        format!("{findings} findings")
    }
}
