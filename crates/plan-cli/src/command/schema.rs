//! `planwright schema`: the JSON Schemas of the documents.

use planwright::model::schemas as of_plans;
use planwright::tools::load_catalog;
use planwright::validate::schemas as of_hosts;
use serde_json::Value;

use crate::args::{Schema, SchemaOf};
use crate::exit::{Exit, Halt};
use crate::host::refused;
use crate::output;

/// Prints one schema.
pub(super) fn schema(arguments: &Schema) -> Result<Exit, Halt> {
    let schema = match arguments.document {
        SchemaOf::Plan => of_plans::plan(),
        SchemaOf::Planner => of_plans::planner_list(),
        SchemaOf::Catalog => of_hosts::catalog(),
        SchemaOf::Policy => of_hosts::policy(),
    };
    let schema = match &arguments.tools {
        None => schema,
        Some(path) => match arguments.document {
            SchemaOf::Plan | SchemaOf::Planner => {
                let file = load_catalog(path).map_err(|error| refused(&error))?;
                let names: Vec<Value> = file
                    .catalog()
                    .tools()
                    .filter(|tool| tool.spec.allowlisted)
                    .map(|tool| tool.spec.name.as_str().into())
                    .collect();
                with_tools(schema, &names)
            }
            SchemaOf::Catalog | SchemaOf::Policy => {
                return Err(Halt::usage(
                    "`--tools` goes with the schemas of plans and planner's lists",
                ));
            }
        },
    };
    output::print_json(&schema);
    Ok(Exit::Fine)
}

/// The schema in which every property `tool` is one of these names.
fn with_tools(mut schema: Value, names: &[Value]) -> Value {
    let mut pending = vec![&mut schema];
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    if name == "properties"
                        && let Some(tool) = member.get_mut("tool").and_then(Value::as_object_mut)
                    {
                        tool.insert("enum".to_owned(), Value::Array(names.to_vec()));
                    }
                    pending.push(member);
                }
            }
            Value::Array(elements) => pending.extend(elements),
            _ => {}
        }
    }
    schema
}
