//! `planwright fork`: a new run from steps of one that has ended.

use planwright::exec::{Clock, ForkError, RunRequest, StartError, SystemClock, new_run_id};
use planwright::model::StepId;
use planwright::run::{Fork, StepPath};
use serde_json::json;

use super::resume::of_load;
use super::run::executor;
use crate::args;
use crate::exit::{Exit, Halt};
use crate::host::{Host, SCRIPTS};
use crate::output;
use crate::session::{Form, Signals, conclude, follow, principal};
use crate::store::{self, Missing, Place};

/// Forks one run, and drives the new one.
pub(super) async fn fork(arguments: args::Fork) -> Result<Exit, Halt> {
    let before = store::run_id(&arguments.run)?;
    let from = arguments
        .from
        .iter()
        .map(|text| step(text))
        .collect::<Result<Vec<_>, _>>()?;
    let run = match &arguments.id {
        Some(text) => store::run_id(text)?,
        None => new_run_id(SystemClock.now()),
    };
    let opened = store::open(&arguments.store.url, Missing::Refuse).await?;
    let created = store::created(&*opened.store, &before).await?;
    let mut host = Host::of_run(&created.sources, &arguments.host, arguments.powers.sandbox)?;
    host.take_secrets(arguments.powers.secrets.as_deref(), &created.sources)?;
    let tools = host.tools()?;
    let executor = executor(tools.registry, &host, &opened);
    if arguments.preview {
        let fork = executor.preview_fork(&before, from).await;
        show(
            &fork.map_err(|error| of_fork(&error))?,
            Form::of(arguments.json),
        );
        return Ok(Exit::Fine);
    }
    let by = principal()?;
    let mut request = RunRequest::default()
        .run_id(run.clone())
        .principal(by.clone());
    for (name, location) in &host.sources {
        request = request.source(name, location);
    }
    let mut signals = Signals::take()?;
    output::say(format!("run {run}"));
    if let Some(warning) = created.sources.get(SCRIPTS) {
        output::say(format!("warning: {warning}"));
    }
    let handle = executor
        .fork_as(&before, from, request)
        .await
        .map_err(|error| of_fork(&error))?;
    let steps = handle
        .record()
        .await
        .map_or(0, |record| record.steps().len());
    let ended = follow(&handle, &mut signals, steps, &by).await?;
    let place = Place::of(&arguments.store.url);
    Ok(conclude(ended, &handle, Form::of(arguments.json), &place))
}

fn step(text: &str) -> Result<StepId, Halt> {
    StepId::new(text).map_err(|error| Halt::usage(format!("`{text}` is no step: it {error}")))
}

/// Prints what a fork would do.
fn show(planned: &Fork, form: Form) {
    let texts = |paths: &[StepPath]| paths.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (reset, kept) = (texts(&planned.reset), texts(&planned.kept));
    let may_repeat = texts(&planned.may_repeat);
    match form {
        Form::Json => output::print_json(&json!({
            "reset": reset, "kept": kept, "may_repeat": may_repeat,
        })),
        Form::Words => {
            output::print(format!("runs again: {}", reset.join(", ")));
            output::print_unless_empty(&listed("is kept", &kept));
            output::print_unless_empty(&listed(
                "was called before, and is called again",
                &may_repeat,
            ));
        }
    }
}

fn listed(what: &str, steps: &[String]) -> String {
    if steps.is_empty() {
        String::new()
    } else {
        format!("{what}: {}", steps.join(", "))
    }
}

/// What keeps a run from being forked, with its exit code.
fn of_fork(error: &ForkError) -> Halt {
    match error {
        ForkError::Load(error) => of_load(error),
        ForkError::Start(StartError::InputsRejected { .. }) => {
            Halt::new(Exit::Rejected, error.to_string())
        }
        ForkError::Start(StartError::Store(error)) => store::of_store(error),
        _ => Halt::usage(error.to_string()),
    }
}
