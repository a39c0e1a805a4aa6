//! `planwright resume`: answer, decide, and go on with a run.

use std::time::Duration;

use planwright::exec::{ControlError, Executor, LoadError, ResumeError, WhenWaiting};
use planwright::run::RunId;

use super::answer::{answer, decision};
use super::run::executor;
use crate::args::Resume;
use crate::exit::{Exit, Halt};
use crate::host::Host;
use crate::output;
use crate::session::{Form, Signals, conclude, follow, principal, show};
use crate::store::{self, Missing};

/// How often a run that another process drives is tried again.
const PAUSE: Duration = Duration::from_millis(500);

/// Goes on with one run.
pub(super) async fn resume(arguments: Resume) -> Result<Exit, Halt> {
    let run = store::run_id(&arguments.run)?;
    let decisions = arguments
        .in_doubt
        .iter()
        .map(|text| decision(text))
        .collect::<Result<Vec<_>, _>>()?;
    let opened = store::open(&arguments.store.url, Missing::Refuse).await?;
    let created = store::created(&*opened.store, &run).await?;
    let host = Host::of_run(&created.sources, &arguments.host, arguments.sandbox)?;
    let tools = host.tools()?;
    let mut executor = executor(tools.registry, &host, &opened);
    if arguments.wait {
        executor = executor.when_waiting(WhenWaiting::Stay);
    }
    let by = principal()?;
    if !arguments.answers.is_empty() || !decisions.is_empty() {
        let record = executor.open(&run).await.map_err(|error| of_load(&error))?;
        // every answer is understood before the first is given
        let answers = arguments
            .answers
            .iter()
            .map(|text| answer(text, &record))
            .collect::<Result<Vec<_>, _>>()?;
        for (at, (request, _)) in answers.iter().enumerate() {
            if answers
                .iter()
                .skip(at + 1)
                .any(|(other, _)| other == request)
            {
                return Err(Halt::usage(format!(
                    "the request `{request}` is answered twice"
                )));
            }
        }
        for (request, answer) in answers {
            executor
                .answer(&run, request, answer, by.clone())
                .await
                .map_err(|error| of_control(&error))?;
        }
        for (step, decision) in decisions {
            executor
                .decide(&run, step, decision, by.clone())
                .await
                .map_err(|error| of_control(&error))?;
        }
    }
    let form = Form::of(arguments.json);
    let mut signals = Signals::take()?;
    let mut told = false;
    loop {
        match executor.resume(&run).await {
            Ok(handle) => {
                output::say(format!("run {run}"));
                let steps = handle
                    .record()
                    .await
                    .map_or(0, |record| record.steps().len());
                let ended = follow(&handle, signals, steps, &by).await?;
                return Ok(conclude(ended, &handle, form));
            }
            Err(ResumeError::Driven { .. }) if arguments.wait => {
                if !told {
                    output::say("another process drives it; waiting");
                    told = true;
                }
                tokio::select! {
                    () = tokio::time::sleep(PAUSE) => {}
                    () = signals.any() => {
                        output::say("stopped waiting; the run is untouched");
                        return Ok(Exit::Waiting);
                    }
                }
            }
            Err(ResumeError::Finished { .. }) => return ended(&executor, &run, form).await,
            Err(error) => return Err(of_resume(&error)),
        }
    }
}

/// A run that has ended is shown as it ended.
pub(super) async fn ended(executor: &Executor, run: &RunId, form: Form) -> Result<Exit, Halt> {
    let record = executor.open(run).await.map_err(|error| of_load(&error))?;
    output::say(format!("run {run} had already ended"));
    Ok(show(&record, form))
}

/// What keeps a run from being taken up, with its exit code.
pub(super) fn of_resume(error: &ResumeError) -> Halt {
    match error {
        ResumeError::Driven { .. } => Halt::new(Exit::Driven, error.to_string()),
        ResumeError::Load(error) => of_load(error),
        _ => Halt::usage(error.to_string()),
    }
}

/// What keeps a run from being read.
pub(super) fn of_load(error: &LoadError) -> Halt {
    let halt = match error {
        LoadError::Store(error) => return store::of_store(error),
        LoadError::PlanRejected { .. } => Halt::new(Exit::Rejected, error.to_string()),
        _ => Halt::usage(error.to_string()),
    };
    match error {
        LoadError::ToolsDiffer { .. } | LoadError::GrantDiffers { .. } => {
            halt.help("`--tools` and `--policy` name the files that the run was started with")
        }
        _ => halt,
    }
}

/// What keeps a word from reaching a run.
pub(super) fn of_control(error: &ControlError) -> Halt {
    match error {
        ControlError::Load(error) => of_load(error),
        _ => Halt::usage(error.to_string()),
    }
}
