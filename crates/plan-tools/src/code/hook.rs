//! What ended a script, as its interpreter tells it: the error of the system that nobody caught.
//!
//! An exit code does not say why, and what is printed is for people. Python and node know the number of the error,
//! so a script in the sandbox is started by a few lines that note it in a file when nobody catches it. The script itself
//! runs as it would without. A shell has no such place, and its exit code is all there is.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use plan_exec::{ScriptSource, ToolContext, ToolError};
use plan_validate::catalog::LanguageSpec;

use super::script::ScriptFile;

const PYTHON: &str = include_str!("hook/python.py");
const NODE: &str = include_str!("hook/node.js");

/// The most bytes of a report: the name of an error, a kind, and a path.
const REPORT_BYTES: u64 = 8 << 10;

/// An interpreter that can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interpreter {
    Python,
    Node,
}

impl Interpreter {
    /// The interpreter of a script, where its command line leaves room for a hook.
    pub(super) fn of(spec: &LanguageSpec, source: &ScriptSource) -> Option<Self> {
        let name = Path::new(&spec.command).file_name()?.to_str()?;
        let python = name.strip_prefix("python3").is_some_and(|version| {
            version
                .chars()
                .all(|character| character == '.' || character.is_ascii_digit())
        });
        // a word without a dash may be a script of the catalog's own, or belong to an option
        let only = |one_letter: &str| {
            spec.args
                .iter()
                .all(|option| is_plain_option(option, one_letter))
        };
        if python && only("cm") {
            // an archive runs too, and only by the interpreter itself
            let is_text = match source {
                ScriptSource::Inline(_) => true,
                ScriptSource::File(path) => {
                    Path::new(path).extension().is_some_and(|end| end == "py")
                }
            };
            return is_text.then_some(Self::Python);
        }
        (matches!(name, "node" | "nodejs") && only("cepir")).then_some(Self::Node)
    }

    fn text(self) -> &'static str {
        match self {
            Self::Python => PYTHON,
            Self::Node => NODE,
        }
    }

    fn ending(self) -> &'static str {
        match self {
            Self::Python => ".hook.py",
            Self::Node => ".hook.cjs",
        }
    }
}

/// Whether it is an option by itself that neither names what to run nor needs a word after it.
fn is_plain_option(option: &str, what_to_run: &str) -> bool {
    const LONG: [&str; 8] = [
        "--eval",
        "--print",
        "--check",
        "--interactive",
        "--require",
        "--import",
        "--loader",
        "--test",
    ];
    match option.strip_prefix("--") {
        Some(long) => !long.is_empty() && !LONG.contains(&option),
        None => option.strip_prefix('-').is_some_and(|letters| {
            !letters.is_empty()
                && letters
                    .chars()
                    .all(|letter| letter.is_ascii_alphabetic() && !what_to_run.contains(letter))
                // `-X dev` and `-W error` go on in another word
                && !letters.ends_with(['X', 'W', 'C'])
        }),
    }
}

/// The hook of one script, and where it will have told something.
#[derive(Debug)]
pub(super) struct Hook {
    interpreter: Interpreter,
    file: ScriptFile,
    /// Held open from before the script starts: whatever it puts in its place is not read.
    report: File,
    _report: ScriptFile,
}

impl Hook {
    /// Writes the hook of an attempt.
    pub(super) async fn write(
        interpreter: Interpreter,
        scratch: &Path,
        cx: &ToolContext,
    ) -> Result<Self, ToolError> {
        let ending = interpreter.ending();
        let file = ScriptFile::write(scratch, ending, interpreter.text(), cx).await?;
        let told = ScriptFile::write(scratch, &format!("{ending}.end"), "", cx).await?;
        let report = told.open()?;
        Ok(Self {
            interpreter,
            file,
            report,
            _report: told,
        })
    }

    /// What stands before the arguments of the language, and what behind them.
    pub(super) fn arguments(&self) -> (Vec<String>, Vec<String>) {
        let path = self.file.path().display().to_string();
        match self.interpreter {
            Interpreter::Python => (Vec::new(), vec![path]),
            Interpreter::Node => (vec!["--require".to_owned(), path], Vec::new()),
        }
    }

    /// What the script told when it ended.
    pub(super) fn told(mut self) -> Option<Told> {
        let mut text = Vec::new();
        let mut report = self.report.by_ref().take(REPORT_BYTES);
        report.read_to_end(&mut text).ok()?;
        Told::of(&String::from_utf8_lossy(&text))
    }
}

/// An error of the system that nobody caught.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) error: SystemError,
    pub(super) about: About,
}

/// An error of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SystemError {
    /// `EACCES`, `EPERM`.
    Denied,
    /// `ENOMEM`.
    Memory,
    /// `EFBIG`.
    FileSize,
    /// `EMFILE`.
    OpenFiles,
}

/// What an error is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum About {
    File(String),
    Network(String),
    Other,
}

impl Told {
    fn of(report: &str) -> Option<Self> {
        let mut lines = report.splitn(3, '\n');
        let error = match lines.next()? {
            "EACCES" | "EPERM" => SystemError::Denied,
            "ENOMEM" => SystemError::Memory,
            "EFBIG" => SystemError::FileSize,
            "EMFILE" => SystemError::OpenFiles,
            _ => return None,
        };
        let kind = lines.next()?;
        let subject = lines.next().unwrap_or_default().to_owned();
        let about = match kind {
            "file" => About::File(subject),
            "network" => About::Network(subject),
            _ => About::Other,
        };
        Some(Self { error, about })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn interpreter(command: &str, args: &[&str]) -> Option<Interpreter> {
        let mut spec = LanguageSpec::new(command);
        spec.args = args.iter().map(ToString::to_string).collect();
        Interpreter::of(&spec, &ScriptSource::Inline(String::new()))
    }

    #[test]
    fn an_interpreter_is_known_by_its_program() {
        for python in ["python3", "/opt/venv/bin/python3.12"] {
            assert_eq!(
                interpreter(python, &["-I", "-u"]),
                Some(Interpreter::Python)
            );
        }
        assert_eq!(
            interpreter("node", &["--max-old-space-size=99"]),
            Some(Interpreter::Node)
        );
        for other in ["python", "python2", "python3-config", "sh", "deno"] {
            assert_eq!(interpreter(other, &[]), None, "{other}");
        }
    }

    #[test]
    fn a_command_line_that_runs_something_else_is_left_alone() {
        for args in [["-m", "tool"], ["-X", "dev"], ["-c", "-"], ["run.py", "-I"]] {
            assert_eq!(interpreter("python3", &args), None, "{args:?}");
        }
        for args in [
            ["-e", "1"],
            ["--require", "x"],
            ["-r", "x"],
            ["--test", "-"],
        ] {
            assert_eq!(interpreter("node", &args), None, "{args:?}");
        }
    }

    #[test]
    fn an_archive_is_left_to_the_interpreter() {
        let of = |path: &str| {
            let source = ScriptSource::File(path.to_owned());
            Interpreter::of(&LanguageSpec::new("python3"), &source)
        };
        assert_eq!(of("a/b.py"), Some(Interpreter::Python));
        assert_eq!(of("a/b.pyz"), None);
        assert_eq!(of("a/b"), None);
    }

    #[test]
    fn a_report_that_says_something_else_says_nothing() {
        for report in ["", "EACCES", "EIO\nfile\n/x", "file\nEACCES\n/x"] {
            assert_eq!(Told::of(report), None, "{report:?}");
        }
        assert_eq!(
            Told::of("EPERM\nfile\n/a\nb"),
            Some(Told {
                error: SystemError::Denied,
                about: About::File("/a\nb".to_owned()),
            })
        );
    }
}
