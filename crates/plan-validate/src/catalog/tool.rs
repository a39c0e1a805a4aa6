//! One tool of a catalog, made ready for checking.

use std::collections::BTreeMap;

use plan_model::{Digest, InputKind, Limits, Schema, Shape, ToolName, ToolSpec, ValueType};
use serde_json::{Map, Value};

use super::arguments::{self, Argument, Arguments};
use super::digest;
use super::path_kind;
use super::schema::{CompiledSchema, Quote, SchemaFault};
use crate::text::quoted;
use crate::validated::lines;

/// A tool of the catalog: its spec, its digest, and its schemas compiled.
#[derive(Debug)]
#[non_exhaustive]
pub struct CatalogTool {
    /// What the host says about it.
    pub spec: ToolSpec,
    /// The digest of its name, schemas, effects and the way it is run.
    pub digest: Digest,
    /// The schema of the arguments object; `None` where arguments are not checked.
    pub input: Option<CompiledSchema>,
    /// The schema of the result.
    pub output: Option<CompiledSchema>,
    /// Why no plan may use it.
    pub quarantine: Option<SchemaFault>,
    arguments: Arguments,
    /// The arguments that the input schema calls paths.
    paths: Vec<(String, InputKind)>,
    outputs: BTreeMap<String, Shape>,
    closed_outputs: bool,
    result: Shape,
}

impl CatalogTool {
    pub(super) fn new(spec: ToolSpec, limits: &Limits) -> Self {
        let mut quarantine = None;
        let mut ready = |schema: &Option<Schema>| {
            let schema = schema.as_ref()?;
            CompiledSchema::compile(&schema.0, limits)
                .map_err(|fault| quarantine.get_or_insert(fault).clone())
                .ok()
        };
        let (input, output) = (ready(&spec.input_schema), ready(&spec.output_schema));
        let object = |schema: &Option<CompiledSchema>| {
            schema
                .as_ref()
                .and_then(|schema| schema.schema().as_object().cloned())
        };
        let anything = || Arguments {
            others: Some(Shape::any()),
            ..Arguments::default()
        };
        let paths = input
            .as_ref()
            .map_or_else(Vec::new, |schema| path_kind::of(schema.schema()));
        let arguments = input
            .as_ref()
            .map_or_else(anything, |schema| arguments::of(schema.schema()));
        let result = match (&quarantine, &spec.output_schema) {
            (None, Some(schema)) => Shape::of_schema(schema),
            _ => Shape::any(),
        };
        let described = object(&output).unwrap_or_default();
        let outputs = output_shapes(&described, &result);
        Self {
            digest: digest::of(&spec),
            closed_outputs: is_closed(&described, &result),
            spec,
            input,
            output,
            quarantine,
            arguments,
            paths,
            outputs,
            result,
        }
    }

    /// The name.
    pub fn name(&self) -> &ToolName {
        &self.spec.name
    }

    /// Whether the tool takes these arguments.
    ///
    /// # Errors
    /// Every way in which they do not fit, as clauses.
    pub fn check_arguments(&self, arguments: &Map<String, Value>) -> Result<(), Vec<String>> {
        let mut faults: Vec<String> = Vec::new();
        if !self.takes_other_arguments() {
            let unknown = arguments
                .keys()
                .filter(|name| self.argument(name).is_none());
            faults.extend(unknown.map(|name| format!("the tool has no argument {}", quoted(name))));
        }
        if let Some(schema) = &self.input {
            let value = Value::Object(arguments.clone());
            faults.extend(lines(&schema.violations(&value, Quote::Shown)));
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults)
        }
    }

    /// An argument that the input schema names.
    pub(crate) fn argument(&self, name: &str) -> Option<&Argument> {
        self.arguments.named.get(name)
    }

    /// What an argument of any name is.
    pub(crate) fn argument_shape(&self, name: &str) -> Option<&Shape> {
        let named = self.argument(name).map(|argument| &argument.shape);
        named.or(self.arguments.others.as_ref())
    }

    /// The arguments that the input schema names.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = (&str, &Argument)> {
        self.arguments
            .named
            .iter()
            .map(|(name, argument)| (name.as_str(), argument))
    }

    /// The arguments that the input schema calls paths, in the order of their names.
    pub fn path_arguments(&self) -> &[(String, InputKind)] {
        &self.paths
    }

    /// Which kind of path an argument is; `None` where the input schema does not call it one.
    pub(crate) fn path_kind(&self, name: &str) -> Option<InputKind> {
        let at = self.paths.iter().find(|(known, _)| known == name)?;
        Some(at.1)
    }

    /// Whether arguments that the input schema does not name are taken.
    pub(crate) fn takes_other_arguments(&self) -> bool {
        self.arguments.others.is_some()
    }

    /// The outputs that the output schema names.
    pub(crate) fn output_names(&self) -> impl Iterator<Item = &str> {
        self.outputs.keys().map(String::as_str)
    }

    /// Whether the output schema names every output that the tool can have.
    pub(crate) fn has_closed_outputs(&self) -> bool {
        self.closed_outputs
    }

    /// The shape of an output that the output schema names.
    pub(crate) fn output_shape(&self, name: &str) -> Option<&Shape> {
        self.outputs.get(name)
    }

    /// The shape of the whole result.
    pub(crate) fn result_shape(&self) -> &Shape {
        &self.result
    }
}

/// The outputs by name: members of a result object, and any other result as `result`.
fn output_shapes(described: &Map<String, Value>, result: &Shape) -> BTreeMap<String, Shape> {
    if !result.may_be(ValueType::Object) && !result.is_nothing() {
        return BTreeMap::from([("result".to_owned(), result.clone())]);
    }
    let properties = described.get("properties").and_then(Value::as_object);
    let properties = properties
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str());
    let members = result.member_names();
    properties
        .chain(members)
        .map(|name| (name.to_owned(), result.property(name).unwrap_or_default()))
        .collect()
}

fn is_closed(described: &Map<String, Value>, result: &Shape) -> bool {
    if result.is_nothing() {
        return false;
    }
    let is_open = described.contains_key("patternProperties");
    (described.get("additionalProperties") == Some(&Value::Bool(false)) && !is_open)
        || (result.is_only(ValueType::Object) && result.is_closed())
        || !result.may_be(ValueType::Object)
}
