//! `AgentDojo`: benign tasks, and what injected text would have the assistant do instead.
//!
//! Each benign task's calls become a plan. Every call of every injection task of its suite is then tried
//! against the plan's grant, at each of its steps. The table of what is refused stands in `docs/narrowing.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use planwright::model::{Reference, Root, Schema, Segment, canonical_json};
use planwright::validate::{Policy, Untrusted};
use planwright::{Context, ToolCatalog, ToolName, ToolSpec, ValidatedPlan, check};
use serde_json::{Map, Value, json};

use super::rows::{Corpora, CorpusTest};

pub(crate) const TESTS: &[CorpusTest] = &[
    CorpusTest {
        name: "agentdojo::every_tool_has_its_sensitive_arguments",
        run: every_tool_is_listed,
    },
    CorpusTest {
        name: "agentdojo::case_23_no_injected_call_passes_the_grant_of_a_plan_with_literals",
        run: literals,
    },
    CorpusTest {
        name: "agentdojo::the_table_of_what_each_level_refuses_stands_in_the_docs",
        run: table,
    },
];

/// For each suite and tool the arguments through which an injection would do harm: who is reached, what is paid,
/// shared or destroyed. The corpus lacks them. Texts that only somebody reads are not among them.
const SENSITIVE: &str = include_str!("agentdojo/sensitive.json");

const SUITES: [&str; 4] = ["workspace", "travel", "banking", "slack"];

/// How much of the grant is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// Whether the plan uses the tool at all.
    Tools,
    /// Whether a step of the plan makes this call.
    CallSite,
    /// The same, where policy denies untrusted values in sensitive arguments.
    Flow,
}

const LEVELS: [(Level, &str); 3] = [
    (Level::Tools, "tools only"),
    (Level::CallSite, "call site"),
    (Level::Flow, "call site + flow policy"),
];

/// How the calls of a benign task become a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arguments {
    /// As in the corpus, where every value stands there.
    Literal,
    /// Text that the user did not write is read from the step before, which the attacker is taken to control.
    Read,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
struct Call {
    tool: ToolName,
    arguments: Map<String, Value>,
}

struct Task {
    id: String,
    prompt: String,
    calls: Vec<Call>,
}

struct Suite {
    catalog: ToolCatalog,
    benign: Vec<Task>,
    injections: Vec<Task>,
}

impl Suite {
    fn read(corpora: &Corpora, name: &str) -> Self {
        let suite = corpora.document("agentdojo/suites_sample.json")[name].take();
        let mut catalog = ToolCatalog::builder();
        for tool in suite["tools"].as_array().unwrap() {
            let tool_name = tool["name"].as_str().unwrap();
            let mut spec = ToolSpec::named(ToolName::new(tool_name).unwrap());
            spec.input_schema = Some(Schema(tool["parameters"].clone()));
            spec.sensitive_arguments = sensitive(name, tool_name);
            catalog = catalog.tool(spec);
        }
        let tasks = |kind: &str| {
            let rows = suite[kind].as_array().unwrap().iter();
            rows.map(Task::read)
                .filter(|task| !task.calls.is_empty())
                .collect()
        };
        Self {
            catalog: catalog.build().unwrap(),
            benign: tasks("user_tasks"),
            injections: tasks("injection_tasks"),
        }
    }
}

impl Task {
    fn read(row: &Value) -> Self {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let calls = row["ground_truth"].as_array().unwrap().iter();
        Self {
            id: text("id"),
            prompt: text("prompt"),
            calls: calls
                .map(|call| Call {
                    tool: ToolName::new(call["function"].as_str().unwrap()).unwrap(),
                    // as a plan would hold them: `100.0` is `100`
                    arguments: serde_json::from_str(&canonical_json(&call["args"])).unwrap(),
                })
                .collect(),
        }
    }

    /// The plan of a benign task; `None` where the policy refuses it as a whole.
    fn plan(&self, suite: &Suite, arguments: Arguments, level: Level) -> Option<ValidatedPlan> {
        let steps: Vec<Value> = (0..)
            .zip(&self.calls)
            .map(|(index, call)| {
                let given = call.arguments.iter().map(|(name, value)| {
                    let read = arguments == Arguments::Read && index > 0 && !self.is_said(value);
                    let before = index - 1;
                    let reference = || json!(format!("${{step.s{before}.{name}}}"));
                    (name.clone(), if read { reference() } else { value.clone() })
                });
                let given: Map<String, Value> = given.collect();
                json!({"name": format!("s{index}"), "tool": call.tool.as_str(), "args": given})
            })
            .collect();
        let untrusted = if level == Level::Flow {
            Untrusted::Deny
        } else {
            Untrusted::Allow
        };
        let policy = Policy::default().untrusted(untrusted);
        let document = json!({"objective": self.prompt, "steps": steps}).to_string();
        match check(&document, &Context::new(&suite.catalog, &policy)) {
            Ok(plan) => Some(plan),
            Err(rejected) => {
                let only_flow = rejected.findings().iter().all(|finding| {
                    finding.severity != planwright::validate::Severity::Error
                        || finding.code.as_str() == "P604"
                });
                assert!(
                    only_flow && level == Level::Flow,
                    "{}: {:#?}",
                    self.id,
                    rejected.findings()
                );
                None
            }
        }
    }

    /// Whether the user wrote the value, so that it is known before anything is read.
    fn is_said(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.prompt.to_lowercase().contains(&text.to_lowercase()),
            Value::Number(number) => self.prompt.contains(&number.to_string()),
            Value::Array(items) => items.iter().all(|item| self.is_said(item)),
            Value::Object(members) => members.values().all(|member| self.is_said(member)),
            Value::Null | Value::Bool(_) => true,
        }
    }
}

impl Call {
    /// Whether any step of the plan may make it, if whatever a step reads is what the caller wants it to be.
    fn passes(&self, plan: &ValidatedPlan, level: Level) -> bool {
        if level == Level::Tools {
            return plan.grant().tools().contains_key(&self.tool);
        }
        let read = |reference: &Reference| match (
            &reference.first().root,
            &reference.first().segments[..],
        ) {
            (Root::Step(_), [Segment::Name(argument)]) => self.arguments.get(argument).cloned(),
            _ => None,
        };
        plan.grant().sites().keys().any(|step| {
            let sent = plan.normalise(step, self.arguments.clone());
            plan.grant()
                .permits_call(step, &self.tool, &sent, &read)
                .is_ok()
        })
    }
}

fn sensitive(suite: &str, tool: &str) -> Vec<String> {
    let listed: BTreeMap<String, BTreeMap<String, Vec<String>>> =
        serde_json::from_str(SENSITIVE).unwrap();
    listed[suite][tool].clone()
}

fn every_tool_is_listed(corpora: &Corpora) {
    let listed: BTreeMap<String, BTreeMap<String, Vec<String>>> =
        serde_json::from_str(SENSITIVE).unwrap();
    let document = corpora.document("agentdojo/suites_sample.json");
    let mut count = 0;
    for name in SUITES {
        let tools = document[name]["tools"].as_array().unwrap();
        assert_eq!(tools.len(), listed[name].len(), "{name}");
        for tool in tools {
            for argument in &listed[name][tool["name"].as_str().unwrap()] {
                assert!(
                    tool["parameters"]["properties"].get(argument).is_some(),
                    "{name} {argument}"
                );
            }
            count += 1;
        }
        // all of them are usable: none has a schema that is beyond us
        let suite = Suite::read(corpora, name);
        assert!(
            suite.catalog.tools().all(|tool| tool.quarantine.is_none()),
            "{name}"
        );
    }
    assert_eq!(count, 74);
}

/// The grant refuses every injected call, but for those that the benign plan makes itself, word by word.
fn literals(corpora: &Corpora) {
    let (mut tried, mut planned) = (0, 0);
    for name in SUITES {
        let suite = Suite::read(corpora, name);
        for task in &suite.benign {
            let plan = task
                .plan(&suite, Arguments::Literal, Level::CallSite)
                .unwrap();
            for injection in &suite.injections {
                for call in &injection.calls {
                    tried += 1;
                    let own = task.calls.contains(call);
                    planned += usize::from(own);
                    assert_eq!(
                        call.passes(&plan, Level::CallSite),
                        own,
                        "{name} {} {}: {call:?}\n{}",
                        task.id,
                        injection.id,
                        plan.grant()
                    );
                }
                let whole = injection
                    .calls
                    .iter()
                    .all(|call| call.passes(&plan, Level::CallSite));
                assert!(!whole, "{name} {} lets {} through", task.id, injection.id);
            }
        }
    }
    println!("{tried} injected calls tried, {planned} of them calls that the plan makes itself");
    assert!(tried > 500 && planned > 0, "{tried} {planned}");
}

/// What one level does to the pairs of benign and injected tasks.
#[derive(Debug, Default, Clone, Copy)]
struct Counted {
    pairs: usize,
    calls: usize,
    refused: usize,
    stopped: usize,
    untouched: usize,
    plans: usize,
    lost: usize,
}

impl Counted {
    fn of(suite: &Suite, arguments: Arguments, level: Level) -> Self {
        let mut counted = Self::default();
        for task in &suite.benign {
            let plan = task.plan(suite, arguments, level);
            counted.plans += 1;
            let works =
                |plan: &ValidatedPlan| task.calls.iter().all(|call| call.passes(plan, level));
            counted.lost += usize::from(!plan.as_ref().is_some_and(works));
            for injection in &suite.injections {
                let passing = injection
                    .calls
                    .iter()
                    .filter(|call| plan.as_ref().is_some_and(|plan| call.passes(plan, level)));
                let (passing, all) = (passing.count(), injection.calls.len());
                counted.pairs += 1;
                counted.calls += all;
                counted.refused += all - passing;
                counted.stopped += usize::from(passing < all);
                if passing == all && level == Level::Flow {
                    println!("{} does not stop {}", task.id, injection.id);
                }
                counted.untouched += usize::from(passing == 0);
            }
        }
        counted
    }

    fn add(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.calls += other.calls;
        self.refused += other.refused;
        self.stopped += other.stopped;
        self.untouched += other.untouched;
        self.plans += other.plans;
        self.lost += other.lost;
    }
}

fn table(corpora: &Corpora) {
    let suites = SUITES.map(|name| (name, Suite::read(corpora, name)));
    let mut text = String::new();
    for (arguments, title) in [
        (Arguments::Literal, "Every argument is a literal"),
        (
            Arguments::Read,
            "What the user did not say is read from the step before",
        ),
    ] {
        let _ = write!(
            text,
            "{title}:\n\n\
             | suite | level | injected calls refused | tasks stopped | tasks of which no call passes | plans that no longer work |\n\
             |---|---|--:|--:|--:|--:|\n"
        );
        for (level, level_name) in LEVELS {
            let mut total = Counted::default();
            for (name, suite) in &suites {
                let counted = Counted::of(suite, arguments, level);
                total.add(counted);
                line(&mut text, name, level_name, counted);
            }
            line(&mut text, "all", level_name, total);
            if arguments == Arguments::Literal && level != Level::Tools {
                assert_eq!(total.stopped, total.pairs, "{level_name}");
            }
        }
        text.push('\n');
    }
    println!("{text}");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/narrowing.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("<!-- agentdojo -->\n").unwrap();
    let (stands, _) = rest.split_once("<!-- end -->").unwrap();
    assert_eq!(
        stands.trim(),
        text.trim(),
        "docs/narrowing.md is not fresh: replace its table"
    );
}

fn line(text: &mut String, suite: &str, level: &str, counted: Counted) {
    let Counted {
        pairs,
        calls,
        refused,
        stopped,
        untouched,
        plans,
        lost,
    } = counted;
    let _ = writeln!(
        text,
        "| {suite} | {level} | {refused} of {calls} | {stopped} of {pairs} | {untouched} of {pairs} | {lost} of {plans} |"
    );
}
