//! Every reference of a plan, with the place that holds it.

use plan_model::{
    CodeSource, Graph, Path, Plan, Pointer, Reference, Step, StepConfig, Template, TextPart,
};

use super::glance::Glance;
use super::step_pointer;

/// One reference and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Use<'a> {
    /// The step that reads; `None` for a plan output.
    pub(crate) step: Option<usize>,
    /// The field that holds the reference.
    pub(crate) site: Site<'a>,
    /// The way from the field to the string that holds the reference; empty when the field is that string.
    pub(crate) within: Pointer,
    /// Whether the string is exactly this reference, so that the value keeps its JSON type.
    pub(crate) whole: bool,
    /// The reference.
    pub(crate) reference: &'a Reference,
    /// What it reads, at a glance.
    pub(crate) glance: Glance,
    /// The step that the first path reads.
    source: Option<usize>,
    /// The steps that the other paths read, where there are others.
    otherwise: Box<[Option<usize>]>,
}

/// A field in which references are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Site<'a> {
    /// `config.arguments.NAME` of a `TOOL_CALL`.
    Argument(&'a str),
    /// `config.args[N]` of a `CODE_CALL`.
    CodeArg(usize),
    /// `config.stdin` of a `CODE_CALL`.
    Stdin,
    /// `config.env.NAME` of a `CODE_CALL`.
    Env(&'a str),
    /// `config.file` of a `CODE_CALL`.
    File,
    /// `config.working_dir` of a `CODE_CALL` or an `AGENT_CALL`.
    WorkingDir,
    /// `config.system_prompt` of a `PROMPT_CALL`.
    SystemPrompt,
    /// `config.user_prompt` of a `PROMPT_CALL`.
    UserPrompt,
    /// `config.objective` of an `AGENT_CALL`.
    Objective,
    /// `config.prompt` of a `HUMAN_INTERACTION`.
    HumanPrompt,
    /// `config.expression` of a `CONDITION`.
    Expression,
    /// `config.over` of a `FAN_OUT`.
    Over,
    /// `config.until` of a `FAN_OUT`.
    Until,
    /// `outputs[N].source` of the plan.
    PlanOutput(usize),
}

impl Site<'_> {
    /// The pointer of the field.
    pub(crate) fn pointer(self, step: Option<usize>) -> Pointer {
        let mut pointer = step.map(step_pointer).unwrap_or_default();
        let mut push = |segments: &[&str]| segments.iter().for_each(|s| pointer.push(s));
        match self {
            Self::Argument(name) => push(&["config", "arguments", name]),
            Self::CodeArg(index) => push(&["config", "args", &index.to_string()]),
            Self::Stdin => push(&["config", "stdin"]),
            Self::Env(name) => push(&["config", "env", name]),
            Self::File => push(&["config", "file"]),
            Self::WorkingDir => push(&["config", "working_dir"]),
            Self::SystemPrompt => push(&["config", "system_prompt"]),
            Self::UserPrompt => push(&["config", "user_prompt"]),
            Self::Objective => push(&["config", "objective"]),
            Self::HumanPrompt => push(&["config", "prompt"]),
            Self::Expression => push(&["config", "expression"]),
            Self::Over => push(&["config", "over"]),
            Self::Until => push(&["config", "until"]),
            Self::PlanOutput(index) => push(&["outputs", &index.to_string(), "source"]),
        }
        pointer
    }
}

impl<'a> Use<'a> {
    /// The step that the first path reads.
    pub(crate) fn source(&self) -> Option<usize> {
        self.source
    }

    /// Whether it goes on to another path where there is nothing at the first.
    pub(crate) fn is_choice(&self) -> bool {
        !self.otherwise.is_empty()
    }

    /// The steps that the paths read, as far as there are such steps.
    pub(crate) fn steps(&self) -> impl Iterator<Item = usize> {
        let otherwise = self.otherwise.iter().copied();
        std::iter::once(self.source).chain(otherwise).flatten()
    }

    /// Every path, with the step that it reads.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (&'a Path, Option<usize>)> {
        let otherwise = self.otherwise.iter().copied();
        let steps = std::iter::once(self.source).chain(otherwise);
        self.reference.paths().zip(steps)
    }

    /// The pointer of the string that holds the reference.
    pub(crate) fn pointer(&self) -> Pointer {
        let mut pointer = self.site.pointer(self.step);
        self.within.segments().for_each(|s| pointer.push(s));
        pointer
    }
}

fn of_config<'a>(into: &mut Collector<'_, 'a>, config: &'a StepConfig) {
    match config {
        StepConfig::ToolCall(call) => {
            for (name, template) in &call.arguments {
                into.template(Site::Argument(name), template);
            }
        }
        StepConfig::CodeCall(call) => {
            if let CodeSource::File(file) = &call.source {
                into.template(Site::File, file);
            }
            for (index, argument) in call.args.iter().enumerate() {
                into.template(Site::CodeArg(index), argument);
            }
            if let Some(stdin) = &call.stdin {
                into.template(Site::Stdin, stdin);
            }
            for (name, template) in &call.env {
                into.template(Site::Env(name), template);
            }
            if let Some(folder) = &call.working_dir {
                into.template(Site::WorkingDir, folder);
            }
        }
        StepConfig::PromptCall(call) => {
            if let Some(prompt) = &call.system_prompt {
                into.template(Site::SystemPrompt, prompt);
            }
            into.template(Site::UserPrompt, &call.user_prompt);
        }
        StepConfig::AgentCall(call) => {
            into.template(Site::Objective, &call.objective);
            into.template(Site::WorkingDir, &call.working_dir);
        }
        StepConfig::HumanInteraction(ask) => into.template(Site::HumanPrompt, &ask.prompt),
        StepConfig::Condition(condition) => {
            for reference in condition.expression.references() {
                into.whole(Site::Expression, reference);
            }
        }
        StepConfig::FanOut(fan) => {
            into.whole(Site::Over, &fan.over);
            for reference in fan.until.iter().flat_map(|until| until.references()) {
                into.whole(Site::Until, reference);
            }
        }
        StepConfig::FanIn(_) => {}
    }
}

/// Collects the references of a plan: those of its steps in document order, then those of its outputs.
pub(super) struct Collector<'c, 'a> {
    uses: Vec<Use<'a>>,
    step: Option<usize>,
    graph: &'c Graph,
}

impl<'c, 'a> Collector<'c, 'a> {
    pub(super) fn with_capacity(uses: usize, graph: &'c Graph) -> Self {
        Self {
            uses: Vec::with_capacity(uses),
            step: None,
            graph,
        }
    }

    pub(super) fn add(&mut self, index: usize, step: &'a Step) {
        self.step = Some(index);
        of_config(self, &step.config);
    }

    pub(super) fn finish(mut self, plan: &'a Plan) -> Vec<Use<'a>> {
        self.step = None;
        for (index, output) in plan.outputs.iter().enumerate() {
            self.whole(Site::PlanOutput(index), &output.source);
        }
        self.uses
    }

    fn whole(&mut self, site: Site<'a>, reference: &'a Reference) {
        self.put(site, &Pointer::root(), true, reference);
    }

    /// Literals cost one match and nothing else.
    fn template(&mut self, site: Site<'a>, template: &'a Template) {
        match template {
            Template::Literal(_) => {}
            Template::Reference(reference) => self.whole(site, reference),
            Template::Text(parts) => self.text(site, &Pointer::root(), parts),
            Template::Array(_) | Template::Object(_) => {
                self.nested(site, &mut Pointer::root(), template);
            }
        }
    }

    /// Recurses as deep as the document is nested, which the reader bounds.
    fn nested(&mut self, site: Site<'a>, at: &mut Pointer, template: &'a Template) {
        match template {
            Template::Literal(_) => {}
            Template::Reference(reference) => self.put(site, at, true, reference),
            Template::Text(parts) => self.text(site, at, parts),
            Template::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    at.push(index);
                    self.nested(site, at, item);
                    at.pop();
                }
            }
            Template::Object(members) => {
                for (name, member) in members {
                    at.push(name);
                    self.nested(site, at, member);
                    at.pop();
                }
            }
        }
    }

    fn text(&mut self, site: Site<'a>, at: &Pointer, parts: &'a [TextPart]) {
        for part in parts {
            if let TextPart::Reference(reference) = part {
                self.put(site, at, false, reference);
            }
        }
    }

    fn put(&mut self, site: Site<'a>, at: &Pointer, whole: bool, reference: &'a Reference) {
        let step = |path: &Path| self.graph.index_of(path.step()?);
        self.uses.push(Use {
            step: self.step,
            site,
            within: at.clone(),
            whole,
            reference,
            glance: Glance::of(reference),
            source: step(reference.first()),
            otherwise: reference.otherwise().iter().map(step).collect(),
        });
    }
}
