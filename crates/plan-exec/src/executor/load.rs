//! Rebuilding a run from its journal, under the tools and the policy that are here now.

use plan_model::document::ReadOptions;
use plan_run::event::RunCreated;
use plan_run::{Event, EventKind, Machine, RunId, decode};
use plan_store::{JournalPage, RunStoreExt, Sequence, VersionSpec};
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

/// Reads a run, checks its plan again, and replays its journal.
pub(crate) async fn load(shared: &Shared, run: &RunId) -> Result<Loaded, LoadError> {
    let page = shared.store.journal(run).await?;
    let first = first(&page, run)?;
    let EventKind::RunCreated(created) = &first.kind else {
        return Err(LoadError::NoBeginning { run: run.clone() });
    };
    let plan = plan(shared, created).await?;
    let refused = |sequence, refused| LoadError::OutOfOrder {
        run: run.clone(),
        sequence,
        refused: Box::new(refused),
    };
    let mut machine =
        Machine::new(plan.clone(), &first).map_err(|error| refused(Sequence::new(1), error))?;
    for (at, record) in page.records.iter().enumerate().skip(1) {
        let sequence = Sequence::START.plus(at + 1);
        let event = decoded(run, sequence, record)?;
        machine
            .apply(&event)
            .map_err(|error| refused(sequence, error))?;
    }
    Ok(Loaded {
        machine,
        plan,
        journal: Sequence::START.plus(page.records.len()),
        status: page.head.status,
    })
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
    options.kind = plan_model::document::DocumentKind::Plan;
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
