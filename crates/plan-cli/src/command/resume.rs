//! `planwright resume`: answer, decide, and go on with a run.

use std::time::Duration;

use planwright::exec::{ControlError, Executor, LoadError, ResumeError, RunHandle, WhenWaiting};
use planwright::run::{Answer, Decision, RequestId, RunId, RunRecord, StepPath};

use super::answer::{answer, decision};
use super::run::executor;
use crate::args::Resume;
use crate::exit::{Exit, Halt};
use crate::host::{Host, SCRIPTS};
use crate::output::{self, Detail};
use crate::session::{Ended, Form, Signals, conclude, follow, principal, show};
use crate::store::{self, Missing, Place};

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
    let mut host = Host::of_run(&created.sources, &arguments.host, arguments.powers.sandbox)?;
    host.take_secrets(arguments.powers.secrets.as_deref(), &created.sources)?;
    let tools = host.tools()?;
    let mut executor = executor(tools.registry, &host, &opened);
    if arguments.wait {
        executor = executor.when_waiting(WhenWaiting::Stay);
    }
    let by = principal()?;
    let mut late = Vec::new();
    if !arguments.answers.is_empty() || !decisions.is_empty() {
        let record = executor.open(&run).await.map_err(|error| of_load(&error))?;
        // every word is understood before the first is given
        let answers = answers(&arguments.answers, &record)?;
        let now;
        (now, late) = told_apart(decisions, &record)?;
        for (request, answer) in answers {
            executor
                .answer(&run, request, answer, by.clone())
                .await
                .map_err(|error| of_control(&error))?;
        }
        for (step, decision) in now {
            executor
                .decide(&run, step, decision, by.clone())
                .await
                .map_err(|error| of_control(&error))?;
        }
    }
    let form = Form::of(arguments.json);
    let place = Place::of(&arguments.store.url);
    let mut signals = Signals::take()?;
    let handle = match taken_up(&executor, &run, &mut signals, arguments.wait).await? {
        TakenUp::Driving(handle) => handle,
        TakenUp::Ended => return ended(&executor, &run, form, &place).await,
        TakenUp::GivenUp => return Ok(Exit::Waiting),
    };
    output::say(format!("run {run}"));
    if let Some(warning) = created.sources.get(SCRIPTS) {
        output::say(format!("warning: {warning}"));
    }
    let steps = handle
        .record()
        .await
        .map_or(0, |record| record.steps().len());
    if late.is_empty() {
        let ended = follow(&handle, &mut signals, steps, &by).await?;
        return Ok(conclude(ended, &handle, form, &place));
    }
    for (step, decision) in late {
        if let Err(error) = handle.decide(step, decision, by.clone()).await {
            handle.stop().await;
            return Err(of_control(&error));
        }
    }
    let mut over = follow(&handle, &mut signals, steps, &by).await?;
    // where all else waited, the drive had ended before it was told: it goes on now
    if matches!(&over, Ended::Drive(record) if !record.status().is_finished())
        && let TakenUp::Driving(again) =
            taken_up(&executor, &run, &mut signals, arguments.wait).await?
    {
        over = follow(&again, &mut signals, steps, &by).await?;
    }
    Ok(conclude(over, &handle, form, &place))
}

/// What came of taking a run up.
enum TakenUp {
    Driving(RunHandle),
    /// It had ended.
    Ended,
    /// Somebody told this process to stop while another one drove the run.
    GivenUp,
}

async fn taken_up(
    executor: &Executor,
    run: &RunId,
    signals: &mut Signals,
    wait: bool,
) -> Result<TakenUp, Halt> {
    let mut told = false;
    loop {
        match executor.resume(run).await {
            Ok(handle) => return Ok(TakenUp::Driving(handle)),
            Err(ResumeError::Finished { .. }) => return Ok(TakenUp::Ended),
            Err(ResumeError::Driven { .. }) if wait => {
                if !told {
                    output::say("another process drives it; waiting");
                    told = true;
                }
                tokio::select! {
                    () = tokio::time::sleep(PAUSE) => {}
                    () = signals.any() => {
                        output::say("stopped waiting; the run is untouched");
                        return Ok(TakenUp::GivenUp);
                    }
                }
            }
            Err(error) => return Err(of_resume(&error)),
        }
    }
}

/// Every answer with the request that it means, each request once.
fn answers(texts: &[String], record: &RunRecord) -> Result<Vec<(RequestId, Answer)>, Halt> {
    let mut answers: Vec<(RequestId, Answer)> = Vec::new();
    for text in texts {
        let (request, said) = answer(text, record)?;
        if answers.iter().any(|(other, _)| *other == request) {
            return Err(Halt::usage(format!(
                "the request `{request}` is answered twice"
            )));
        }
        answers.push((request, said));
    }
    Ok(answers)
}

/// Decisions about one step each.
type Decisions = Vec<(StepPath, Decision)>;

/// Decisions that can be given now, and those for calls that are known to be in doubt
/// only once the run is taken up: their process died, and nobody has looked since.
fn told_apart(decisions: Decisions, record: &RunRecord) -> Result<(Decisions, Decisions), Halt> {
    let record = output::record_json(record);
    let (mut now, mut late) = (Vec::new(), Vec::new());
    for (step, decision) in decisions {
        let id = step.to_string();
        let status = record
            .pointer(&format!("/steps/{id}/status"))
            .and_then(serde_json::Value::as_str);
        match status {
            Some("in_doubt") => now.push((step, decision)),
            Some("running") => late.push((step, decision)),
            Some(other) => {
                return Err(Halt::usage(format!("step `{id}` is {other}, not in doubt")));
            }
            None => return Err(Halt::usage(format!("the run has no step `{id}`"))),
        }
    }
    Ok((now, late))
}

/// A run that has ended is shown as it ended.
async fn ended(executor: &Executor, run: &RunId, form: Form, place: &Place) -> Result<Exit, Halt> {
    let record = executor.open(run).await.map_err(|error| of_load(&error))?;
    output::say(format!("run {run} had already ended"));
    Ok(show(&record, form, place, Detail::Ends))
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
