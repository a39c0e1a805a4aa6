//! What to run: a program, its arguments, and all of its environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;

use tokio::process::{Child, Command};

use super::sandbox::{restrict, under_limits};
use super::{ProcessError, Sandbox};

/// The most bytes of one argument or variable that Linux takes, its final NUL left out.
const LONGEST_ARGUMENT: usize = (128 << 10) - 1;
/// `ENOEXEC`: the file is no program and names no interpreter.
const NOT_A_PROGRAM: i32 = 8;

/// How much of a child's output is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputBounds {
    /// Standard output is kept whole up to so many bytes: 1 MiB.
    pub whole: usize,
    /// Past that, and of standard error always, only so many last bytes: 256 KiB.
    pub tail: usize,
    /// A child that writes more bytes than this to either stream is killed: 64 MiB.
    pub most: u64,
}

impl Default for OutputBounds {
    fn default() -> Self {
        Self {
            whole: 1 << 20,
            tail: 256 << 10,
            most: 64 << 20,
        }
    }
}

/// A program to run. Its environment holds what is set here and nothing else.
///
/// Its `Debug` shows names and sizes, no values: they may be secrets.
#[derive(Clone)]
pub struct ChildCommand {
    program: PathBuf,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    working_dir: PathBuf,
    input: Option<Vec<u8>>,
    bounds: OutputBounds,
    sandbox: Option<Sandbox>,
    mark: Option<(String, String)>,
}

impl fmt::Debug for ChildCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildCommand")
            .field("program", &self.program)
            .field("args", &self.args.len())
            .field("env", &self.env.keys())
            .field("working_dir", &self.working_dir)
            .field("input", &self.input.as_ref().map(Vec::len))
            .field("sandbox", &self.sandbox)
            .finish_non_exhaustive()
    }
}

impl ChildCommand {
    /// A program, by its path (see [`super::find_program`]), to run in `working_dir`.
    pub fn new(program: impl Into<PathBuf>, working_dir: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: BTreeMap::new(),
            working_dir: working_dir.into(),
            input: None,
            bounds: OutputBounds::default(),
            sandbox: None,
            mark: None,
        }
    }

    /// Adds arguments, each one element of `argv`.
    #[must_use]
    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of the environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Gives the child these bytes on standard input; without, its input is empty.
    #[must_use]
    pub fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = Some(input.into());
        self
    }

    /// Sets how much of the output is kept.
    #[must_use]
    pub fn output_bounds(mut self, bounds: OutputBounds) -> Self {
        self.bounds = bounds;
        self
    }

    /// Holds the child to a sandbox.
    #[must_use]
    pub fn sandbox(mut self, sandbox: Sandbox) -> Self {
        self.sandbox = (!sandbox.is_off()).then_some(sandbox);
        self
    }

    /// Sets a variable by which descendants are found that left the group, and killed with it.
    ///
    /// Its value must be that of no other process.
    #[must_use]
    pub fn mark(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let (name, value) = (name.into(), value.into());
        self.env.insert(name.clone(), value.clone());
        self.mark = Some((name, value));
        self
    }

    /// The variable of [`ChildCommand::mark`], as it stands in an environment.
    pub(super) fn marked(&self) -> Option<String> {
        self.mark
            .as_ref()
            .map(|(name, value)| format!("{name}={value}"))
    }

    pub(super) fn bounds(&self) -> OutputBounds {
        self.bounds
    }

    pub(super) fn input(&self) -> Option<&[u8]> {
        self.input.as_deref()
    }

    /// Starts the program as a member of `group`.
    pub(super) fn spawn(&self, group: i32) -> Result<Child, ProcessError> {
        self.check()?;
        match &self.sandbox {
            None => {
                let args = self.args.iter().map(OsString::from).collect();
                self.start(&self.program, args, group)
            }
            Some(sandbox) => self.start_held(sandbox, group),
        }
    }

    /// Starts the program from a thread that is held to the sandbox; the child inherits what holds it.
    fn start_held(&self, sandbox: &Sandbox, group: i32) -> Result<Child, ProcessError> {
        self.check_program()?;
        let (shell, mut args) = under_limits(sandbox.resource_limits(), &self.program);
        args.extend(self.args.iter().map(OsString::from));
        let runtime = tokio::runtime::Handle::current();
        let not_held = |message: String| ProcessError::Sandbox {
            program: shown(&self.program),
            message,
        };
        // as short as a start without: nothing here waits for the child
        thread::scope(|scope| {
            let starter = thread::Builder::new()
                .name("planwright-sandbox".to_owned())
                .spawn_scoped(scope, || {
                    restrict(sandbox, &self.program)
                        .map_err(|error| not_held(error.to_string()))?;
                    let _entered = runtime.enter();
                    self.start(&shell, args, group)
                });
            let starter = starter.map_err(|source| self.diagnose(source))?;
            starter
                .join()
                .map_err(|_| not_held("the thread that starts it panicked".to_owned()))?
        })
    }

    fn start(
        &self,
        program: &Path,
        args: Vec<OsString>,
        group: i32,
    ) -> Result<Child, ProcessError> {
        let input = match self.input {
            Some(_) => Stdio::piped(),
            None => Stdio::null(),
        };
        Command::new(program)
            .args(args)
            .env_clear()
            .envs(&self.env)
            .current_dir(&self.working_dir)
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(group)
            .spawn()
            .map_err(|source| self.diagnose(source))
    }

    /// Refuses what the system would refuse with less to say, or take for something else.
    fn check(&self) -> Result<(), ProcessError> {
        for (at, arg) in self.args.iter().enumerate() {
            check_text(arg, arg.len(), || format!("argument {}", at + 1))?;
        }
        for (name, value) in &self.env {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(ProcessError::BadVariable { name: name.clone() });
            }
            let length = name.len().saturating_add(value.len()).saturating_add(1);
            check_text(value, length, || format!("variable `{name}`"))?;
        }
        if !self.working_dir.is_dir() {
            return Err(ProcessError::WorkingDirectory {
                path: shown(&self.working_dir),
            });
        }
        Ok(())
    }

    /// Refuses what a shell would take for a script of its own, or cannot find.
    fn check_program(&self) -> Result<(), ProcessError> {
        let mut first = [0_u8; 256];
        let read = std::fs::File::open(&self.program)
            .and_then(|mut file| std::io::Read::read(&mut file, &mut first))
            .map_err(|source| self.diagnose(source))?;
        let first = first.get(..read).unwrap_or_default();
        let program = || shown(&self.program);
        if first.starts_with(b"\x7fELF") {
            return Ok(());
        }
        let Some(line) = first.strip_prefix(b"#!") else {
            return Err(ProcessError::NotAProgram { program: program() });
        };
        let line = String::from_utf8_lossy(line);
        let interpreter = line.split_ascii_whitespace().next().unwrap_or_default();
        if Path::new(interpreter).exists() {
            Ok(())
        } else {
            Err(ProcessError::MissingInterpreter { program: program() })
        }
    }

    /// Says what the system meant.
    fn diagnose(&self, source: std::io::Error) -> ProcessError {
        let program = shown(&self.program);
        match source.kind() {
            ErrorKind::NotFound if self.program.exists() => {
                ProcessError::MissingInterpreter { program }
            }
            ErrorKind::NotFound => ProcessError::MissingProgram { program },
            ErrorKind::PermissionDenied => ProcessError::NotPermitted { program },
            ErrorKind::ArgumentListTooLong => ProcessError::TooLong {
                what: "the arguments and variables together".to_owned(),
                bytes: self.size(),
            },
            _ if source.raw_os_error() == Some(NOT_A_PROGRAM) => {
                ProcessError::NotAProgram { program }
            }
            _ => ProcessError::Start { program, source },
        }
    }

    fn size(&self) -> usize {
        let args = self.args.iter().map(String::len);
        let env = self
            .env
            .iter()
            .map(|(name, value)| name.len() + value.len());
        args.chain(env).sum()
    }
}

fn check_text(text: &str, length: usize, what: impl Fn() -> String) -> Result<(), ProcessError> {
    if text.contains('\0') {
        return Err(ProcessError::Nul { what: what() });
    }
    if length > LONGEST_ARGUMENT {
        return Err(ProcessError::TooLong {
            what: what(),
            bytes: length,
        });
    }
    Ok(())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
