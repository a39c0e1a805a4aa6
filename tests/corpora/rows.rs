//! Where the rows of a corpus are, and what a check says of a converted one.

use std::path::PathBuf;

use planwright::validate::Severity;
use planwright::{Context, Finding, Policy, ToolCatalog, ValidatedPlan, check};
use serde_json::Value;

/// One test over one corpus.
#[derive(Clone, Copy)]
pub(crate) struct CorpusTest {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&Corpora),
}

/// The folder of all corpora.
#[derive(Debug)]
pub(crate) struct Corpora {
    folder: PathBuf,
}

impl Corpora {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Every row of a file of JSON lines.
    pub(crate) fn rows(&self, file: &str) -> Vec<Value> {
        let rows: Vec<Value> = self
            .text(file)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert!(!rows.is_empty(), "{file} holds no row");
        rows
    }

    /// A file that is one JSON document.
    pub(crate) fn document(&self, file: &str) -> Value {
        serde_json::from_str(&self.text(file)).unwrap()
    }

    fn text(&self, file: &str) -> String {
        let path = self.folder.join(file);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

/// What a check says of one document.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// The plan, where it was accepted.
    pub(crate) plan: Option<ValidatedPlan>,
    /// The findings, warnings and notes included.
    pub(crate) findings: Vec<Finding>,
}

impl Verdict {
    pub(crate) fn of(document: &Value, catalog: &ToolCatalog) -> Self {
        let policy = Policy::default();
        match check(&document.to_string(), &Context::new(catalog, &policy)) {
            Ok(plan) => Self {
                findings: plan.warnings().to_vec(),
                plan: Some(plan),
            },
            Err(rejected) => Self {
                findings: rejected.findings().to_vec(),
                plan: None,
            },
        }
    }

    /// The codes of the errors, each once, in order.
    pub(crate) fn errors(&self) -> Vec<&str> {
        let mut codes: Vec<&str> = self
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .map(|finding| finding.code.as_str())
            .collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }

    pub(crate) fn finds(&self, code: &str) -> bool {
        self.findings
            .iter()
            .any(|finding| finding.code.as_str() == code)
    }
}

/// The model of each plan, and the codes of the errors in it.
pub(crate) type ErrorsByModel = Vec<(String, Vec<String>)>;

/// What a check says of the plan of a model.
pub(crate) fn errors_of(
    model: &str,
    document: &Value,
    catalog: &ToolCatalog,
) -> (String, Vec<String>) {
    let verdict = Verdict::of(document, catalog);
    let codes = verdict.errors().into_iter().map(str::to_owned).collect();
    (model.to_owned(), codes)
}

/// Each plan counts once, under a model; some are refused and some are not.
pub(crate) fn assert_counted(rows: &ErrorsByModel, plans: usize) {
    assert_eq!(rows.len(), plans);
    assert!(rows.iter().all(|(model, _)| !model.is_empty()));
    assert!(rows.iter().any(|(_, codes)| codes.is_empty()));
    assert!(rows.iter().any(|(_, codes)| !codes.is_empty()));
}
