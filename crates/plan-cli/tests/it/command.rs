//! The command in a temporary folder.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A folder that holds plans, catalogs and the store of one test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn write_json(&self, name: &str, value: &Value) -> PathBuf {
        self.write(name, value.to_string())
    }

    /// The command with these arguments, in this folder.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_planwright"));
        command
            .args(args)
            .current_dir(self.path())
            .env("USER", "tester")
            .env_remove("PLANWRIGHT_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the command to its end.
    pub(crate) fn planwright<const N: usize>(&self, args: [&str; N]) -> Ended {
        self.run(&args)
    }

    /// Runs the command to its end, with arguments that were put together.
    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        Ended::of(self.command(args).output().unwrap())
    }

    /// Runs the command to its end with a text on standard input.
    pub(crate) fn planwright_with<const N: usize>(&self, args: [&str; N], input: &[u8]) -> Ended {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // a command that refuses its arguments reads nothing
        let _ = stdin.write_all(input);
        drop(stdin);
        Ended::of(child.wait_with_output().unwrap())
    }

    /// Starts the command and leaves it running.
    pub(crate) fn start<const N: usize>(&self, args: [&str; N]) -> Running {
        let mut child = self.command(args).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Running { child, stderr }
    }
}

/// A command that ended by itself, without a panic.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    fn of(output: Output) -> Self {
        let ended = Self {
            code: output.status.code().expect("it ends by itself"),
            stdout: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
        };
        for word in [
            "panicked",
            "a fault of planwright",
            "RUST_BACKTRACE",
            "stack backtrace",
        ] {
            assert!(!ended.stderr.contains(word), "{}", ended.stderr);
        }
        ended
    }

    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "stdout:\n{}\nstderr:\n{}",
            self.stdout, self.stderr
        );
        self
    }

    /// Standard output, which is one JSON document.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.stdout, self.stderr))
    }

    /// The id of the run, from the line that comes before the first effect.
    #[track_caller]
    pub(crate) fn run_id(&self) -> String {
        run_id_in(&self.stderr).expect("standard error names the run")
    }
}

fn run_id_in(text: &str) -> Option<String> {
    text.lines()
        .find_map(|line| line.strip_prefix("run ").filter(|id| !id.contains(' ')))
        .map(str::to_owned)
}

/// A command under way.
pub(crate) struct Running {
    child: Child,
    stderr: BufReader<ChildStderr>,
}

impl Running {
    /// Reads standard error up to a line that holds `text`, and gives that line; `None` at its end.
    pub(crate) fn line_with(&mut self, text: &str) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.stderr.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            if line.contains(text) {
                return Some(line);
            }
        }
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// Kills the process and collects it.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for the end; standard error is what was not read before.
    pub(crate) fn end(self) -> Ended {
        let mut child = self.child;
        child.stderr = None;
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            let mut stderr = self.stderr;
            std::io::Read::read_to_string(&mut stderr, &mut text).unwrap();
            text
        });
        let mut output = child.wait_with_output().unwrap();
        output.stderr = reader.join().unwrap().into_bytes();
        Ended::of(output)
    }
}
