//! Rebuilding a run from its journal: to look at it, or to drive it under the tools and the policy that are here now.

use plan_model::document::{self, DocumentKind, NameLength, ReadOptions};
use plan_run::event::RunCreated;
use plan_run::{Basis, Event, EventKind, Machine, RecordedPlan, Refused, RunId, RunRecord, decode};
use plan_store::{JournalPage, RunStoreExt, Sequence, Store, VersionSpec};
use plan_validate::{Context, ValidatedPlan, check_bytes};

use crate::executor::{LoadError, Shared};

/// A run as its journal has it.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) machine: Machine,
    pub(crate) plan: ValidatedPlan,
    pub(crate) journal: Sequence,
    pub(crate) status: plan_run::RunStatus,
}

/// The record of a run as its journal has it, whoever drives it.
///
/// Asks for no catalog and no policy: a run stays readable where its plan would be
/// refused today, and where its tools have changed or are gone.
///
/// # Errors
/// When the store has no such run, its journal cannot be followed, or its plan is not the one that it was started with.
pub async fn read_run(store: &dyn Store, run: &RunId) -> Result<RunRecord, LoadError> {
    let page = store.journal(run).await?;
    let (first, created) = beginning(&page, run)?;
    let plan = recorded(store, &created).await?;
    let machine = Machine::recorded(plan, &first);
    Ok(follow(machine, &page, run)?.record())
}

/// Reads a run, checks its plan again, and replays its journal.
pub(crate) async fn load(shared: &Shared, run: &RunId) -> Result<Loaded, LoadError> {
    let (_, loaded) = load_page(shared, run).await?;
    Ok(loaded)
}

/// As [`load`], with the journal itself.
pub(crate) async fn load_page(
    shared: &Shared,
    run: &RunId,
) -> Result<(JournalPage, Loaded), LoadError> {
    let page = shared.store.journal(run).await?;
    let (first, created) = beginning(&page, run)?;
    let plan = plan(shared, &created).await?;
    let machine = Machine::new(plan.clone(), &first);
    let loaded = Loaded {
        machine: follow(machine, &page, run)?,
        plan,
        journal: Sequence::START.plus(page.records.len()),
        status: page.head.status,
    };
    Ok((page, loaded))
}

/// Applies what a journal holds after its first record.
pub(crate) fn follow<P: Basis>(
    begun: Result<Machine<P>, Refused>,
    page: &JournalPage,
    run: &RunId,
) -> Result<Machine<P>, LoadError> {
    let out_of_order = |sequence, refused| LoadError::OutOfOrder {
        run: run.clone(),
        sequence,
        refused: Box::new(refused),
    };
    let mut machine = begun.map_err(|refused| out_of_order(Sequence::new(1), refused))?;
    for (at, record) in page.records.iter().enumerate().skip(1) {
        let sequence = Sequence::START.plus(at + 1);
        let event = decoded(run, sequence, record)?;
        machine
            .apply(&event)
            .map_err(|refused| out_of_order(sequence, refused))?;
    }
    Ok(machine)
}

/// The first event of a journal, and what it says of the run.
fn beginning(page: &JournalPage, run: &RunId) -> Result<(Event, Box<RunCreated>), LoadError> {
    let first = first(page, run)?;
    match &first.kind {
        EventKind::RunCreated(created) => {
            let created = created.clone();
            Ok((first, created))
        }
        _ => Err(LoadError::NoBeginning { run: run.clone() }),
    }
}

fn first(page: &JournalPage, run: &RunId) -> Result<Event, LoadError> {
    match page.records.first() {
        Some(record) => decoded(run, Sequence::new(1), record),
        None => Err(LoadError::NoBeginning { run: run.clone() }),
    }
}

fn decoded(
    run: &RunId,
    sequence: Sequence,
    record: &plan_store::Record,
) -> Result<Event, LoadError> {
    decode(record.as_bytes()).map_err(|error| LoadError::Unreadable {
        run: run.clone(),
        sequence,
        error,
    })
}

/// The plan of a run as its store has it, whether or not it would pass a check.
async fn recorded(store: &dyn Store, created: &RunCreated) -> Result<RecordedPlan, LoadError> {
    let version = VersionSpec::Exact(created.plan.version);
    let stored = store.get(created.plan.id, version).await?;
    // it was within the bounds of its host once, and need not be within those of any other
    let mut options = ReadOptions::default();
    options.kind = DocumentKind::Plan;
    options.names = NameLength::Imported;
    options.limits.document_bytes = usize::MAX;
    options.limits.document_nodes = usize::MAX;
    options.limits.steps = usize::MAX;
    options.limits.attempts = u64::MAX;
    let parsed = document::parse(stored.document.as_bytes(), &options.limits);
    let read = parsed
        .document
        .as_ref()
        .and_then(|document| document::read(document, &options).plan);
    let plan = read.ok_or_else(|| LoadError::NoPlan {
        run: created.run.clone(),
    })?;
    let plan = RecordedPlan::from(plan);
    if plan.digest() == created.plan.digest {
        Ok(plan)
    } else {
        Err(LoadError::PlanDiffers {
            run: created.run.clone(),
            expected: created.plan.digest,
            actual: plan.digest(),
        })
    }
}

/// The plan of a run, if it still passes the check and is granted what the run was started with.
async fn plan(shared: &Shared, created: &RunCreated) -> Result<ValidatedPlan, LoadError> {
    let run = || created.run.clone();
    let version = VersionSpec::Exact(created.plan.version);
    let stored = shared.store.get(created.plan.id, version).await?;
    let catalog = shared.tools.catalog();
    let changed: Vec<_> = created
        .tools
        .iter()
        .filter(|(name, digest)| {
            catalog
                .tool(name)
                .is_none_or(|tool| tool.digest != **digest)
        })
        .map(|(name, _)| name.clone())
        .collect();
    if !changed.is_empty() {
        return Err(LoadError::ToolsDiffer {
            run: run(),
            tools: changed,
        });
    }
    let mut options = ReadOptions::default();
    options.kind = DocumentKind::Plan;
    options.names = NameLength::Imported;
    options.limits = shared.policy.limits;
    let cx = Context::new(catalog, &shared.policy);
    let plan = check_bytes(stored.document.as_bytes(), &options, &cx).map_err(|rejected| {
        match rejected.digest() {
            // an edited plan is an edited plan, whatever else is wrong with it
            Some(actual) if actual != created.plan.digest => LoadError::PlanDiffers {
                run: run(),
                expected: created.plan.digest,
                actual,
            },
            _ => LoadError::PlanRejected {
                run: run(),
                rejected: Box::new(rejected),
            },
        }
    })?;
    if plan.digest() != created.plan.digest {
        return Err(LoadError::PlanDiffers {
            run: run(),
            expected: created.plan.digest,
            actual: plan.digest(),
        });
    }
    let granted = plan.grant().digest();
    if granted != created.grant {
        return Err(LoadError::GrantDiffers {
            run: run(),
            expected: created.grant,
            actual: granted,
        });
    }
    Ok(plan)
}
