//! `CODE_CALL`: a script in a configured language.

use std::collections::BTreeMap;

use crate::site::{Site, Source, VisitSource};
use crate::{LanguageName, Seconds, Template};

/// Runs a script.
///
/// Outputs are `stdout`, `stderr` and `exit_code`, and the declared outputs from
/// one JSON object on standard output.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeCall {
    /// The language, configured by the catalog.
    pub language: LanguageName,
    /// The script.
    pub source: CodeSource,
    /// Arguments on the script's command line.
    pub args: Vec<Template>,
    /// Text on standard input.
    pub stdin: Option<Template>,
    /// Variables of the otherwise cleared environment.
    pub env: BTreeMap<String, Template>,
    /// Where the script runs; absent: the run's scratch folder.
    pub working_dir: Option<Template>,
    /// The most that one attempt may take; the step's own `timeout_secs` wins when smaller.
    pub timeout_secs: Option<Seconds>,
}

/// Where the text of a script is. It is never scanned for references.
#[derive(Debug, Clone, PartialEq)]
pub enum CodeSource {
    /// In the plan.
    Inline(String),
    /// In a file under a granted root.
    File(Template),
}

impl CodeCall {
    pub(crate) fn each_source<'a>(&'a self, visit: &mut VisitSource<'_, 'a>) {
        if let CodeSource::File(file) = &self.source {
            visit(&[&"file"], Site::CodeFile, Source::Template(file));
        }
        for (index, argument) in self.args.iter().enumerate() {
            visit(
                &[&"args", &index],
                Site::CodeArgument,
                Source::Template(argument),
            );
        }
        if let Some(stdin) = &self.stdin {
            visit(&[&"stdin"], Site::Stdin, Source::Template(stdin));
        }
        for (name, value) in &self.env {
            visit(&[&"env", name], Site::Env, Source::Template(value));
        }
        if let Some(working_dir) = &self.working_dir {
            visit(
                &[&"working_dir"],
                Site::WorkingDir,
                Source::Template(working_dir),
            );
        }
    }
}
