//! The guard of a process group: its leader, and what kills it when we are gone.

use std::io::PipeWriter;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

use super::ProcessError;

/// Waits for the end of its input, then kills its own group, itself included.
///
/// It outlives polite signals, so that a child that signals its whole group
/// does not lose its guard.
const SCRIPT: &str = "trap '' HUP INT QUIT TERM; read -r _; kill -KILL 0";

/// A process group whose members die with this process.
///
/// INVARIANT: the guard is not reaped before [`Guard::finish`], so its process id,
/// which names the group, cannot be given to another process while we might signal it.
#[derive(Debug)]
pub(super) struct Guard {
    pid: Pid,
    child: Child,
    /// Held, never written to: its end, however it comes, is the signal.
    _lifeline: PipeWriter,
}

impl Guard {
    /// Starts a guard in a new group of its own.
    pub(super) fn start() -> Result<Self, ProcessError> {
        let failed = |source| ProcessError::Guard { source };
        // both ends close on exec, so no other child of ours keeps the pipe open
        let (reader, lifeline) = std::io::pipe().map_err(failed)?;
        let child = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "planwright-guard"])
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(reader))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let pid = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw)
            .ok_or_else(|| failed(std::io::Error::other("the guard has no process id")))?;
        Ok(Self {
            pid,
            child,
            _lifeline: lifeline,
        })
    }

    /// The group for children to join.
    pub(super) fn group(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// Asks the members to end.
    pub(super) fn ask_to_end(&self) {
        self.signal(Signal::TERM);
    }

    /// Kills the members, the guard included.
    pub(super) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Kills what is left of the group and collects the guard.
    pub(super) async fn finish(mut self) {
        self.kill();
        let _ = self.child.wait().await;
    }

    fn signal(&self, signal: Signal) {
        // a reaped guard has no id any more, and its number may be another's
        if self.child.id().is_some() {
            let _ = kill_process_group(self.pid, signal);
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.kill();
    }
}
