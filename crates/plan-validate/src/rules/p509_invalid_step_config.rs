//! P509 invalid-step-config: a field of a step whose value makes no sense, field by field.

use plan_model::document::{Problem, ProblemKind};
use plan_model::{CodeCall, CodeSource, Pointer, Seconds, StepConfig, Template, ToolName};
use serde_json::Value;

use super::place;
use crate::facts::Facts;
use crate::finding::{Expected, Finding, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::{listed, quoted};
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P509",
    "invalid-step-config",
    Severity::Error,
    include_str!("../../rules/P509-invalid-step-config.md"),
    Check::Several(&[
        Check::Problem(problem),
        Check::Plan(check_limits),
        Check::Step(check),
    ]),
);

fn problem(problem: &Problem) -> Option<Finding> {
    let ProblemKind::NotExactlyOne { fields, present } = problem.kind else {
        return None;
    };
    let fields = listed(fields);
    let message = match present {
        0 => format!("one of {fields} is missing"),
        _ => format!("only one of {fields} can be there"),
    };
    Some(RULE.at(problem.pointer.clone(), message))
}

fn check(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    let (index, step) = (visit.index, visit.step);
    let mut fields = Fields {
        config: None,
        step: index,
        findings,
    };
    if step.timeout_secs == Some(Seconds::ZERO) {
        fields.zero(place::step(index).join("timeout_secs"), "no time at all");
    }
    match &step.config {
        StepConfig::CodeCall(call) => check_code(&mut fields, call),
        StepConfig::PromptCall(call) => {
            fields.text("user_prompt", &call.user_prompt);
            fields.count("max_tokens", call.max_tokens, "no token at all");
            fields.temperature(call.temperature);
            if let Some(Err(fault)) = facts.prompt_schema(index) {
                fields.add("output_schema", fault.to_string());
            }
        }
        StepConfig::AgentCall(call) => {
            fields.text("objective", &call.objective);
            fields.text("working_dir", &call.working_dir);
            fields.count("max_turns", call.max_turns, "no turn at all");
            fields.time(call.timeout_secs);
            fields.tools(call.tools.as_deref().unwrap_or_default());
        }
        StepConfig::ToolCall(_)
        | StepConfig::HumanInteraction(_)
        | StepConfig::Condition(_)
        | StepConfig::FanOut(_)
        | StepConfig::FanIn(_) => {}
    }
}

/// With these at zero no step could start.
fn check_limits(facts: &Facts<'_>, findings: &mut Findings) {
    let limits = &facts.plan.limits;
    let place = Pointer::root().join("limits");
    if limits.max_concurrency == Some(0) {
        let message = "nothing may run at any time";
        findings.add(
            RULE.at(place.join("max_concurrency"), message)
                .expected(positive()),
        );
    }
    if limits.max_wall_secs == Some(Seconds::ZERO) {
        let message = "the run may take no time at all";
        findings.add(
            RULE.at(place.join("max_wall_secs"), message)
                .expected(positive()),
        );
    }
}

fn check_code(fields: &mut Fields<'_>, call: &CodeCall) {
    match &call.source {
        CodeSource::Inline(source) => {
            if source.trim().is_empty() {
                fields.add("inline", "`inline` is blank".to_owned());
            }
        }
        CodeSource::File(file) => fields.text("file", file),
    }
    if let Some(folder) = &call.working_dir {
        fields.text("working_dir", folder);
    }
    fields.time(call.timeout_secs);
    for name in call.env.keys() {
        if name.is_empty() || name.contains(['=', '\0']) {
            let message = format!("{} is no name of an environment variable", quoted(name));
            let place = fields.place("env").join(name);
            fields.findings.add(RULE.at(place, message));
        }
    }
}

/// The fields of one step's config.
struct Fields<'f> {
    /// `/steps/INDEX/config`, once it is needed.
    config: Option<Pointer>,
    step: usize,
    findings: &'f mut Findings,
}

impl Fields<'_> {
    fn place(&mut self, field: &str) -> Pointer {
        self.config
            .get_or_insert_with(|| place::step(self.step).join("config"))
            .join(field)
    }

    fn add(&mut self, field: &str, message: String) {
        let place = self.place(field);
        self.findings.add(RULE.at(place, message));
    }

    fn zero(&mut self, place: Pointer, left: &str) {
        let message = format!("zero leaves {left}");
        self.findings
            .add(RULE.at(place, message).expected(positive()));
    }

    /// A text that must say something.
    fn text(&mut self, field: &str, template: &Template) {
        if let Template::Literal(Value::String(text)) = template
            && text.trim().is_empty()
        {
            self.add(field, format!("{} is blank", quoted(field)));
        }
    }

    fn count(&mut self, field: &str, count: Option<u64>, left: &str) {
        if count == Some(0) {
            let place = self.place(field);
            self.zero(place, left);
        }
    }

    fn time(&mut self, timeout: Option<Seconds>) {
        if timeout == Some(Seconds::ZERO) {
            let place = self.place("timeout_secs");
            self.zero(place, "no time at all");
        }
    }

    fn temperature(&mut self, temperature: Option<f64>) {
        if temperature.is_some_and(|temperature| !(temperature.is_finite() && temperature >= 0.0)) {
            let place = self.place("temperature");
            let finding = RULE.at(place, "a temperature is not below zero");
            let expected = Expected::Range("at least 0".to_owned());
            self.findings.add(finding.expected(expected));
        }
    }

    /// A list in which each tool stands once.
    fn tools(&mut self, tools: &[ToolName]) {
        let mut first = std::collections::HashMap::with_capacity(tools.len());
        for (at, tool) in tools.iter().enumerate() {
            let before = *first.entry(tool).or_insert(at);
            if before != at {
                let place = self.place("tools");
                let message = format!("the tool {} is in this list already", quoted(tool));
                let finding = RULE.at(place.join(at), message);
                self.findings
                    .add(finding.related(place.join(before), "named here first"));
            }
        }
    }
}

fn positive() -> Expected {
    Expected::Range("more than 0".to_owned())
}
