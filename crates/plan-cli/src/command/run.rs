//! `planwright run`: check a plan, then run it.

use std::collections::{BTreeMap, BTreeSet};

use planwright::exec::{Clock, Executor, Inputs, RunRequest, StartError, SystemClock, new_run_id};
use planwright::model::{PlanId, ValueType};
use planwright::run::RunId;
use planwright::store::{PlanStore, Store, StoreError, VersionSpec};
use planwright::validate::{Finding, ValidatedPlan, check_inputs, check_plan};
use serde_json::{Map, Value};

use super::check::Subject;
use crate::args::Run;
use crate::exit::{Exit, Halt};
use crate::host::{Host, SCRIPTS, runnable, unconfined};
use crate::input::{Input, is_stdin, json_object, json_value};
use crate::output::{self, finding_json, refusal_json};
use crate::session::{Form, Signals, conclude, follow, principal};
use crate::store::{self, Missing, Opened, Place};

/// Runs one plan.
pub(super) async fn run(arguments: Run) -> Result<Exit, Halt> {
    let inputs_from_stdin = arguments.inputs.as_deref().is_some_and(is_stdin);
    if inputs_from_stdin && is_stdin(&arguments.plan.path) {
        return Err(Halt::usage(
            "plan and inputs cannot both come from standard input",
        ));
    }
    let run = match &arguments.id {
        Some(text) => store::run_id(text)?,
        None => new_run_id(SystemClock.now()),
    };
    let subject = Subject::read(&arguments.plan)?;
    let mut host = match subject.host(&arguments.host, arguments.powers.sandbox) {
        Ok(host) => host,
        Err(halt) => {
            if !halt.findings.is_empty() {
                print_report(&subject.refusal(&halt.findings), arguments.json);
            }
            return Err(halt);
        }
    };
    let plan = match subject.check(&host) {
        Ok(plan) => plan,
        Err(rejected) => {
            let report = output::check_json(subject.plan.as_ref(), Err(&rejected));
            output::show_rejected(&rejected, &subject.input);
            print_report(&report, arguments.json);
            return Ok(Exit::Rejected);
        }
    };
    output::show_findings(plan.warnings(), plan.truncated(), &subject.input);
    let tools = host.tools()?;
    runnable(&plan, &tools, &host)?;
    host.take_secrets(arguments.powers.secrets.as_deref(), &BTreeMap::new())?;
    let inputs = inputs(&arguments, &plan)?;
    // looked at before anything is stored or named
    if let Err(findings) = check_inputs(&plan, inputs.clone()) {
        return Ok(inputs_refused(&findings, &plan, &arguments));
    }
    let opened = store::open(&arguments.store.url, Missing::Create).await?;
    let plan = saved(plan, &host, &*opened.store, arguments.bump).await?;
    let steps = plan.plan().steps.len();
    let place = Place::of(&arguments.store.url);

    let executor = executor(tools.registry, &host, &opened);
    let by = principal()?;
    let mut request = RunRequest::new(Inputs::from(inputs))
        .run_id(run.clone())
        .principal(by.clone());
    for (name, location) in &host.sources {
        request = request.source(name, location);
    }
    if let Some(warning) = unconfined(&plan, &host) {
        request = request.source(SCRIPTS, warning);
    }
    let mut signals = Signals::take()?;
    output::say(format!("run {run}"));
    let checked = plan.clone();
    let handle = match executor.start(plan, request).await {
        Ok(handle) => handle,
        Err(error) => return refused(&error, &run, &arguments, &checked),
    };
    let ended = follow(&handle, &mut signals, steps, &by).await?;
    Ok(conclude(ended, &handle, Form::of(arguments.json), &place))
}

/// The executor of a host over a store.
pub(super) fn executor(
    tools: planwright::exec::ToolRegistry,
    host: &Host,
    opened: &Opened,
) -> Executor {
    let executor = Executor::new(tools, opened.store.clone()).policy(host.policy.clone());
    let executor = match &host.secrets {
        Some(secrets) => executor.secrets(secrets.clone()),
        None => executor.secrets(planwright::tools::EnvironmentSecrets::new()),
    };
    match &opened.scratch {
        Some(folder) => executor.scratch(folder),
        None => executor,
    }
}

fn refused(
    error: &StartError,
    run: &RunId,
    arguments: &Run,
    plan: &ValidatedPlan,
) -> Result<Exit, Halt> {
    match error {
        StartError::InputsRejected { findings } => Ok(inputs_refused(findings, plan, arguments)),
        StartError::AlreadyExists { .. } => {
            let halt = Halt::usage(error.to_string());
            Err(match Place::of(&arguments.store.url).resume(run) {
                Some(command) => halt.help(format!("`{command}` goes on with it")),
                None => halt,
            })
        }
        StartError::PlanRejected(_) => Err(Halt::new(Exit::Rejected, error.to_string())),
        StartError::Undriven { error: cause, .. } => {
            let halt = Halt::new(store::of_store(cause).exit, error.to_string());
            Err(match Place::of(&arguments.store.url).resume(run) {
                Some(command) => halt.help(format!("`{command}` goes on with it")),
                None => halt,
            })
        }
        StartError::Store(error) => Err(store::of_store(error)),
        _ => Err(Halt::usage(error.to_string())),
    }
}

/// Says what is wrong with the inputs of a run, each with its name.
fn inputs_refused(findings: &[Finding], plan: &ValidatedPlan, arguments: &Run) -> Exit {
    for finding in findings {
        output::say(format!("error: {}", finding.line()));
    }
    output::say("help: `--input NAME=JSON` gives one input, `--inputs FILE` a file of them");
    let findings = findings.iter().map(finding_json).collect();
    let report = refusal_json(output::check_json(None, Ok(plan)), findings);
    print_report(&report, arguments.json);
    Exit::Rejected
}

/// The report of a refusal: for programs always, for a person only on request.
fn print_report(report: &Value, json: bool) {
    if json || !output::is_read_by_a_person() {
        output::print_json(report);
    }
}

/// Refuses a plan whose version is saved with other content, or makes it the next version.
async fn saved(
    plan: ValidatedPlan,
    host: &Host,
    store: &dyn Store,
    bump: bool,
) -> Result<ValidatedPlan, Halt> {
    let (id, version) = (plan.plan().metadata.id, plan.plan().metadata.version);
    let kept = match PlanStore::get(store, id, VersionSpec::Exact(version)).await {
        Ok(kept) => kept,
        Err(StoreError::NotFound { .. }) => return Ok(plan),
        Err(error) => return Err(store::of_store(&error)),
    };
    if kept.digest == plan.digest() {
        return Ok(plan);
    }
    if !bump {
        return Err(Halt::usage(format!(
            "version {version} of the plan `{}` is saved with other content",
            plan.plan().name
        ))
        .help("`--bump` saves this content as the next version"));
    }
    let version = next_version(store, id).await?;
    let mut next = plan.plan().clone();
    next.metadata.version = version;
    let plan = check_plan(next, &host.context())
        .map_err(|rejected| Halt::new(Exit::Rejected, rejected.to_string()))?;
    output::say(format!("saved as version {version}"));
    Ok(plan)
}

async fn next_version(store: &dyn Store, id: PlanId) -> Result<u64, Halt> {
    let current = PlanStore::get(store, id, VersionSpec::Current)
        .await
        .map_err(|error| store::of_store(&error))?;
    current
        .version
        .checked_add(1)
        .ok_or_else(|| Halt::usage("there is no version after the current one"))
}

/// The inputs of the file, and over them those of the command line.
fn inputs(arguments: &Run, plan: &ValidatedPlan) -> Result<Map<String, Value>, Halt> {
    let limits = planwright::model::Limits::default();
    let mut inputs = match &arguments.inputs {
        Some(path) => {
            let input = Input::read(path, &limits)?;
            json_object(&input.bytes, &limits)
                .map_err(|error| Halt::usage(format!("`{}`: {error}", input.name)))?
        }
        None => Map::new(),
    };
    let mut given = BTreeSet::new();
    for text in &arguments.input {
        let (name, value) = text.split_once('=').ok_or_else(|| {
            Halt::usage(format!("`{text}` has no `=`")).help("for example `--input topic=rust`")
        })?;
        if !given.insert(name) {
            return Err(Halt::usage(format!("the input `{name}` is given twice")));
        }
        inputs.insert(name.to_owned(), input_value(name, value, plan)?);
    }
    Ok(inputs)
}

/// JSON; for an input that is text, and for one that the plan does not have, also the text itself.
fn input_value(name: &str, text: &str, plan: &ValidatedPlan) -> Result<Value, Halt> {
    let declared = plan.plan().inputs.iter().find(|input| input.name == *name);
    let wants_text = declared.is_none_or(|input| input.value_type == ValueType::String);
    let limits = planwright::model::Limits::default();
    match json_value(text.as_bytes(), &limits) {
        Ok(value @ (Value::String(_) | Value::Null)) => Ok(value),
        _ if wants_text => Ok(text.into()),
        Ok(value) => Ok(value),
        Err(error) => Err(Halt::usage(format!(
            "the value of the input `{name}` is not JSON: {error}"
        ))
        .help(format!("text is written `--input '{name}=\"…\"'`"))),
    }
}
