//! This binary started once more, as another process that uses a store.

use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::sample::open;

/// What the other process does, and with which file.
const ROLE: &str = "PLAN_STORE_TEST_ROLE";
const FILE: &str = "PLAN_STORE_TEST_FILE";
/// Before every line that the other process says: the test harness talks as well.
const MARK: &str = "said: ";

/// Another process, killed when it is dropped.
pub(crate) struct Process {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Process {
    /// Starts this binary in a role.
    pub(crate) fn start(role: &str, file: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "process::entry",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(ROLE, role)
            .env(FILE, file)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The next line that it says, or none when it has ended.
    pub(crate) fn hear(&mut self) -> Option<String> {
        self.lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.split_once(MARK).map(|(_, said)| said.to_owned()))
    }

    /// SIGKILL: nothing in the process runs any more.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// What it says until its end, which must be a good one.
    pub(crate) fn finish(mut self) -> Vec<String> {
        let mut said = Vec::new();
        said.extend(std::iter::from_fn(|| self.hear()));
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
        said
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Says one line to the process that started this one.
pub(crate) fn say(line: impl std::fmt::Display) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    // in one piece, so that lines of several threads do not mix
    out.write_all(format!("{MARK}{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// Where the other process begins. Started by hand there is no role, and then it
/// shows that a role is needed.
#[test]
fn entry() {
    let (Ok(role), Some(file)) = (std::env::var(ROLE), std::env::var_os(FILE)) else {
        assert!(std::panic::catch_unwind(|| act("none", Path::new(""))).is_err());
        return;
    };
    act(&role, Path::new(&file));
}

fn act(role: &str, file: &Path) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .unwrap();
    runtime.block_on(async {
        match role {
            "owner" => crate::processes::own(open(file).await).await,
            "appender" => crate::processes::append_for_ever(open(file).await).await,
            "hammer" => crate::processes::hammer(open(file).await).await,
            other => panic!("there is no role `{other}`"),
        }
    });
}
