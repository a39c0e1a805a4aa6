//! What left the process group of a child and still runs when the child is done.
//!
//! A process that becomes the leader of a session of its own leaves the group, but keeps the
//! environment it was started with, and in it the mark of its command. It stays out of reach where
//! it runs a program under an environment without the mark.

use std::thread;

/// How often the system is searched: what is killed may just have started another process.
const ROUNDS: usize = 8;

/// Kills what carries a mark, at the latest when it is dropped.
#[derive(Debug)]
pub(super) struct Sweep(Option<String>);

impl Sweep {
    /// Of a command's mark, `NAME=VALUE`; without one there is nothing to find.
    pub(super) fn of(mark: Option<String>) -> Self {
        Self(mark)
    }

    /// Kills what is left, and returns when it is gone.
    pub(super) async fn finish(mut self) {
        if let Some(mark) = self.0.take() {
            // reading the environments of all processes takes its time
            let searched = tokio::task::spawn_blocking(move || sweep(&mark));
            let _ = searched.await;
        }
    }
}

impl Drop for Sweep {
    fn drop(&mut self) {
        if let Some(mark) = self.0.take() {
            let sweeping = thread::Builder::new().name("planwright-sweep".to_owned());
            // where no thread can be had nothing can be read either
            let _ = sweeping.spawn(move || sweep(&mark));
        }
    }
}

fn sweep(mark: &str) {
    for _ in 0..ROUNDS {
        if kill_marked(mark.as_bytes()) == 0 {
            break;
        }
    }
}

/// Kills every process whose environment holds the mark, and says how many there were.
#[cfg(target_os = "linux")]
fn kill_marked(mark: &[u8]) -> usize {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    let Ok(processes) = std::fs::read_dir("/proc") else {
        return 0;
    };
    let mut killed = 0;
    for entry in processes.flatten() {
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.parse::<i32>().ok());
        let Some(pid) = id.and_then(Pid::from_raw) else {
            continue;
        };
        // held before it is looked at, so that its number cannot become another's meanwhile
        let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else {
            continue;
        };
        // what belongs to others cannot be read, and is not ours to kill
        let Ok(environment) = std::fs::read(entry.path().join("environ")) else {
            continue;
        };
        if environment.split(|&byte| byte == 0).any(|set| set == mark) {
            let _ = pidfd_send_signal(&process, Signal::KILL);
            killed += 1;
        }
    }
    killed
}

#[cfg(not(target_os = "linux"))]
fn kill_marked(_: &[u8]) -> usize {
    0
}
