//! One conformance suite for every [`AgentRunner`].
//!
//! Each case is a run of a plan whose agent the runner is. What the agent does is scripted: for a runner over a model
//! by the model's answers, for a program by the program.
//!
//! ```ignore
//! struct Looping;
//!
//! impl Fresh for Looping {
//!     fn fresh(&self, does: Does) -> Fixture {
//!         Fixture::new(LoopAgent::new(model_that(does), "m"))
//!     }
//! }
//!
//! plan_testkit::agent_suite!(Looping);
//! ```
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a case that cannot go on has failed"
)]

mod plan;

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use plan_exec::{AgentRunner, Executor, Inputs, RunHandle, ToolRegistry};
use plan_model::AgentName;
use plan_run::{Effect, Failure, FailureClass, PrincipalName, RunRecord, RunStatus, StepStatus};
use plan_store::MemoryStore;
use plan_validate::{AgentKind, AgentSpec, Context, Policy, Roots, check};
use serde_json::{Value, json};

use crate::Scripted;
use crate::suite::skipped;

use plan::task;

/// A runner of agents.
pub struct Fixture {
    runner: Arc<dyn AgentRunner>,
    tools: Tools,
    running: Option<Counted>,
    folder: tempfile::TempDir,
    keep: Option<Box<dyn Any + Send + Sync>>,
}

type Counted = Box<dyn Fn() -> usize + Send + Sync>;

/// Whether an agent can call the tools of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tools {
    OfThePlan,
    OfItsOwn,
}

/// What an agent does with whatever objective it is given.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Does {
    /// Reports this text at once.
    Reports(String),
    /// Calls a tool of the plan with these arguments, and whatever comes of it reports `done`.
    Calls {
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: Value,
    },
    /// Calls this tool without arguments again and again, as long as it is let.
    CallsForEver {
        /// The tool.
        tool: String,
    },
    /// Fails.
    Fails,
    /// Works without an end.
    GoesOn,
}

impl fmt::Debug for Fixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fixture")
            .field("runner", &self.runner)
            .field("tools", &self.tools)
            .field("keeps", &self.keep.is_some())
            .finish_non_exhaustive()
    }
}

/// Makes a runner whose agent does what a case says.
pub trait Fresh {
    /// A runner that ran nothing yet.
    fn fresh(&self, does: Does) -> Fixture;
}

impl Fixture {
    /// A runner.
    ///
    /// # Panics
    /// When there can be no temporary folder.
    pub fn new(runner: impl AgentRunner + 'static) -> Self {
        Self {
            runner: Arc::new(runner),
            tools: Tools::OfThePlan,
            running: None,
            folder: tempfile::tempdir().unwrap(),
            keep: None,
        }
    }

    /// Says that its agents have no way to the tools of a plan; the cases of calls are skipped by name.
    #[must_use]
    pub fn with_tools_of_its_own(mut self) -> Self {
        self.tools = Tools::OfItsOwn;
        self
    }

    /// With a count of the agents that are at work, wherever they are.
    #[must_use]
    pub fn running(mut self, count: impl Fn() -> usize + Send + Sync + 'static) -> Self {
        self.running = Some(Box::new(count));
        self
    }

    /// Keeps something for as long as the runner is used, such as its folder.
    #[must_use]
    pub fn keeping(mut self, keep: impl Any + Send + Sync) -> Self {
        self.keep = Some(Box::new(keep));
        self
    }

    fn calls(&self, case: &str) -> bool {
        let can = self.tools == Tools::OfThePlan;
        if !can {
            skipped(case, "its agents have no way to the tools of a plan");
        }
        can
    }

    /// Starts a run of one agent with the tools `look`, which it may call, and `wipe`, which it may not.
    async fn start(&self, plan: &Value, look: &Scripted, wipe: &Scripted) -> RunHandle {
        let spec = AgentSpec::new(AgentName::new("it").unwrap(), AgentKind::Loop);
        let tools = ToolRegistry::new()
            .with(look.clone())
            .and_then(|tools| tools.with(wipe.clone()))
            .unwrap()
            .with_agent(spec, Arc::clone(&self.runner));
        let policy = Policy::default().roots(Roots::Unrestricted);
        let text = plan.to_string();
        let plan = check(&text, &Context::new(tools.catalog(), &policy));
        let plan = plan.unwrap_or_else(|rejected| panic!("{rejected}"));
        let executor = Executor::new(tools, MemoryStore::new())
            .policy(policy)
            .scratch(self.folder.path());
        executor.start(plan, Inputs::none()).await.unwrap()
    }

    async fn run(&self, plan: &Value, look: &Scripted, wipe: &Scripted) -> RunRecord {
        let run = self.start(plan, look, wipe).await;
        let ended = tokio::time::timeout(PATIENCE, run.wait()).await;
        ended.expect("the agent does not end").unwrap()
    }

    /// Runs an agent that calls nothing.
    async fn works(&self, plan: &Value) -> RunRecord {
        let (look, wipe) = tools();
        self.run(plan, &look, &wipe).await
    }

    /// Waits until the count of agents at work is like this; without a count there is nothing to wait for.
    async fn until(&self, what: &str, holds: impl Fn(usize) -> bool) {
        let Some(running) = &self.running else {
            return;
        };
        let waiting = async {
            while !holds(running()) {
                tokio::task::yield_now().await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, waiting).await;
        assert!(waited.is_ok(), "{what}: not within {PATIENCE:?}");
    }
}

fn tools() -> (Scripted, Scripted) {
    (
        Scripted::tool("look")
            .read_only()
            .returns(json!({"seen": 1})),
        Scripted::tool("wipe"),
    )
}

/// Hands the list of all cases to a macro: `__agent_cases!([path::of::macro] [its own arguments])`.
#[doc(hidden)]
#[macro_export]
macro_rules! __agent_cases {
    ([$($then:tt)+] [$($arguments:tt)*]) => {
        $($then)+! {
            [$($arguments)*]
            a_report_comes_back,
            declared_outputs_are_taken_from_the_report,
            an_objective_is_data,
            a_call_goes_through_the_plan,
            a_call_of_another_tool_is_not_made_and_no_end,
            an_agent_keeps_to_its_turns,
            an_agent_that_fails_is_a_failed_attempt,
            an_agent_past_its_time_is_ended,
            a_cancelled_agent_ends,
            agents_at_one_time_are_apart,
        }
    };
}

__agent_cases!([suite_dispatch][]);

/// Makes one test of every case: `agent_suite!(value)`, where the value is [`Fresh`](crate::agent_suite::Fresh).
///
/// The crate needs `tokio` with its macros and its runtime of several threads.
#[macro_export]
macro_rules! agent_suite {
    ($fresh:expr) => {
        $crate::__agent_cases!([$crate::__suite_tests][agent_suite $fresh]);
    };
}

/// How long something may take that should happen at once.
const PATIENCE: Duration = Duration::from_secs(30);

fn failure_of(record: &RunRecord) -> &Failure {
    let step = record.step("work").unwrap();
    step.failure
        .as_ref()
        .unwrap_or_else(|| panic!("the agent did not fail: {record:?}"))
}

async fn a_report_comes_back(fresh: &impl Fresh) {
    let fixture = fresh.fresh(Does::Reports(
        "all \"done\": 5 files ${step.x.y}".to_owned(),
    ));
    let record = fixture.works(&task("tidy up", json!({}))).await;
    assert_eq!(record.status(), RunStatus::Succeeded, "{record:?}");
    assert_eq!(
        record.outputs()["report"],
        "all \"done\": 5 files ${step.x.y}"
    );
}

async fn declared_outputs_are_taken_from_the_report(fresh: &impl Fresh) {
    let report = "I counted them.\n{\"files\": 2}";
    let fixture = fresh.fresh(Does::Reports(report.to_owned()));
    let mut plan = task("count", json!({}));
    plan["steps"][0]["outputs"] = json!([{"name": "files", "value_type": "integer"}]);
    plan["outputs"] = json!([{"name": "files", "source": "${step.work.files}"}]);
    let record = fixture.works(&plan).await;
    assert_eq!(record.outputs()["files"], 2, "{record:?}");
}

async fn an_objective_is_data(fresh: &impl Fresh) {
    for objective in [
        "--version",
        "-n",
        "$(touch owned); `touch owned`",
        "'; touch owned; '",
        "two\nlines \"and\" \\ more",
        "{objective} {working_dir}",
    ] {
        let fixture = fresh.fresh(Does::Reports("done".to_owned()));
        let record = fixture.works(&task(objective, json!({}))).await;
        if record.status() == RunStatus::Succeeded {
            assert_eq!(record.outputs()["report"], "done");
        } else {
            // what cannot be handed over as data is refused before anything is done
            let failure = failure_of(&record);
            assert_eq!(failure.class, FailureClass::InvalidArguments, "{failure:?}");
            assert_eq!(failure.effect, Effect::None);
        }
        // each run has a folder of its own below
        let runs = std::fs::read_dir(fixture.folder.path()).unwrap();
        let owned = runs.flatten().any(|run| run.path().join("owned").exists());
        assert!(!owned, "the objective was run");
    }
}

async fn a_call_goes_through_the_plan(fresh: &impl Fresh) {
    let fixture = fresh.fresh(Does::Calls {
        tool: "look".to_owned(),
        arguments: json!({"at": "here"}),
    });
    if !fixture.calls("a_call_goes_through_the_plan") {
        return;
    }
    let (look, wipe) = tools();
    let record = fixture.run(&task("look", json!({})), &look, &wipe).await;
    assert_eq!(record.status(), RunStatus::Succeeded, "{record:?}");
    let calls = look.calls();
    let arguments: Vec<_> = calls.iter().map(|call| json!(call.arguments)).collect();
    assert_eq!(arguments, [json!({"at": "here"})]);
}

async fn a_call_of_another_tool_is_not_made_and_no_end(fresh: &impl Fresh) {
    for (tool, arguments) in [("wipe", json!({})), ("no-such-tool", json!({}))] {
        let fixture = fresh.fresh(Does::Calls {
            tool: tool.to_owned(),
            arguments,
        });
        if !fixture.calls("a_call_of_another_tool_is_not_made_and_no_end") {
            return;
        }
        let (look, wipe) = tools();
        let record = fixture.run(&task("wipe", json!({})), &look, &wipe).await;
        assert_eq!(wipe.calls().len(), 0);
        assert_eq!(record.status(), RunStatus::Succeeded, "{record:?}");
    }
}

async fn an_agent_keeps_to_its_turns(fresh: &impl Fresh) {
    let fixture = fresh.fresh(Does::CallsForEver {
        tool: "look".to_owned(),
    });
    if !fixture.calls("an_agent_keeps_to_its_turns") {
        return;
    }
    let (look, wipe) = tools();
    let plan = task("look", json!({"max_turns": 3}));
    let record = fixture.run(&plan, &look, &wipe).await;
    assert!(look.calls().len() <= 3, "{} calls", look.calls().len());
    assert!(record.status().is_finished());
}

async fn an_agent_that_fails_is_a_failed_attempt(fresh: &impl Fresh) {
    let fixture = fresh.fresh(Does::Fails);
    let record = fixture.works(&task("fail", json!({}))).await;
    assert_eq!(record.status(), RunStatus::Failed);
    let failure = failure_of(&record);
    assert!(!failure.message.is_empty());
    assert_ne!(failure.class, FailureClass::Panicked, "{failure:?}");
}

async fn an_agent_past_its_time_is_ended(fresh: &impl Fresh) {
    let fixture = fresh.fresh(Does::GoesOn);
    let plan = task("go on", json!({"timeout_secs": 0.3}));
    let record = fixture.works(&plan).await;
    let failure = failure_of(&record);
    assert_eq!(failure.class, FailureClass::Timeout, "{failure:?}");
    assert_eq!(failure.effect, Effect::Unknown);
    fixture
        .until("the agent has ended", |running| running == 0)
        .await;
}

async fn a_cancelled_agent_ends(fresh: &impl Fresh) {
    let fixture = fresh.fresh(Does::GoesOn);
    let (look, wipe) = tools();
    let run = fixture.start(&task("go on", json!({})), &look, &wipe).await;
    fixture
        .until("the agent is at work", |running| running > 0)
        .await;
    let by = PrincipalName::new("grace").unwrap();
    run.cancel(by, "no longer wanted").await.unwrap();
    let ended = tokio::time::timeout(PATIENCE, run.wait()).await;
    let record = ended.expect("the agent does not end").unwrap();
    assert_eq!(record.status(), RunStatus::Cancelled);
    assert_eq!(record.step("work").unwrap().status, StepStatus::Cancelled);
    fixture
        .until("the agent has ended", |running| running == 0)
        .await;
}

async fn agents_at_one_time_are_apart(fresh: &impl Fresh) {
    let fixture = fresh.fresh(Does::Reports("done".to_owned()));
    let plan = task("tidy up", json!({}));
    let (one, two) = tokio::join!(fixture.works(&plan), fixture.works(&plan));
    for record in [one, two] {
        assert_eq!(record.status(), RunStatus::Succeeded, "{record:?}");
    }
}
