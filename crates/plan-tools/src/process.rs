//! Child processes that cannot outlive what started them.
//!
//! Every child runs in a process group of its own, led by a *guard*: a shell that
//! reads a pipe whose other end only this process holds. When this process dies,
//! for whatever reason, the pipe ends and the guard kills the group. The child
//! joins the group before its program starts, and holds a copy of the pipe until
//! then, so there is no moment in which it could be missed.
//!
//! Standard input, output and error are driven at the same time, the environment
//! is cleared, and what is kept of the output is bounded. A descendant that leaves
//! the group on purpose (`setsid`) is found by a variable of its environment where the
//! command has a mark ([`ChildCommand::mark`]), and is out of reach where it drops that too.

mod capture;
mod command;
mod error;
mod guard;
mod leftover;
mod sandbox;
mod search;

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use plan_exec::ToolContext;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin};

pub use capture::{Captured, Output};
pub use command::{ChildCommand, OutputBounds};
pub use error::ProcessError;
pub use sandbox::{Network, ResourceLimits, Sandbox, SandboxMissing, Support};
pub use search::{find_program, host_path};

use capture::{Capture, drain};
use guard::Guard;
use leftover::Sweep;

/// How long output may go on after the program ended, before what still writes is killed.
const LINGER: Duration = Duration::from_millis(100);
/// How long a killed group's output is waited for; past it, something outside the group holds the pipe.
const DRAIN: Duration = Duration::from_secs(1);
/// How long a cancelled group has between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_millis(500);

/// Why a child is stopped before it ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Its time is over: the group is killed at once.
    TimedOut,
    /// It is no longer wanted: the group gets SIGTERM and half a second, then it is killed.
    Cancelled,
}

/// When a child of a call is stopped: once the call is cancelled, or its time is over.
pub(crate) async fn stop(cx: &ToolContext, time: Option<Duration>) -> Stop {
    let cancelled = cx.cancellation().cancelled();
    let Some(time) = time else {
        cancelled.await;
        return Stop::Cancelled;
    };
    tokio::select! {
        () = cancelled => Stop::Cancelled,
        () = tokio::time::sleep(time) => Stop::TimedOut,
    }
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "ended with exit code {code}"),
            Self::Signal(signal) => write!(f, "was ended by signal {signal}"),
        }
    }
}

/// A child that ended by itself, and what it wrote.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub exit: Exit,
    /// What it wrote.
    pub captured: Captured,
}

/// Runs a command to its end, or until `stop` says otherwise.
///
/// A child that exits without reading its standard input succeeds like any other.
/// What it left running in its group is killed when it ends. Dropping the future
/// kills the group. Needs a tokio runtime with IO and time.
///
/// # Errors
/// When the program cannot be started, was stopped, or wrote more than
/// [`OutputBounds::most`]; [`ProcessError::was_started`] tells the first from the others.
pub async fn run(
    command: &ChildCommand,
    stop: impl Future<Output = Stop>,
) -> Result<Finished, ProcessError> {
    let sweep = Sweep::of(command.marked());
    let guard = Guard::start()?;
    let mut child = command.spawn(guard.group())?;
    let bounds = command.bounds();
    let mut stdout = Capture::new(bounds.whole, bounds.tail);
    let mut stderr = Capture::new(bounds.tail, bounds.tail);
    let ended = drive(
        &guard,
        &mut child,
        command.input(),
        bounds.most,
        (&mut stdout, &mut stderr),
        stop,
    )
    .await;
    // whatever the program left in its group ends with it
    guard.finish().await;
    sweep.finish().await;
    let captured = Captured {
        stdout: stdout.finish(),
        stderr: stderr.finish(),
    };
    match ended {
        Ok(exit) => Ok(Finished { exit, captured }),
        Err(Ending::Stopped(Stop::TimedOut)) => Err(ProcessError::TimedOut {
            captured: Box::new(captured),
        }),
        Err(Ending::Stopped(Stop::Cancelled)) => Err(ProcessError::Cancelled {
            captured: Box::new(captured),
        }),
        Err(Ending::WroteTooMuch) => Err(ProcessError::WroteTooMuch {
            limit: bounds.most,
            captured: Box::new(captured),
        }),
        Err(Ending::Lost(source)) => Err(ProcessError::Lost { source }),
    }
}

/// Why a child did not end by itself.
enum Ending {
    Stopped(Stop),
    WroteTooMuch,
    Lost(std::io::Error),
}

/// Feeds and drains the child until it ended and its output did, or until it has to be killed.
async fn drive(
    guard: &Guard,
    child: &mut Child,
    input: Option<&[u8]>,
    most: u64,
    (stdout, stderr): (&mut Capture, &mut Capture),
    stop: impl Future<Output = Stop>,
) -> Result<Exit, Ending> {
    let feeding = feed(child.stdin.take(), input);
    let out = drain(child.stdout.take(), stdout, most);
    let err = drain(child.stderr.take(), stderr, most);
    let mut pumps = pin!(async { tokio::try_join!(feeding, out, err).map(|_| ()) });
    let mut stop = pin!(stop);
    let mut pumped = false;

    let status = loop {
        tokio::select! {
            status = child.wait() => break status.map_err(Ending::Lost)?,
            flow = &mut pumps, if !pumped => {
                pumped = true;
                if flow.is_err() {
                    guard.kill();
                    reap(child).await;
                    return Err(Ending::WroteTooMuch);
                }
            },
            why = &mut stop => {
                if why == Stop::Cancelled {
                    guard.ask_to_end();
                    let gone = async {
                        tokio::join!(child.wait(), async {
                            if !pumped {
                                let _ = (&mut pumps).await;
                                pumped = true;
                            }
                        })
                    };
                    if tokio::time::timeout(GRACE, gone).await.is_ok() {
                        return Err(Ending::Stopped(why));
                    }
                }
                guard.kill();
                reap(child).await;
                if !pumped {
                    let _ = tokio::time::timeout(DRAIN, &mut pumps).await;
                }
                return Err(Ending::Stopped(why));
            }
        }
    };
    if !pumped {
        let mut flow = tokio::time::timeout(LINGER, &mut pumps).await;
        if flow.is_err() {
            // something in the group still holds the output open
            guard.kill();
            flow = tokio::time::timeout(DRAIN, &mut pumps).await;
        }
        if let Ok(Err(capture::Overflow)) = flow {
            return Err(Ending::WroteTooMuch);
        }
    }
    Ok(exit_of(status))
}

/// Writes the input and closes it; a reader that went away is no failure.
async fn feed(stdin: Option<ChildStdin>, input: Option<&[u8]>) -> Result<(), capture::Overflow> {
    if let (Some(mut stdin), Some(input)) = (stdin, input) {
        let _ = stdin.write_all(input).await;
        let _ = stdin.shutdown().await;
    }
    Ok(())
}

/// Collects a killed child, so that no zombie stays.
async fn reap(child: &mut Child) {
    let _ = child.wait().await;
}

fn exit_of(status: std::process::ExitStatus) -> Exit {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or_default()),
    }
}
