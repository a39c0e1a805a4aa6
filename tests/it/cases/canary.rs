//! A secret on its way through everything that a plan can do.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use plan_testkit::{Scripted, ScriptedModel};
use planwright::exec::{Inputs, MemorySecrets};
use planwright::llm::ModelResponse;
use planwright::run::AgentReport;
use planwright::{
    AgentRunner, AgentTask, Answer, Executor, PrincipalName, RunHandle, RunStatus, Secret,
    SqliteStore, Tool, ToolContext, ToolError, ToolOutput, ToolSpec,
};
use serde_json::{Map, Value, json};

use super::host::{Host, plan, step, with};

const CANARY: &str = "canary-0b5e/11fe+77aa";

/// A tool that says its token in every way that a tool can speak, and fails at its first attempt.
#[derive(Debug)]
struct Gossip(ToolSpec);

#[async_trait]
impl Tool for Gossip {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn call(
        &self,
        arguments: Map<String, Value>,
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        assert_eq!(arguments["token"], CANARY);
        cx.progress(format!("I use {CANARY}"));
        if cx.attempt() == 1 {
            let error = ToolError::transient(format!("{CANARY} was not taken"));
            let tail = || Some(format!("tried {CANARY}"));
            return Err(error
                .details(json!({CANARY: [CANARY]}))
                .output(tail(), tail()));
        }
        let mut output =
            ToolOutput::from(json!({"said": format!("it is {CANARY}"), "list": [CANARY, "two"]}));
        output.stdout = Some(CANARY.to_owned());
        output.stderr = Some(CANARY.to_owned());
        Ok(output)
    }
}

/// An agent that knows it from elsewhere, tries it on its tool, and says it.
#[derive(Debug, Default)]
struct Colleague(Mutex<Vec<String>>);

#[async_trait]
impl AgentRunner for Colleague {
    async fn run(&self, task: AgentTask, cx: &ToolContext) -> Result<AgentReport, ToolError> {
        self.0.lock().unwrap().push(task.objective.clone());
        cx.progress(CANARY);
        let found = task
            .tools
            .call("echo", json!({"text": CANARY}))
            .await
            .unwrap();
        self.0.lock().unwrap().push(found.to_string());
        Ok(AgentReport {
            report: format!("I tried {CANARY}. {{\"found\": \"{CANARY}\"}}"),
            transcript: Some(format!("call: {CANARY}")),
        })
    }
}

fn steps() -> Vec<Value> {
    let token = || json!({"token": "${secret.KEY}"});
    let retry = || json!({"retry": {"max_attempts": 2, "delay_secs": 0}});
    let gossip = |id: &str| {
        let call = step(
            id,
            "TOOL_CALL",
            json!({"tool": "gossip", "arguments": token()}),
        );
        with(call, retry())
    };
    let after = |step: Value, before: &str| with(step, json!({"depends_on": [before]}));
    vec![
        gossip("first"),
        step(
            "each",
            "FAN_OUT",
            json!({"over": "${step.first.list}", "item_var": "word", "spawn_steps": ["again", "echoed"]}),
        ),
        gossip("again"),
        step(
            "echoed",
            "TOOL_CALL",
            json!({"tool": "echo", "arguments": {"text": "${item.word}"}}),
        ),
        after(
            step(
                "script",
                "CODE_CALL",
                json!({
                    "language": "sh", "env": {"TOKEN": "${secret.KEY}"}, "stdin": "${step.first.said}",
                    "inline": "echo \"$TOKEN\"; cat; echo \"$TOKEN\" >&2",
                }),
            ),
            "each",
        ),
        after(
            step(
                "prompt",
                "PROMPT_CALL",
                json!({"model": "m", "user_prompt": "Look: ${step.first.said} ${step.script.stdout}", "output_field": "text", "max_tokens": 50}),
            ),
            "script",
        ),
        after(
            with(
                step(
                    "agent",
                    "AGENT_CALL",
                    json!({"objective": "Use ${step.prompt.text}", "working_dir": ".", "agent": "coder", "tools": ["echo"]}),
                ),
                json!({"outputs": [{"name": "found", "value_type": "string"}]}),
            ),
            "prompt",
        ),
        after(
            step(
                "person",
                "HUMAN_INTERACTION",
                json!({"prompt": "May I? ${step.first.said} ${step.agent.found}", "response_field": "answer"}),
            ),
            "agent",
        ),
        after(
            step(
                "asked",
                "TOOL_CALL",
                json!({"tool": "guarded", "arguments": {"token": "${secret.KEY}", "text": "${step.first.said}"}}),
            ),
            "agent",
        ),
        // it was in another process that the token was lent to anybody
        after(
            step(
                "later",
                "TOOL_CALL",
                json!({"tool": "remembers", "arguments": {}}),
            ),
            "person",
        ),
        after(
            step(
                "last",
                "TOOL_CALL",
                json!({"tool": "fails", "arguments": {}}),
            ),
            "later",
        ),
    ]
}

struct Place {
    host: Host,
    agent: Arc<Colleague>,
    model: ScriptedModel,
}

fn place() -> Place {
    let spec = |name: &str| json!({"name": name, "effects": {"read_only": true}, "config": {"kind": "subprocess", "command": "true"}});
    let catalog = json!({
        "planwright": 1,
        "tools": [
            with(spec("gossip"), json!({"secret_arguments": ["token"]})),
            with(spec("guarded"), json!({"secret_arguments": ["token"]})),
            spec("echo"), spec("remembers"), spec("fails"),
        ],
        "agents": {"coder": {"kind": "subprocess", "command": "true"}},
    });
    let mut host = Host::with_policy(
        &catalog,
        "secrets: [KEY]\nrequire_approval: {tools: [guarded]}\nsandbox: {mode: best_effort}\n",
    );
    let catalog = host.tools.catalog().clone();
    let spec = |name: &str| catalog.tool(&name.parse().unwrap()).unwrap().spec.clone();
    let scripted = |name: &str| Scripted::tool(name).declared(|it| *it = spec(name));
    let agent = Arc::new(Colleague::default());
    let scripts = host.tools.code_runner().unwrap().clone();
    let echoes: Arc<dyn Tool> = Arc::new(scripted("echo"));
    let remembers = scripted("remembers").returns(json!({"still": CANARY}));
    let fails = scripted("fails").fails(ToolError::permanent(format!("no {CANARY}")));
    host.tools = planwright::ToolRegistry::from_catalog(catalog.clone())
        .with_code_runner(scripts)
        .implement_agent("coder".parse().unwrap(), agent.clone())
        .unwrap();
    for tool in [
        echoes,
        Arc::new(Gossip(spec("gossip"))),
        Arc::new(remembers),
        Arc::new(scripted("guarded")),
        Arc::new(fails),
    ] {
        host.tools = host.tools.implement(tool).unwrap();
    }
    let answer = ModelResponse::text(format!("Try {CANARY}."));
    Place {
        host,
        agent,
        model: ScriptedModel::new().answers(answer),
    }
}

impl Place {
    async fn executor(&self) -> Executor {
        let path = self.host.folder.path().join("runs.db");
        Executor::new(
            self.host.tools.clone(),
            SqliteStore::open(path).await.unwrap(),
        )
        .policy(self.host.policy.clone())
        .model("m".parse().unwrap(), self.model.clone())
        .secrets(MemorySecrets::new([("KEY", Secret::new(CANARY))]))
        .scratch(self.host.folder.path().join("runs"))
    }
}

/// Everything that a watcher of a run is told, and then how it stands.
async fn told(run: &RunHandle) -> (String, planwright::RunRecord) {
    let mut updates = run.events();
    let mut told = String::new();
    while let Some(update) = updates.next().await {
        writeln!(told, "{update:?}").unwrap();
    }
    (told, run.wait().await.unwrap())
}

/// Files below a folder, by their paths.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.display().to_string(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[tokio::test]
async fn case_42_a_secret_is_in_nothing_that_a_run_says_asks_keeps_or_writes() {
    let place = place();
    let checked = place.host.check(&plan(&steps(), json!({})));
    let first = place.executor().await;
    let run = first.start(checked, Inputs::none()).await.unwrap();
    let (mut all, waiting) = told(&run).await;
    assert_eq!(
        waiting.status(),
        RunStatus::Waiting,
        "{:?}",
        waiting.failure()
    );
    for request in waiting.waiting() {
        write!(all, "{request:?}").unwrap();
        let answer = if let Some(call) = &request.call {
            let shown = json!({"token": "[hidden]", "text": "it is ***"});
            assert_eq!(json!(*call.arguments), shown);
            Answer::Approve
        } else {
            assert_eq!(request.prompt, "May I? it is *** ***");
            Answer::Text("yes".to_owned())
        };
        let by = PrincipalName::new("ada").unwrap();
        let told = run.answer(request.id.clone(), answer, by);
        told.await.unwrap();
    }
    let id = run.id().clone();
    drop((run, first));

    let second = place.executor().await;
    let run = second.resume(&id).await.unwrap();
    let (more, record) = told(&run).await;
    all.push_str(&more);
    assert_eq!(record.status(), RunStatus::Failed);
    assert_eq!(record.failure().unwrap().message, "no ***");
    let json = serde_json::to_string(&record).unwrap();
    write!(all, "{record:?}{json}").unwrap();
    write!(all, "{:?}{:?}", place.model.asked(), place.agent).unwrap();
    // all of it was there to be told
    for shown in [
        "it is ***",
        "*** was not taken",
        "I use ***",
        "tried ***",
        "Try ***.",
        "I tried ***",
        "call: ***",
    ] {
        assert!(all.contains(shown), "{shown} in {all}");
    }
    let at = all
        .find(CANARY)
        .map(|at| all.get(at.saturating_sub(200)..at + 40));
    assert_eq!(at, None);
    drop((run, second));
    let holders: Vec<String> = files(place.host.folder.path())
        .into_iter()
        .filter(|(_, bytes)| {
            bytes
                .windows(CANARY.len())
                .any(|part| part == CANARY.as_bytes())
        })
        .map(|(path, _)| path)
        .collect();
    assert_eq!(holders, [""; 0]);
}
