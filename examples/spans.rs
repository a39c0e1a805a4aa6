//! A run as whoever operates it sees it: spans with the field names of OpenTelemetry, the stream of its events,
//! and an observer of all runs.
//!
//! `cargo run --example spans`

#![expect(clippy::print_stdout, reason = "an example speaks to whoever runs it")]

use std::collections::BTreeMap;
use std::error::Error;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};

use plan_testkit::ScriptedModel;
use planwright::llm::Usage;
use planwright::model::ModelName;
use planwright::{
    Context, Executor, MemoryStore, ObservedRun, Observer, Policy, RunUpdate, ToolContext,
    ToolError, ToolRegistry, check, inputs, tool_fn_with_context,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing_subscriber::fmt::format::FmtSpan;

const PLAN: &str = include_str!("spans/pages.json");

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // any subscriber does; that of `tracing-opentelemetry` sends the same spans to a collector
    tracing_subscriber::fmt()
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(std::io::stdout().is_terminal())
        .without_time()
        .with_target(false)
        .init();
    watched(&|line| println!("{line}")).await
}

/// Runs the plan once, and says what the stream and the observer see.
async fn watched(say: &dyn Fn(&str)) -> Result<(), Box<dyn Error>> {
    let tools = tools()?;
    let policy = Policy::default();
    let plan = check(PLAN, &Context::new(tools.catalog(), &policy))?;
    let writer = ScriptedModel::new()
        .says("Two pages about durable execution.")
        .costing(Usage::new(120, 18));
    let tally = Arc::new(Tally::default());
    let executor = Executor::new(tools, MemoryStore::new())
        .model(ModelName::new("writer")?, writer)
        .observer(Arc::clone(&tally));

    let run = executor
        .start(
            plan,
            inputs! { "pages": ["https://a.example", "https://b.example"] },
        )
        .await?;
    let mut updates = run.events();
    while let Some(update) = updates.next().await {
        match update {
            RunUpdate::Recorded(event) => {
                let step = event.kind.step();
                let step = step.map_or_else(String::new, |step| format!(" {step}"));
                say(&format!("event: {}{step}", event.kind.name()));
            }
            RunUpdate::Progress { step, message, .. } => {
                say(&format!("progress: {step} {message}"));
            }
            RunUpdate::Missed(count) => say(&format!("missed: {count}")),
        }
    }
    let record = run.wait().await?;
    say(&format!("the run {}", record.status()));

    // no run waits for an observer, so whoever ends the process does
    executor.observed().await;
    for (kind, count) in tally.counts() {
        say(&format!("observed: {kind} {count}"));
    }
    Ok(())
}

/// Counts the events of all runs of an executor, by their kind.
#[derive(Debug, Default)]
struct Tally(Mutex<BTreeMap<&'static str, u64>>);

impl Tally {
    fn counts(&self) -> BTreeMap<&'static str, u64> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.clone()
    }
}

impl Observer for Tally {
    fn saw(&self, _run: &ObservedRun, update: &RunUpdate) {
        if let RunUpdate::Recorded(event) = update {
            let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *counts.entry(event.kind.name()).or_default() += 1;
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Fetch {
    url: String,
}

#[derive(Serialize, JsonSchema)]
struct Page {
    text: String,
}

/// A tool that fetches nothing, and is busy when it is asked for the second page the first time.
fn tools() -> Result<ToolRegistry, Box<dyn Error>> {
    let fetch = tool_fn_with_context(
        "fetch",
        "Fetch a page",
        |page: Fetch, cx: ToolContext| async move {
            if page.url.contains("b.example") && cx.attempt() == 1 {
                return Err(ToolError::transient("busy"));
            }
            cx.progress(format!("read {}", page.url));
            let text = format!("what {} says", page.url);
            Ok(Page { text })
        },
    );
    Ok(ToolRegistry::new().with(fetch.read_only().typed_result())?)
}

#[cfg(test)]
mod tests {
    use std::io;

    use tracing_subscriber::fmt::MakeWriter;

    use super::*;

    /// Keeps what is written.
    #[derive(Debug, Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Kept {
        type Writer = Self;

        fn make_writer(&'a self) -> Self {
            self.clone()
        }
    }

    #[tokio::test]
    async fn every_way_to_watch_a_run_tells_the_same_of_it() {
        let kept = Kept::default();
        let subscriber = tracing_subscriber::fmt()
            .with_span_events(FmtSpan::CLOSE)
            .with_ansi(false)
            .with_writer(kept.clone())
            .finish();
        let said = Mutex::new(Vec::new());
        {
            let _listening = tracing::subscriber::set_default(subscriber);
            let say = |line: &str| said.lock().unwrap().push(line.to_owned());
            watched(&say).await.unwrap();
        }
        let spans = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        let line = |with: &[&str]| {
            let found = spans
                .lines()
                .filter(|line| with.iter().all(|part| line.contains(part)));
            found.count()
        };
        let attempt = ":attempt{";
        // three attempts at two pages, one of which was busy, and one question
        assert_eq!(
            line(&[attempt, r#"gen_ai.operation.name="execute_tool""#]),
            3,
            "{spans}"
        );
        assert_eq!(
            line(&[attempt, "each[1]/fetch", r#"error.type="transient""#]),
            1,
            "{spans}"
        );
        assert_eq!(
            line(&[attempt, r#"gen_ai.tool.name="fetch""#, "item=0"]),
            1,
            "{spans}"
        );
        let asked = [
            attempt,
            r#"gen_ai.operation.name="chat""#,
            r#"gen_ai.request.model="writer""#,
            "gen_ai.request.max_tokens=200",
            "gen_ai.usage.input_tokens=120",
            "gen_ai.usage.output_tokens=18",
        ];
        assert_eq!(line(&asked), 1, "{spans}");
        let run = ["run{", r#"plan="Digest of pages""#, r#"status="succeeded""#];
        assert!(line(&run) > 0, "{spans}");

        let said = said.into_inner().unwrap();
        let events = said.iter().filter(|line| line.starts_with("event: "));
        let started = events
            .clone()
            .filter(|line| line.contains("attempt_started"));
        assert_eq!(started.count(), 4, "{said:?}");
        for line in [
            "event: run_created",
            "event: retry_scheduled each[1]/fetch",
            "progress: each[0]/fetch read https://a.example",
            "the run succeeded",
            "observed: attempt_started 4",
            "observed: run_ended 1",
        ] {
            assert!(said.iter().any(|said| said == line), "{line} in {said:?}");
        }
        let observed: u64 = said
            .iter()
            .filter_map(|line| line.strip_prefix("observed: "))
            .filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
            .sum();
        assert_eq!(observed, events.count() as u64, "{said:?}");
    }
}
