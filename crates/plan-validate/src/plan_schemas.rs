//! The schemas that a plan itself declares, compiled once per check.

use std::collections::HashMap;
use std::sync::Arc;

use plan_model::{Limits, Plan, Schema, StepConfig};

use crate::catalog::{CompiledSchema, SchemaFault};

/// A schema of the plan, or why it cannot be used.
pub(crate) type Compiled = Result<Arc<CompiledSchema>, SchemaFault>;

/// The schemas of inputs, step outputs and model answers.
#[derive(Debug, Default)]
pub(crate) struct PlanSchemas {
    inputs: HashMap<usize, Compiled>,
    outputs: HashMap<(usize, usize), Compiled>,
    prompts: HashMap<usize, Compiled>,
}

impl PlanSchemas {
    /// Compiles every schema of a plan; equal ones that follow each other are compiled once.
    pub(crate) fn of(plan: &Plan, limits: &Limits) -> Self {
        let mut last: Option<(&Schema, Compiled)> = None;
        let mut schemas = Self::default();
        for (index, input) in plan.inputs.iter().enumerate() {
            if let Some(schema) = &input.schema {
                let compiled = compile(schema, &mut last, limits);
                schemas.inputs.insert(index, compiled);
            }
        }
        for (step_index, step) in plan.steps.iter().enumerate() {
            for (index, output) in step.outputs.iter().enumerate() {
                if let Some(schema) = &output.schema {
                    let compiled = compile(schema, &mut last, limits);
                    schemas.outputs.insert((step_index, index), compiled);
                }
            }
            if let StepConfig::PromptCall(call) = &step.config
                && let Some(schema) = &call.output_schema
            {
                let compiled = compile(schema, &mut last, limits);
                schemas.prompts.insert(step_index, compiled);
            }
        }
        schemas
    }

    /// The schema of an input, where it has one.
    pub(crate) fn input(&self, input: usize) -> Option<&Compiled> {
        self.inputs.get(&input)
    }

    /// The schema of a declared output, where it has one.
    pub(crate) fn output(&self, step: usize, output: usize) -> Option<&Compiled> {
        self.outputs.get(&(step, output))
    }

    /// The schema of a model's answer, where the step has one.
    pub(crate) fn prompt(&self, step: usize) -> Option<&Compiled> {
        self.prompts.get(&step)
    }
}

fn compile<'p>(
    schema: &'p Schema,
    last: &mut Option<(&'p Schema, Compiled)>,
    limits: &Limits,
) -> Compiled {
    if let Some((known, compiled)) = last
        && *known == schema
    {
        return compiled.clone();
    }
    let compiled = CompiledSchema::compile(&schema.0, limits).map(Arc::new);
    *last = Some((schema, compiled.clone()));
    compiled
}
