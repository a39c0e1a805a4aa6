//! What the host has and allows: the catalog, the policy, the sandbox.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use planwright::model::document::Document;
use planwright::model::{AgentName, Plan, Step, StepConfig, ToolName};
use planwright::run::{Confinement, Restraint};
use planwright::tools::{
    CatalogTools, FileError, FileSecrets, ProcessCodeRunner, SandboxMissing, SubprocessAgent,
    load_catalog, load_policy, tools_of,
};
use planwright::validate::policy::SandboxMode;
use planwright::validate::{AgentKind, AgentSpec, Context, Policy, ToolCatalog, ValidatedPlan};

use crate::args::{self, Sandbox};
use crate::exit::{Exit, Halt};
use crate::output;

/// Where the catalog came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A catalog file.
    File,
    /// The plan's own bundle.
    Bundle,
    /// Nowhere.
    None,
}

/// What plans are checked against and run with.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) catalog: ToolCatalog,
    pub(crate) policy: Policy,
    pub(crate) source: Source,
    /// Where its secrets are; without, they are in the environment.
    pub(crate) secrets: Option<FileSecrets>,
    /// What relative paths of the catalog are relative to.
    folder: PathBuf,
    /// What a resume needs to know, by name.
    pub(crate) sources: BTreeMap<String, String>,
}

impl Host {
    /// Loads what the flags name; without a catalog, a bundle's own tools.
    pub(crate) fn load(
        flags: &args::Host,
        sandbox: Option<Sandbox>,
        bundle: Option<(&Document, Option<&Path>)>,
    ) -> Result<Self, Halt> {
        let mut sources = BTreeMap::new();
        let mut policy = Policy::default();
        if let Some(path) = &flags.policy {
            policy = load_policy(path).map_err(|error| refused(&error))?;
            sources.insert("policy".to_owned(), absolute(path));
        }
        if let Some(mode) = sandbox {
            policy = policy.sandbox(mode_of(mode));
            sources.insert("sandbox".to_owned(), word_of(mode).to_owned());
        }
        let (catalog, folder, source) = if let Some(path) = &flags.tools {
            let file = load_catalog(path).map_err(|error| refused(&error))?;
            sources.insert("tools".to_owned(), file.path().display().to_string());
            (
                file.catalog().clone(),
                file.folder().to_owned(),
                Source::File,
            )
        } else if let Some((document, path)) = bundle {
            let catalog = ToolCatalog::from_bundle(document).map_err(|rejected| {
                for finding in rejected.findings() {
                    output::say(finding.line());
                }
                let mut halt = Halt::new(Exit::Rejected, "the tools of the bundle are refused");
                halt.findings = rejected.findings().to_vec();
                halt
            })?;
            // from standard input it cannot be read again
            if let Some(path) = path {
                sources.insert("bundle".to_owned(), absolute(path));
            }
            let folder = path.map_or_else(|| PathBuf::from("."), folder_of);
            (catalog, folder, Source::Bundle)
        } else {
            (
                ToolCatalog::default().with_built_in_languages(),
                PathBuf::from("."),
                Source::None,
            )
        };
        let host = Self {
            catalog,
            policy,
            source,
            secrets: None,
            folder,
            sources,
        };
        for warning in host.policy.findings_against(&host.catalog) {
            output::say(format!("warning: policy: {}", warning.line()));
        }
        Ok(host)
    }

    /// The host of a run: what its journal names, unless a flag says otherwise.
    pub(crate) fn of_run(
        recorded: &BTreeMap<String, String>,
        flags: &args::Host,
        sandbox: Option<Sandbox>,
    ) -> Result<Self, Halt> {
        let named = |name: &str| recorded.get(name).map(PathBuf::from);
        let flags = args::Host {
            tools: flags.tools.clone().or_else(|| named("tools")),
            policy: flags.policy.clone().or_else(|| named("policy")),
        };
        let sandbox = sandbox.or_else(|| recorded.get("sandbox").and_then(|word| mode_named(word)));
        match named("bundle") {
            Some(path) if flags.tools.is_none() => {
                let limits = planwright::model::Limits::default();
                let input = crate::input::Input::read(&path, &limits)?;
                let parsed = planwright::model::document::parse(&input.bytes, &limits);
                let document = parsed.document.ok_or_else(|| {
                    Halt::usage(format!("`{}` is no bundle any more", path.display()))
                        .help("name a catalog with `--tools`")
                })?;
                Self::load(&flags, sandbox, Some((&document, Some(&path))))
            }
            _ => Self::load(&flags, sandbox, None),
        }
    }

    /// Takes secrets from a file or a folder: what a flag names, or else what a run was started with.
    pub(crate) fn take_secrets(
        &mut self,
        flag: Option<&Path>,
        recorded: &BTreeMap<String, String>,
    ) -> Result<(), Halt> {
        let recorded = recorded.get(SECRETS).map(Path::new);
        let Some(path) = flag.or(recorded) else {
            return Ok(());
        };
        let secrets = FileSecrets::open(path).map_err(|error| {
            let halt = Halt::usage(error.to_string());
            match flag {
                Some(_) => halt,
                None => halt.help("the run was started with them; `--secrets` names others"),
            }
        })?;
        if let Some(exposure) = secrets.exposure() {
            output::say(format!("warning: {exposure}"));
        }
        self.sources.insert(SECRETS.to_owned(), absolute(path));
        self.secrets = Some(secrets);
        Ok(())
    }

    /// What a check looks at.
    pub(crate) fn context(&self) -> Context<'_> {
        Context::new(&self.catalog, &self.policy)
    }

    /// Without any catalog, takes the tools of a plan by their names alone.
    pub(crate) fn assume_tools_of(&mut self, plan: &Plan) -> Result<(), Halt> {
        if self.source != Source::None {
            return Ok(());
        }
        let names: std::collections::BTreeSet<&str> = plan
            .steps
            .iter()
            .filter_map(|step| match &step.config {
                StepConfig::ToolCall(call) => Some(call.tool.as_str()),
                _ => None,
            })
            // where a name could not be read, the reader says so
            .filter(|name| ToolName::new(*name).is_ok())
            .collect();
        let agents: std::collections::BTreeSet<&AgentName> = plan
            .steps
            .iter()
            .filter_map(|step| match &step.config {
                StepConfig::AgentCall(call) => call.agent.as_ref(),
                _ => None,
            })
            .collect();
        if names.is_empty() && agents.is_empty() {
            return Ok(());
        }
        let catalog = ToolCatalog::from_names(names)
            .map_err(|error| Halt::new(Exit::Rejected, format!("the name of a tool {error}")))?
            .with_built_in_languages();
        self.catalog = agents.into_iter().fold(catalog, |catalog, name| {
            catalog.with_agent(AgentSpec::new(name.clone(), AgentKind::Subprocess))
        });
        output::say(
            "note: no catalog was given, so tools are taken by their names and nothing else of them is checked (`--tools FILE`)",
        );
        Ok(())
    }

    /// The implementations of the catalog.
    pub(crate) fn tools(&self) -> Result<CatalogTools, Halt> {
        tools_of(&self.catalog, &self.folder, &self.policy)
            .map_err(|error| Halt::usage(error.to_string()))
    }
}

/// What a run's sources call the place of its secrets.
const SECRETS: &str = "secrets";

/// What a run's sources call the place where its scripts run, and what is said of it.
pub(crate) const SCRIPTS: &str = "scripts";

/// What scripts and agents of a plan should be held to and are not, as a warning; `None` where nothing is missing.
pub(crate) fn unconfined(plan: &ValidatedPlan, host: &Host) -> Option<String> {
    if host.policy.sandbox != SandboxMode::BestEffort {
        return None;
    }
    let steps = &plan.plan().steps;
    let held = steps
        .iter()
        .filter_map(|step| confinement(step, &host.catalog, &host.policy)?.ok());
    let lacking: Vec<Confinement> = held.collect();
    let missing: Vec<&str> = [Restraint::Files, Restraint::Network]
        .iter()
        .filter(|restraint| lacking.iter().any(|held| held.missing.contains(restraint)))
        .map(|restraint| restraint.as_str())
        .collect();
    let agents = steps
        .iter()
        .any(|step| matches!(step.config, StepConfig::AgentCall(_)));
    let what = if agents {
        "scripts and agents"
    } else {
        "scripts"
    };
    (!missing.is_empty()).then(|| {
        format!(
            "{what} run without a whole sandbox: this host cannot hold {}",
            missing.join(" and ")
        )
    })
}

/// What the process of a step is held to on this host; `None` where it starts none that is held.
fn confinement(
    step: &Step,
    catalog: &ToolCatalog,
    policy: &Policy,
) -> Option<Result<Confinement, SandboxMissing>> {
    match &step.config {
        StepConfig::CodeCall(_) => Some(ProcessCodeRunner::available(policy.sandbox)),
        StepConfig::AgentCall(call) => {
            let spec = catalog.agents().get(call.agent.as_ref()?)?;
            (spec.kind == AgentKind::Subprocess)
                .then(|| SubprocessAgent::available(spec, policy.sandbox))
        }
        _ => None,
    }
}

/// Refuses a plan that this build cannot run, before anything runs.
pub(crate) fn runnable(
    plan: &ValidatedPlan,
    tools: &CatalogTools,
    host: &Host,
) -> Result<(), Halt> {
    let steps = &plan.plan().steps;
    if host.source == Source::Bundle {
        unlent(plan, tools)?;
    }
    for step in steps {
        if let StepConfig::ToolCall(call) = &step.config
            && let Some(tool) = tools.unavailable.iter().find(|tool| tool.name == call.tool)
        {
            return Err(Halt::usage(format!(
                "step `{}` cannot run: {tool}",
                step.id
            )));
        }
    }
    for step in steps {
        runnable_agent(step, tools)?;
    }
    for step in steps {
        if let Some(Err(missing)) = confinement(step, &host.catalog, &host.policy) {
            let halt = Halt::usage(format!("step `{}` cannot run: {missing}", step.id));
            return Err(halt.help("or say `--sandbox best_effort` on the command line"));
        }
    }
    if let Some(warning) = unconfined(plan, host) {
        output::say(format!("warning: {warning}"));
    }
    Ok(())
}

/// Refuses tools that came with the plan and want secrets of this host.
fn unlent(plan: &ValidatedPlan, tools: &CatalogTools) -> Result<(), Halt> {
    for name in plan.grant().tools().keys() {
        let secret = tools
            .registry
            .tool(name)
            .and_then(|tool| tool.secrets().first());
        if let Some(secret) = secret {
            let why = format!(
                "the tool `{name}` of the bundle wants the secret `{secret}`, and a bundle is lent none"
            );
            return Err(Halt::usage(why).help("name a catalog of your own with `--tools`"));
        }
    }
    Ok(())
}

/// Refuses a step that asks a model, or an agent that nothing here runs.
fn runnable_agent(step: &Step, tools: &CatalogTools) -> Result<(), Halt> {
    const MODELS: &str = "a program that embeds the library gives it models with `Executor::model`";
    let cannot = |why: String| Halt::usage(format!("step `{}` cannot run: {why}", step.id));
    let no_model = |model: &str| {
        cannot(format!(
            "nothing in this build answers for the model `{model}`"
        ))
        .help(MODELS)
    };
    match &step.config {
        StepConfig::PromptCall(call) => Err(no_model(call.model.as_str())),
        StepConfig::AgentCall(call) => {
            let Some(name) = &call.agent else {
                return Err(cannot(
                    "it names no agent, and this command has no default one".to_owned(),
                )
                .help("name one of `agents` in the catalog"));
            };
            if let Some(idle) = tools.idle.iter().find(|agent| agent.name == *name) {
                return Err(cannot(idle.to_string()));
            }
            let spec = tools.registry.catalog().agents().get(name);
            match spec.map(|spec| (spec.kind, &spec.model)) {
                Some((AgentKind::Loop, Some(model))) => Err(no_model(model.as_str())),
                Some((AgentKind::Loop, None)) => {
                    Err(cannot(format!("the agent `{name}` names no `model`")))
                }
                _ if tools.registry.agent_runner(Some(name)).is_none() => {
                    Err(cannot(format!("nothing runs the agent `{name}`")))
                }
                _ => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// What a catalog or policy file has wrong, told; an unreadable file is a matter of usage.
pub(crate) fn refused(error: &FileError) -> Halt {
    let findings = error.findings();
    if let FileError::Rejected { path, .. } = error {
        for finding in findings {
            output::say(format!("{path}:{finding}"));
        }
    }
    let halt = Halt::usage(error.to_string());
    let about = |member: &str| {
        let at = format!(" /{member}: ");
        findings
            .iter()
            .any(|finding| finding.to_string().contains(&at))
    };
    if about("metadata") && about("steps") {
        return halt.help("this looks like a plan; `--tools` takes a catalog, `--policy` a policy");
    }
    halt
}

fn mode_of(sandbox: Sandbox) -> SandboxMode {
    match sandbox {
        Sandbox::Required => SandboxMode::Required,
        Sandbox::BestEffort => SandboxMode::BestEffort,
        Sandbox::Off => SandboxMode::Off,
    }
}

fn word_of(sandbox: Sandbox) -> &'static str {
    match sandbox {
        Sandbox::Required => "required",
        Sandbox::BestEffort => "best_effort",
        Sandbox::Off => "off",
    }
}

fn mode_named(word: &str) -> Option<Sandbox> {
    [Sandbox::Required, Sandbox::BestEffort, Sandbox::Off]
        .into_iter()
        .find(|mode| word_of(*mode) == word)
}

fn absolute(path: &Path) -> String {
    path.canonicalize()
        .unwrap_or_else(|_| path.to_owned())
        .display()
        .to_string()
}

fn folder_of(path: &Path) -> PathBuf {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    whole
        .parent()
        .map_or_else(|| PathBuf::from("."), Path::to_owned)
}
