//! The `tracing` spans of a run: run, then step, then attempt.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use plan_exec::ToolError;
use plan_run::RunStatus;
use plan_testkit::Scripted;
use serde_json::json;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::lab::{Lab, call, plan, registry, with};

thread_local! {
    static SEEN: RefCell<Seen> = RefCell::default();
}

/// What happened on this thread, which is all of one test's.
#[derive(Debug, Default)]
struct Seen {
    /// The way from the outermost span to every span, as they were opened.
    paths: BTreeMap<u64, String>,
    entered: Vec<u64>,
}

/// The subscriber of the whole process, since what a place in the code is worth is remembered process-wide.
#[derive(Debug, Default)]
struct Spans(AtomicU64);

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target().starts_with("plan_exec")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        SEEN.with_borrow_mut(|seen| {
            let parent = match span.parent() {
                Some(parent) => Some(parent.into_u64()),
                None if span.is_contextual() => seen.entered.last().copied(),
                None => None,
            };
            let above = parent.and_then(|id| seen.paths.get(&id));
            let name = span.metadata().name();
            let path = above.map_or_else(|| name.to_owned(), |above| format!("{above} > {name}"));
            seen.paths.insert(id, path);
        });
        Id::from_u64(id)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, span: &Id) {
        SEEN.with_borrow_mut(|seen| seen.entered.push(span.into_u64()));
    }

    fn exit(&self, span: &Id) {
        SEEN.with_borrow_mut(|seen| {
            let at = seen.entered.iter().rposition(|id| *id == span.into_u64());
            if let Some(at) = at {
                seen.entered.remove(at);
            }
        });
    }
}

#[tokio::test(start_paused = true)]
async fn every_attempt_has_a_span_in_its_step_in_its_run() {
    tracing::subscriber::set_global_default(Spans::default()).unwrap();
    tracing::callsite::rebuild_interest_cache();
    let lab = Lab::new();
    let flaky = Scripted::tool("flaky")
        .read_only()
        .fails(ToolError::transient("again"));
    let retry = json!({"retry": {"max_attempts": 2, "delay_secs": 1}});
    let text = plan(&[with(call("a", "flaky", json!({})), retry)]);
    let record = lab.run(&text, &registry([&flaky])).await;
    assert_eq!(record.status(), RunStatus::Failed);
    let attempts = [
        "run",
        "run > step",
        "run > step > attempt",
        "run > step",
        "run > step > attempt",
    ];
    let seen = SEEN.with_borrow(|seen| seen.paths.values().cloned().collect::<Vec<_>>());
    assert_eq!(seen, attempts);
}
