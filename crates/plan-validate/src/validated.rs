//! A plan that passed every rule: the proof that an executor asks for.

use std::sync::Arc;

use plan_model::{Digest, Graph, Plan, StepConfig, StepId, ToolSpec, ValueType};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::bounds::Bounds;
use crate::catalog::{CatalogTool, Quote};
use crate::finding::Finding;
use crate::findings::Report;
use crate::grant::Grant;
use crate::normal;
use crate::plan_schemas::PlanSchemas;
use crate::policy::Policy;
use crate::text;

/// A plan that passed every rule, with what its run may do. Cheap to clone.
///
/// Only the checks of this crate make one, and nothing deserialises one:
/// whoever reopens a run loads the plan and checks it again, under the catalog
/// and the policy of that day.
///
/// ```compile_fail
/// let plan: plan_validate::ValidatedPlan = serde_json::from_str("{}").unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct ValidatedPlan(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    plan: Plan,
    policy: Policy,
    parts: Parts,
    warnings: Vec<Finding>,
    truncated: usize,
}

/// What a check derives from a plan.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) digest: Digest,
    pub(crate) graph: Graph,
    pub(crate) grant: Grant,
    pub(crate) bounds: Bounds,
    /// For each step the tool that it calls.
    pub(crate) tools: Vec<Option<Arc<CatalogTool>>>,
    pub(crate) schemas: PlanSchemas,
}

impl ValidatedPlan {
    pub(crate) fn new(plan: Plan, policy: Policy, parts: Parts, report: Report) -> Self {
        Self(Arc::new(Inner {
            plan,
            policy,
            parts,
            warnings: report.findings,
            truncated: report.truncated,
        }))
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.0.plan
    }

    /// The policy that the plan was checked under.
    pub fn policy(&self) -> &Policy {
        &self.0.policy
    }

    /// The digest of the plan.
    pub fn digest(&self) -> Digest {
        self.0.parts.digest
    }

    /// What must end before what.
    pub fn graph(&self) -> &Graph {
        &self.0.parts.graph
    }

    /// What the run may do.
    pub fn grant(&self) -> &Grant {
        &self.0.parts.grant
    }

    /// The most that the run can do.
    pub fn bounds(&self) -> &Bounds {
        &self.0.parts.bounds
    }

    /// Warnings and notes, ordered by place and then by code.
    pub fn warnings(&self) -> &[Finding] {
        &self.0.warnings
    }

    /// How many further warnings and notes there were.
    pub fn truncated(&self) -> usize {
        self.0.truncated
    }

    /// What the host says about the tool that a step calls; `None` for steps that call none.
    pub fn tool(&self, step: &StepId) -> Option<&ToolSpec> {
        self.catalog_tool(step).map(|tool| &tool.spec)
    }

    /// The catalog's entry for the tool that a step calls; `None` for steps that call none.
    pub fn catalog_tool(&self, step: &StepId) -> Option<&CatalogTool> {
        let index = self.graph().index_of(step)?;
        self.0.parts.tools.get(index)?.as_deref()
    }

    /// The arguments of a call in the form in which they are sent.
    ///
    /// A scalar for an argument that takes text and not that scalar becomes its text; null for an optional
    /// argument that takes no null is left out. The grant and the schema are about this form.
    #[must_use]
    pub fn normalise(&self, step: &StepId, arguments: Map<String, Value>) -> Map<String, Value> {
        match self.catalog_tool(step) {
            Some(tool) => normal::arguments(tool, arguments),
            None => arguments,
        }
    }

    /// Whether the tool of a step takes these arguments, in the form in which they are sent.
    ///
    /// # Errors
    /// Every way in which they do not fit, as clauses.
    pub fn check_arguments(
        &self,
        step: &StepId,
        arguments: &Map<String, Value>,
    ) -> Result<(), Vec<String>> {
        let Some(tool) = self.catalog_tool(step) else {
            return Ok(());
        };
        tool.check_arguments(arguments)
    }

    /// Whether outputs are what a step declares, and what its tool's output schema says.
    ///
    /// An output that is declared must be there. Null is a value of `any` alone, unless a schema takes it.
    ///
    /// # Errors
    /// Every way in which they do not fit, as clauses.
    pub fn check_outputs(
        &self,
        step: &StepId,
        outputs: &Map<String, Value>,
    ) -> Result<(), Vec<String>> {
        let index = self.graph().index_of(step);
        let Some((index, step)) = index.and_then(|i| Some((i, self.plan().steps.get(i)?))) else {
            return Ok(());
        };
        let mut faults = Vec::new();
        for (number, output) in step.outputs.iter().enumerate() {
            let Some(value) = outputs.get(output.name.as_str()) else {
                faults.push(format!(
                    "the output {} is missing",
                    text::quoted(&output.name)
                ));
                continue;
            };
            if !is_of_type(value, output.value_type) {
                faults.push(format!(
                    "the output {} is {}, not {}",
                    text::quoted(&output.name),
                    plan_model::json_type(value),
                    text::value_type(output.value_type)
                ));
            } else if let Some(Ok(schema)) = self.0.parts.schemas.output(index, number) {
                let name = text::quoted(&output.name);
                let violations = schema.violations(value, Quote::Shown);
                faults.extend(lines(&violations).map(|line| format!("the output {name}: {line}")));
            }
        }
        if let StepConfig::PromptCall(call) = &step.config
            && let Some(Ok(schema)) = self.0.parts.schemas.prompt(index)
            && let Some(value) = outputs.get(call.output_field.as_str())
        {
            faults.extend(lines(&schema.violations(value, Quote::Shown)));
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults)
        }
    }

    /// Whether a tool's result, as it came, fits the tool's output schema.
    ///
    /// # Errors
    /// Every way in which it does not fit, as clauses.
    pub fn check_result(&self, step: &StepId, result: &Value) -> Result<(), Vec<String>> {
        let schema = self
            .catalog_tool(step)
            .and_then(|tool| tool.output.as_ref());
        let faults: Vec<String> = schema
            .map(|schema| lines(&schema.violations(result, Quote::Shown)).collect())
            .unwrap_or_default();
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults)
        }
    }

    pub(crate) fn schemas(&self) -> &PlanSchemas {
        &self.0.parts.schemas
    }
}

impl Serialize for ValidatedPlan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::render::json(Ok(self)).serialize(serializer)
    }
}

pub(crate) fn lines(violations: &[crate::catalog::Violation]) -> impl Iterator<Item = String> {
    violations.iter().map(|violation| {
        if violation.pointer.as_str().is_empty() {
            violation.message.clone()
        } else {
            format!("{}: {}", violation.pointer, violation.message)
        }
    })
}

/// Whether a value is of a declared type. A number without a fraction is an integer.
pub(crate) fn is_of_type(value: &Value, value_type: ValueType) -> bool {
    match value_type {
        ValueType::Any => true,
        ValueType::String => value.is_string(),
        ValueType::Number => value.is_number(),
        ValueType::Integer => {
            value.is_i64()
                || value.is_u64()
                || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        ValueType::Boolean => value.is_boolean(),
        ValueType::Object => value.is_object(),
        ValueType::Array => value.is_array(),
    }
}
