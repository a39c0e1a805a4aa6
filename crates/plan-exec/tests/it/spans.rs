//! The `tracing` spans of a run: run, then step, then attempt.

use std::sync::{Arc, Mutex};

use plan_exec::ToolError;
use plan_run::RunStatus;
use plan_testkit::Scripted;
use serde_json::json;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::lab::{Lab, call, plan, registry, with};

/// Keeps the way from the outermost span to every span that was opened.
#[derive(Debug, Default, Clone)]
struct Spans(Arc<Mutex<Seen>>);

#[derive(Debug, Default)]
struct Seen {
    paths: Vec<String>,
    entered: Vec<u64>,
}

impl Spans {
    fn paths(&self) -> Vec<String> {
        self.0.lock().unwrap().paths.clone()
    }
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target().starts_with("plan_exec")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut seen = self.0.lock().unwrap();
        let parent = match span.parent() {
            Some(parent) => Some(parent.into_u64()),
            None if span.is_contextual() => seen.entered.last().copied(),
            None => None,
        };
        let above = parent.and_then(|id| seen.paths.get(usize::try_from(id).unwrap() - 1));
        let name = span.metadata().name();
        let path = above.map_or_else(|| name.to_owned(), |above| format!("{above} > {name}"));
        seen.paths.push(path);
        Id::from_u64(seen.paths.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, span: &Id) {
        self.0.lock().unwrap().entered.push(span.into_u64());
    }

    fn exit(&self, span: &Id) {
        let mut seen = self.0.lock().unwrap();
        let at = seen.entered.iter().rposition(|id| *id == span.into_u64());
        seen.entered.remove(at.unwrap());
    }
}

#[tokio::test(start_paused = true)]
async fn every_attempt_has_a_span_in_its_step_in_its_run() {
    let spans = Spans::default();
    let _guard = tracing::subscriber::set_default(spans.clone());
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
    assert_eq!(spans.paths(), attempts);
}
