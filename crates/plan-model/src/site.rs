//! Where in a step references stand: the one place that knows every field that is read for them.

use std::fmt;

use crate::{Expression, Plan, Pointer, Reference, Step, StepConfig, StepId, Template};

/// What a reference's value becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Site {
    /// An argument of a tool, or a part of one.
    Argument,
    /// The file that holds a script.
    CodeFile,
    /// An element of a script's command line.
    CodeArgument,
    /// A script's standard input.
    Stdin,
    /// A variable of a script's environment.
    Env,
    /// The folder in which a script or an agent works.
    WorkingDir,
    /// A model's system prompt.
    SystemPrompt,
    /// A model's user prompt.
    UserPrompt,
    /// An agent's objective.
    Objective,
    /// What a person reads.
    HumanPrompt,
    /// The expression of a condition.
    Expression,
    /// The list of a fan-out.
    Over,
    /// The expression that ends a fan-out, which reads the item's own outputs.
    Until,
    /// What the plan publishes.
    PlanOutput,
}

/// A field that is read for references.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// A JSON value with references in it.
    Template(&'a Template),
    /// An expression.
    Expression(&'a Expression),
    /// One reference.
    Reference(&'a Reference),
}

/// Hears of each source of a step: its place within `config`, and what it is for.
pub(crate) type VisitSource<'v, 'a> = dyn FnMut(&[&dyn fmt::Display], Site, Source<'a>) + 'v;

/// Hears of each reference of a plan: the step that reads, the pointer, the reference, what it is for.
pub type VisitReference<'v, 'a> = dyn FnMut(Option<usize>, &Pointer, &'a Reference, Site) + 'v;

impl<'a> Source<'a> {
    /// Calls `visit` for every reference, in the order of the text.
    pub fn references(self, visit: &mut dyn FnMut(&'a Reference)) {
        match self {
            Self::Template(template) => template.references(visit),
            Self::Expression(expression) => {
                expression.references().into_iter().for_each(visit);
            }
            Self::Reference(reference) => visit(reference),
        }
    }
}

impl StepConfig {
    fn each_source<'a>(&'a self, visit: &mut VisitSource<'_, 'a>) {
        match self {
            Self::ToolCall(call) => call.each_source(visit),
            Self::CodeCall(call) => call.each_source(visit),
            Self::PromptCall(call) => call.each_source(visit),
            Self::AgentCall(call) => call.each_source(visit),
            Self::HumanInteraction(question) => question.each_source(visit),
            Self::Condition(condition) => condition.each_source(visit),
            Self::FanOut(fan_out) => fan_out.each_source(visit),
            Self::FanIn(_) => {}
        }
    }
}

impl Step {
    /// Calls `visit` for every field that is read for references, with its pointer in a
    /// plan in which this is step number `index`.
    pub fn each_source<'a>(
        &'a self,
        index: usize,
        visit: &mut dyn FnMut(&mut Pointer, Site, Source<'a>),
    ) {
        let mut at = Pointer::root().join("steps").join(index).join("config");
        self.config.each_source(&mut |place, site, source| {
            for part in place {
                at.push(part);
            }
            visit(&mut at, site, source);
            for _ in place {
                at.pop();
            }
        });
    }

    /// Calls `visit` for every reference, with the pointer of the string that holds it in a
    /// plan in which this is step number `index`.
    pub fn each_reference<'a>(
        &'a self,
        index: usize,
        visit: &mut dyn FnMut(&Pointer, &'a Reference, Site),
    ) {
        self.each_source(index, &mut |at, site, source| match source {
            Source::Template(template) => {
                template.each_reference_within(at, &mut |at, reference| visit(at, reference, site));
            }
            other => other.references(&mut |reference| visit(at, reference, site)),
        });
    }

    /// Calls `visit` for every reference, without the cost of its place.
    pub fn references<'a>(&'a self, visit: &mut dyn FnMut(&'a Reference, Site)) {
        self.config.each_source(&mut |_, site, source| {
            source.references(&mut |reference| visit(reference, site));
        });
    }

    /// The steps that a `FAN_IN` collects from; none for any other kind.
    pub fn collected(&self) -> &[StepId] {
        match &self.config {
            StepConfig::FanIn(fan_in) => &fan_in.from_steps,
            _ => &[],
        }
    }
}

impl Plan {
    /// Calls `visit` for every reference of the steps and of the plan's outputs, in document
    /// order, with the index of the step that reads; `None` for the plan itself.
    pub fn each_reference<'a>(&'a self, visit: &mut VisitReference<'_, 'a>) {
        for (index, step) in self.steps.iter().enumerate() {
            step.each_reference(index, &mut |at, reference, site| {
                visit(Some(index), at, reference, site);
            });
        }
        for (index, output) in self.outputs.iter().enumerate() {
            let at = Pointer::root().join("outputs").join(index).join("source");
            visit(None, &at, &output.source, Site::PlanOutput);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AgentCall, CodeCall, CodeSource, Condition, FanOut, HumanInteraction, ItemName, Join,
        LanguageName, Limits, ModelName, OnError, OnItemError, OnReject, OutputName, PromptCall,
        ToolCall, ToolName,
    };
    use serde_json::{Value, json};

    fn template(value: Value) -> Template {
        Template::parse(value).unwrap()
    }

    fn expression(source: &str) -> Expression {
        Expression::parse(source, &Limits::default()).unwrap()
    }

    fn sites(config: StepConfig) -> String {
        let step = Step {
            id: StepId::new("s").unwrap(),
            name: String::new(),
            description: None,
            config,
            depends_on: Vec::new(),
            outputs: Vec::new(),
            timeout_secs: None,
            retry: None,
            join: Join::All,
            on_error: OnError::Fail,
        };
        let (mut lines, mut plain) = (Vec::new(), 0);
        step.each_reference(7, &mut |pointer, reference, site| {
            lines.push(format!("{pointer} {reference} {site:?}"));
        });
        step.references(&mut |_, _| plain += 1);
        assert_eq!(plain, lines.len());
        lines.join("\n")
    }

    #[test]
    fn every_field_that_is_read_is_visited() {
        let all = [
            sites(StepConfig::ToolCall(ToolCall {
                tool: ToolName::new("t").unwrap(),
                arguments: [(
                    "a/b".to_owned(),
                    template(json!([1, { "x": "${input.a}" }])),
                )]
                .into(),
            })),
            sites(StepConfig::CodeCall(CodeCall {
                language: LanguageName::new("python").unwrap(),
                source: CodeSource::File(template(json!("${input.file}"))),
                args: vec![
                    template(json!("x")),
                    template(json!("${input.b} ${input.c}")),
                ],
                stdin: Some(template(json!("${input.d}"))),
                env: [("KEY".to_owned(), template(json!("${secret.e}")))].into(),
                working_dir: Some(template(json!("${input.f}"))),
                timeout_secs: None,
            })),
            sites(StepConfig::PromptCall(PromptCall {
                model: ModelName::new("m").unwrap(),
                system_prompt: Some(template(json!("${input.a}"))),
                user_prompt: template(json!("${input.b}")),
                output_field: OutputName::new("o").unwrap(),
                output_schema: None,
                max_tokens: None,
                temperature: None,
            })),
            sites(StepConfig::AgentCall(AgentCall {
                objective: template(json!("${input.a}")),
                working_dir: template(json!("${input.b}")),
                agent: None,
                tools: None,
                max_turns: None,
                timeout_secs: None,
            })),
            sites(StepConfig::HumanInteraction(HumanInteraction {
                prompt: template(json!("${input.a}")),
                response_field: OutputName::new("o").unwrap(),
                approval_required: true,
                on_reject: OnReject::Cancel,
            })),
            sites(StepConfig::Condition(Condition {
                expression: expression("input.a == ${step.b.c}"),
                true_steps: Vec::new(),
                false_steps: Vec::new(),
            })),
            sites(StepConfig::FanOut(FanOut {
                over: Reference::parse("input.a").unwrap(),
                item_var: ItemName::new("row").unwrap(),
                spawn_steps: Vec::new(),
                until: Some(expression("step.b.done")),
                max_parallel: 1,
                on_item_error: OnItemError::Fail,
            })),
        ];
        insta::assert_snapshot!(all.join("\n"), @r#"
        /steps/7/config/arguments/a~1b/1/x ${input.a} Argument
        /steps/7/config/file ${input.file} CodeFile
        /steps/7/config/args/1 ${input.b} CodeArgument
        /steps/7/config/args/1 ${input.c} CodeArgument
        /steps/7/config/stdin ${input.d} Stdin
        /steps/7/config/env/KEY ${secret.e} Env
        /steps/7/config/working_dir ${input.f} WorkingDir
        /steps/7/config/system_prompt ${input.a} SystemPrompt
        /steps/7/config/user_prompt ${input.b} UserPrompt
        /steps/7/config/objective ${input.a} Objective
        /steps/7/config/working_dir ${input.b} WorkingDir
        /steps/7/config/prompt ${input.a} HumanPrompt
        /steps/7/config/expression ${input.a} Expression
        /steps/7/config/expression ${step.b.c} Expression
        /steps/7/config/over ${input.a} Over
        /steps/7/config/until ${step.b.done} Until
        "#);
    }
}
