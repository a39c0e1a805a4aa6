//! An example with everything that it needs to run, and the drive to its end.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use plan_testkit::{Call, CallLog, Fault, FaultyStore, Scripted, ScriptedModel};
use planwright::exec::{MemorySecrets, Secret, read_run};
use planwright::llm::{ModelError, ModelRequest, ModelResponse};
use planwright::model::document::parse;
use planwright::model::{AgentName, Limits, SecretName};
use planwright::run::{AgentReport, Event, Request, RequestKind, decode};
use planwright::store::RunStoreExt;
use planwright::tools::{ProcessCodeRunner, load_catalog, load_policy};
use planwright::{
    AgentRunner, AgentTask, Answer, CodeOutput, CodeRequest, CodeRunner, Context, Decision,
    ExecError, Executor, LanguageModel, MemoryStore, ModelRegistry, Policy, PrincipalName, RunId,
    RunRecord, RunRequest, StepStatus, ToolCatalog, ToolContext, ToolError, ToolRegistry,
    ValidatedPlan, check,
};
use serde_json::{Map, Value};
use tempfile::TempDir;

/// What every secret of these plans is.
pub(crate) const CANARY: &str = "c4n4ry-of-all-plans";

/// What an agent calls, and what it reports then.
pub(crate) type Work = (Option<(&'static str, Value)>, &'static str);

/// Whoever and whatever a plan meets. Each says the same to the same.
#[derive(Clone, Copy)]
pub(crate) struct World {
    pub(crate) tool: fn(&Call) -> Result<Value, ToolError>,
    pub(crate) model: fn(&ModelRequest) -> Result<ModelResponse, ModelError>,
    pub(crate) agent: fn(&str) -> Work,
    pub(crate) person: fn(&Request) -> Answer,
}

/// An example, and its world.
pub(crate) struct Stage {
    pub(crate) plan: ValidatedPlan,
    pub(crate) inputs: Map<String, Value>,
    pub(crate) log: CallLog,
    registry: ToolRegistry,
    policy: Policy,
    models: ModelRegistry,
    person: fn(&Request) -> Answer,
    scratch: TempDir,
}

/// How a run ended, and what it took.
pub(crate) struct Ended {
    pub(crate) record: RunRecord,
    pub(crate) journal: Vec<Event>,
    /// What people were asked, in the order in which the run waited.
    pub(crate) asked: Vec<Request>,
    /// How often its driver died.
    pub(crate) deaths: usize,
    /// Appends of the last driver.
    pub(crate) appends: u64,
}

fn folder(example: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples/plans")
        .join(example)
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

impl Stage {
    /// The example of this name.
    pub(crate) fn new(example: &str, world: World) -> Self {
        let folder = folder(example);
        let policy = load_policy(folder.join("policy.yaml")).unwrap();
        let bundle = folder.join("bundle.json");
        let (document, catalog) = if bundle.exists() {
            let document = text(&bundle);
            let parsed = parse(document.as_bytes(), &Limits::default());
            let catalog = ToolCatalog::from_bundle(&parsed.document.unwrap()).unwrap();
            (document, catalog)
        } else {
            let catalog = load_catalog(folder.join("tools.yaml")).unwrap();
            (text(&folder.join("plan.json")), catalog.catalog().clone())
        };
        let log = CallLog::new();
        let registry = registry(&catalog, &policy, &log, world);
        let plan = match check(&document, &Context::new(registry.catalog(), &policy)) {
            Ok(plan) => plan,
            Err(rejected) => panic!("{rejected}: {:#?}", rejected.findings()),
        };
        let scratch = tempfile::tempdir().unwrap();
        let mut inputs: Map<String, Value> =
            serde_json::from_str(&text(&folder.join("inputs.json"))).unwrap();
        for name in ["workspace", "folder"] {
            if let Some(path) = inputs.get_mut(name) {
                *path = scratch.path().display().to_string().into();
            }
        }
        let model: Arc<dyn LanguageModel> = Arc::new(ScriptedModel::new().works_out(world.model));
        Self {
            plan,
            inputs,
            log,
            registry,
            policy,
            models: ModelRegistry::new().with_others(model),
            person: world.person,
            scratch,
        }
    }

    fn executor(&self, store: impl planwright::store::Store + 'static) -> Executor {
        let secrets = self.plan.grant().secrets().iter();
        let secrets = secrets.map(|name: &SecretName| (name.as_str(), Secret::new(CANARY)));
        Executor::new(self.registry.clone(), store)
            .policy(self.policy.clone())
            .models(self.models.clone())
            .secrets(MemorySecrets::new(secrets))
            .scratch(self.scratch.path().join("runs"))
    }

    /// Runs it to its end; people answer whenever everything waits.
    pub(crate) async fn run(&self) -> Ended {
        self.run_dying(&[]).await
    }

    /// The same, with drivers of which one after another dies at this append of its own.
    pub(crate) async fn run_dying(&self, deaths: &[(u64, Fault)]) -> Ended {
        let memory = MemoryStore::new();
        let id = RunId::new("example").unwrap();
        let by = PrincipalName::new("ada").unwrap();
        let mut to_come = deaths.iter().copied();
        let mut store = || {
            let (at, fault) = to_come.next().unwrap_or((u64::MAX, Fault::ForGood));
            FaultyStore::new(memory.clone(), at, fault)
        };
        let mut driver = store();
        let request = RunRequest::new(self.inputs.clone()).run_id(id.clone());
        let executor = self.executor(driver.clone());
        let started = executor.start(self.plan.clone(), request).await;
        let mut handle = started.unwrap();
        let mut ended = (Vec::new(), 0);
        let record = loop {
            let record = match handle.wait().await {
                Err(ExecError::Store { .. }) => {
                    ended.1 += 1;
                    read_run(&memory, &id).await.unwrap()
                }
                other => other.unwrap(),
            };
            if record.status().is_finished() {
                break record;
            }
            let sound = self.executor(memory.clone());
            for request in record.waiting() {
                let answer = (self.person)(request);
                let told = sound.answer(&id, request.id.clone(), answer, by.clone());
                told.await.unwrap();
                ended.0.push(request.clone());
            }
            for (path, step) in record.all_steps() {
                if step.status == StepStatus::InDoubt {
                    let told = sound.decide(&id, path, Decision::Retry, by.clone());
                    told.await.unwrap();
                }
            }
            driver = store();
            handle = self.executor(driver.clone()).resume(&id).await.unwrap();
        };
        let journal = memory.journal(&id).await.unwrap();
        let journal = journal
            .records
            .iter()
            .map(|record| decode(record.as_bytes()));
        Ended {
            record,
            journal: journal.collect::<Result<_, _>>().unwrap(),
            asked: ended.0,
            deaths: ended.1,
            appends: driver.appends(),
        }
    }
}

impl Ended {
    /// What people were asked: the kind of the request, and the step with its item.
    pub(crate) fn questions(&self) -> Vec<String> {
        let one = |request: &Request| {
            let kind = match request.kind {
                RequestKind::Effect => "effect",
                RequestKind::Approval => "approval",
                RequestKind::Question => "question",
            };
            format!("{kind} {}", request.step)
        };
        let mut questions: Vec<String> = self.asked.iter().map(one).collect();
        questions.sort();
        questions
    }
}

/// The catalog with its tools, scripts and agents brought to life.
fn registry(catalog: &ToolCatalog, policy: &Policy, log: &CallLog, world: World) -> ToolRegistry {
    let scripts = Remembered {
        scripts: ProcessCodeRunner::new(&catalog.clone().with_built_in_languages(), policy.sandbox),
        ended: SCRIPTS.get_or_init(Arc::default).clone(),
    };
    let colleague = Arc::new(Colleague { agent: world.agent });
    let mut registry = ToolRegistry::from_catalog(catalog.clone())
        .with_code_runner(Arc::new(scripts))
        .with_default_agent(colleague.clone());
    let agents: Vec<AgentName> = catalog.agents().keys().cloned().collect();
    for name in agents {
        registry = registry.implement_agent(name, colleague.clone()).unwrap();
    }
    for tool in catalog.tools() {
        let scripted = Scripted::tool(tool.spec.name.as_str())
            .declared(|spec| *spec = tool.spec.clone())
            .logged(log)
            .answers(world.tool);
        registry = registry.implement(Arc::new(scripted)).unwrap();
    }
    registry
}

/// Scripts that ended in this process, so that a plan can be run a hundred times.
type Scripts = Arc<Mutex<Vec<(CodeRequest, CodeOutput)>>>;

static SCRIPTS: std::sync::OnceLock<Scripts> = std::sync::OnceLock::new();

/// Runs each script once, and says the same of it ever after.
#[derive(Debug)]
struct Remembered {
    scripts: ProcessCodeRunner,
    ended: Scripts,
}

#[async_trait]
impl CodeRunner for Remembered {
    async fn run(&self, code: CodeRequest, cx: &ToolContext) -> Result<CodeOutput, ToolError> {
        let same = |(request, _): &&(CodeRequest, CodeOutput)| *request == code;
        let known = self.ended.lock().unwrap().iter().find(same).cloned();
        if let Some((_, output)) = known {
            return Ok(output);
        }
        let output = self.scripts.run(code.clone(), cx).await?;
        self.ended.lock().unwrap().push((code, output.clone()));
        Ok(output)
    }
}

/// An agent that makes at most one call and reports.
struct Colleague {
    agent: fn(&str) -> Work,
}

impl std::fmt::Debug for Colleague {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Colleague")
    }
}

#[async_trait]
impl AgentRunner for Colleague {
    async fn run(&self, task: AgentTask, _cx: &ToolContext) -> Result<AgentReport, ToolError> {
        let (call, report) = (self.agent)(&task.objective);
        if let Some((tool, arguments)) = call {
            let made = task.tools.call(tool, arguments).await;
            made.map_err(|failure| ToolError::permanent(failure.message))?;
        }
        Ok(AgentReport {
            report: report.to_owned(),
            transcript: None,
        })
    }
}
