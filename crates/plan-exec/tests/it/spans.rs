//! The `tracing` spans of a run: run, then step, then attempt.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

use plan_exec::{Inputs, ToolError};
use plan_llm::Usage;
use plan_run::RunStatus;
use plan_testkit::{Gate, Scripted, ScriptedModel};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::lab::{Lab, call, plan, plan_with, registry, with};

thread_local! {
    static SEEN: RefCell<Seen> = RefCell::default();
}

/// What happened on this thread, which is all of one test's.
#[derive(Debug, Default)]
struct Seen {
    /// The way from the outermost span to every span, as they were opened.
    paths: BTreeMap<u64, String>,
    /// The fields of every span.
    fields: BTreeMap<u64, BTreeMap<&'static str, String>>,
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
            span.record(&mut Fields(seen.fields.entry(id).or_default()));
        });
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        SEEN.with_borrow_mut(|seen| {
            let fields = seen.fields.entry(span.into_u64()).or_default();
            values.record(&mut Fields(fields));
        });
    }

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

/// Writes down fields as texts.
struct Fields<'a>(&'a mut BTreeMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

/// The spans of the run that a test has driven, from here on.
fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tracing::subscriber::set_global_default(Spans::default()).unwrap();
        tracing::callsite::rebuild_interest_cache();
    });
}

/// The fields of the spans of this path.
fn fields_of(path: &str) -> Vec<BTreeMap<&'static str, String>> {
    SEEN.with_borrow(|seen| {
        let ids = seen.paths.iter().filter(|(_, seen)| *seen == path);
        ids.map(|(id, _)| seen.fields[id].clone()).collect()
    })
}

#[tokio::test(start_paused = true)]
async fn a_model_is_named_and_counted_as_opentelemetry_does() {
    listen();
    let lab = Lab::new();
    let tools = registry([]);
    let text = plan(&[json!({"id": "p", "name": "p", "config": {
        "type": "PROMPT_CALL", "model": "m", "user_prompt": "hi", "output_field": "text",
        "max_tokens": 9,
    }})]);
    let model = ScriptedModel::new().says("x").costing(Usage::new(12, 3));
    let checked = lab.check(&text, &tools);
    let name = plan_model::ModelName::new("m").unwrap();
    let executor = lab.executor(&tools).model(name, model);
    let handle = executor.start(checked, Inputs::none()).await.unwrap();
    handle.wait().await.unwrap();
    let attempt = fields_of("run > step > attempt").remove(0);
    let expected = [
        ("attempt", "1"),
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.output.type", "text"),
        ("gen_ai.request.max_tokens", "9"),
        ("gen_ai.request.model", "m"),
        ("gen_ai.response.finish_reasons", "stop"),
        ("gen_ai.usage.input_tokens", "12"),
        ("gen_ai.usage.output_tokens", "3"),
    ];
    let expected: BTreeMap<_, _> = expected
        .into_iter()
        .map(|(name, value)| (name, value.to_owned()))
        .collect();
    assert_eq!(attempt, expected);
}

#[tokio::test(start_paused = true)]
async fn every_attempt_has_a_span_in_its_step_in_its_run() {
    listen();
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
    let numbers: Vec<_> = fields_of("run > step > attempt")
        .into_iter()
        .map(|attempt| (attempt["attempt"].clone(), attempt["error.type"].clone()))
        .collect();
    let expected = ["1", "2"].map(|number| (number.to_owned(), "transient".to_owned()));
    assert_eq!(numbers, expected);
    let run = fields_of("run").remove(0);
    assert_eq!(run["gen_ai.operation.name"], "invoke_workflow");
    assert_eq!(run["plan"], "a plan");
    assert_eq!(run["status"], "failed");
    assert_eq!(run["error.type"], "transient");
}

#[tokio::test(start_paused = true)]
async fn the_span_of_a_body_step_says_which_item_it_is_for() {
    listen();
    let lab = Lab::new();
    let work = Scripted::tool("work").read_only();
    let each = json!({"id": "each", "name": "each", "config": {
        "type": "FAN_OUT", "over": "${conf.rows}", "item_var": "row", "spawn_steps": ["a"],
    }});
    let text = plan_with(
        &[each, call("a", "work", json!({}))],
        json!({"config": {"rows": ["x", "y"]}}),
    );
    lab.run(&text, &registry([&work])).await;
    let steps: Vec<_> = fields_of("run > step")
        .into_iter()
        .map(|step| (step["step"].clone(), step["item"].clone()))
        .collect();
    let expected = [("each[0]/a", "0"), ("each[1]/a", "1")];
    assert_eq!(
        steps,
        expected.map(|(step, item)| (step.to_owned(), item.to_owned()))
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_left_early_says_why() {
    listen();
    let lab = Lab::new();
    let gate = Gate::new();
    let work = Scripted::tool("work").read_only().past(&gate);
    let text = plan(&[call("a", "work", json!({}))]);
    let run = lab.start(&text, &registry([&work])).await;
    gate.arrived(1).await;
    run.stop().await;
    let run = fields_of("run").remove(0);
    assert_eq!(run["error.type"], "stopped");
    assert_eq!(run.get("status"), None);
}
