//! One run driven from a terminal: what happens is shown, and signals are obeyed.

use planwright::exec::{ExecError, RunHandle};
use planwright::run::{PrincipalName, RunRecord, RunStatus};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::{Exit, Halt};
use crate::output::{self, Detail, Live};
use crate::store::Place;

/// The signals that a run listens to, from before it starts.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

/// How a session ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The drive ended: the run is finished, or waits.
    Drive(Box<RunRecord>),
    /// It was told to stop, and the run can be resumed: how it stood.
    Stopped(Option<Box<RunRecord>>),
    /// It was told to stop at once while it was being cancelled: how it stood.
    Aborted(Option<Box<RunRecord>>),
}

impl Signals {
    /// Takes the signals from their default, which is to end the process.
    pub(crate) fn take() -> Result<Self, Halt> {
        let take = |kind| {
            signal(kind)
                .map_err(|error| Halt::usage(format!("could not listen to signals: {error}")))
        };
        Ok(Self {
            interrupt: take(SignalKind::interrupt())?,
            terminate: take(SignalKind::terminate())?,
            hang_up: take(SignalKind::hangup())?,
        })
    }

    /// Ends once the process is told to stop, in whatever way.
    pub(crate) async fn any(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

/// Follows a run until its drive ends or a signal ends it.
pub(crate) async fn follow(
    handle: &RunHandle,
    signals: &mut Signals,
    steps: usize,
    by: &PrincipalName,
) -> Result<Ended, Halt> {
    let mut live = Live::new(steps);
    let mut updates = handle.events();
    let mut open = true;
    let mut interrupts = 0_u32;
    let wait = handle.wait();
    tokio::pin!(wait);
    let record = loop {
        tokio::select! {
            biased;
            _ = signals.interrupt.recv() => {
                interrupts = interrupts.saturating_add(1);
                if interrupts > 1 {
                    let record = stopped(handle).await;
                    live.finish();
                    return Ok(Ended::Aborted(record));
                }
                live.say("cancelling; press Ctrl-C again to stop at once");
                if let Err(error) = handle.cancel(by.clone(), "interrupted from the terminal").await {
                    live.say(&format!("could not cancel: {error}"));
                }
            }
            _ = signals.terminate.recv() => break None,
            _ = signals.hang_up.recv() => break None,
            update = updates.next(), if open => match update {
                Some(update) => live.show(&update),
                None => open = false,
            },
            record = &mut wait => break Some(record),
        }
    };
    let Some(record) = record else {
        let record = stopped(handle).await;
        live.finish();
        return Ok(Ended::Stopped(record));
    };
    while open {
        match updates.next().await {
            Some(update) => live.show(&update),
            None => open = false,
        }
    }
    live.finish();
    record
        .map(|record| Ended::Drive(Box::new(record)))
        .map_err(|error| of_drive(&error))
}

fn of_drive(error: &ExecError) -> Halt {
    match error {
        ExecError::Fenced { .. } | ExecError::ClaimLost { .. } => {
            Halt::new(Exit::Driven, error.to_string())
        }
        _ => Halt::usage(error.to_string()),
    }
}

/// Shows how a session ended, and says so with an exit code.
pub(crate) fn conclude(ended: Ended, handle: &RunHandle, form: Form, place: &Place) -> Exit {
    let resume = match place.resume(handle.id()) {
        Some(command) => format!("`{command}` goes on with it"),
        None => "it was kept in memory, and is gone".to_owned(),
    };
    match ended {
        Ended::Drive(record) => show(&record, form, place, Detail::Ends),
        Ended::Stopped(record) => {
            output::say(format!("stopped; {resume}"));
            show_stopped(record.as_deref(), form);
            Exit::Waiting
        }
        Ended::Aborted(record) => {
            // the run has not ended: what was in flight may be in doubt
            output::say(format!("stopped before everything had ended; {resume}"));
            show_stopped(record.as_deref(), form);
            Exit::Waiting
        }
    }
}

/// Programs get a record however a run was left.
fn show_stopped(record: Option<&RunRecord>, form: Form) {
    if let (Some(record), Form::Json) = (record, form) {
        output::print_json(&output::record_json(record));
    }
}

/// Drops what is in flight, and gives the run as its journal has it.
async fn stopped(handle: &RunHandle) -> Option<Box<RunRecord>> {
    let before = handle.record().await.ok();
    handle.stop().await;
    before.map(Box::new)
}

/// How a record is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people.
    Words,
    /// For programs.
    Json,
}

impl Form {
    /// What the flag says.
    pub(crate) fn of(json: bool) -> Self {
        if json { Self::Json } else { Self::Words }
    }
}

/// Prints a record, and gives the exit code of its status.
pub(crate) fn show(record: &RunRecord, form: Form, place: &Place, detail: Detail) -> Exit {
    match form {
        Form::Json => output::print_json(&output::record_json(record)),
        Form::Words => output::show_record(record, place, detail),
    }
    exit_of(record.status())
}

/// The exit code of a status. A run that nobody drives and that has not ended can be resumed.
pub(crate) fn exit_of(status: RunStatus) -> Exit {
    match status {
        RunStatus::Succeeded => Exit::Fine,
        RunStatus::Failed => Exit::Failed,
        RunStatus::Cancelled => Exit::Cancelled,
        RunStatus::Waiting | RunStatus::Running => Exit::Waiting,
    }
}

/// On whose behalf the command acts: the user of the shell.
pub(crate) fn principal() -> Result<PrincipalName, Halt> {
    let user = std::env::var("USER").unwrap_or_default();
    PrincipalName::new(user)
        .or_else(|_| PrincipalName::new("command line"))
        .map_err(|error| Halt::usage(format!("the user's name {error}")))
}
