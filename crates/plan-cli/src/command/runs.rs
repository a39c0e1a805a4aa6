//! `planwright runs`: what the store holds.

use planwright::exec::read_run;
use planwright::run::RunStatus;
use planwright::store::{Page, RunFilter, RunHead, RunStore};
use serde_json::{Value, json};

use super::resume::of_load;
use crate::args::{List, Runs, Show, Status};
use crate::exit::{Exit, Halt};
use crate::host::SCRIPTS;
use crate::output::{self, Detail};
use crate::session::{Form, show as show_record};
use crate::store::{self, Missing, Place};

/// Lists or shows runs.
pub(super) async fn runs(command: Runs) -> Result<Exit, Halt> {
    match command {
        Runs::List(arguments) => list(arguments).await,
        Runs::Show(arguments) => show(arguments).await,
    }
}

async fn list(arguments: List) -> Result<Exit, Halt> {
    let opened = store::open(&arguments.store.url, Missing::Refuse).await?;
    let filter = arguments
        .status
        .iter()
        .fold(RunFilter::default(), |filter, status| {
            filter.with_status(status_of(*status))
        });
    let mut heads: Vec<RunHead> = Vec::new();
    let mut unreadable = Vec::new();
    let mut page = Page::first(arguments.limit);
    while heads.len() < arguments.limit {
        let listed = opened
            .store
            .list(&filter, &page)
            .await
            .map_err(|error| store::of_store(&error))?;
        heads.extend(listed.heads);
        unreadable.extend(listed.unreadable);
        match listed.next {
            Some(cursor) => page = Page::after(cursor, arguments.limit),
            None => break,
        }
    }
    heads.truncate(arguments.limit);
    for one in &unreadable {
        output::say(format!("warning: {one}"));
    }
    if arguments.json {
        let heads: Vec<Value> = heads.iter().map(head_json).collect();
        let unreadable: Vec<String> = unreadable.iter().map(ToString::to_string).collect();
        output::print_json(&json!({"runs": heads, "unreadable": unreadable}));
    } else {
        for head in &heads {
            output::print(format!(
                "{}  {:9}  {}  {} (version {})",
                head.run,
                head.status.to_string(),
                head.created_at,
                head.plan_name,
                head.plan_version
            ));
        }
    }
    Ok(Exit::Fine)
}

fn head_json(head: &RunHead) -> Value {
    json!({
        "run_id": head.run,
        "status": head.status,
        "plan": {"id": head.plan, "version": head.plan_version, "name": head.plan_name},
        "created_at": head.created_at,
        "updated_at": head.updated_at,
        "tags": head.tags,
    })
}

/// Shows one run. Looking at a run is fine, however it stands.
async fn show(arguments: Show) -> Result<Exit, Halt> {
    let run = store::run_id(&arguments.run)?;
    let opened = store::open(&arguments.store.url, Missing::Refuse).await?;
    let created = store::created(&*opened.store, &run).await?;
    // the journal alone: today's catalog and policy have no say in what happened
    let record = read_run(&*opened.store, &run)
        .await
        .map_err(|error| of_load(&error))?;
    let place = Place::of(&arguments.store.url);
    show_record(&record, Form::of(arguments.json), &place, Detail::Whole);
    if let Some(warning) = created.sources.get(SCRIPTS) {
        output::say(format!("warning: {warning}"));
    }
    Ok(Exit::Fine)
}

fn status_of(status: Status) -> RunStatus {
    match status {
        Status::Running => RunStatus::Running,
        Status::Waiting => RunStatus::Waiting,
        Status::Succeeded => RunStatus::Succeeded,
        Status::Failed => RunStatus::Failed,
        Status::Cancelled => RunStatus::Cancelled,
    }
}
