//! `planwright schema`: the JSON Schemas of the documents.

use planwright::model::{Plan, schemas as of_plans};
use planwright::tools::load_catalog;
use planwright::validate::{SchemaFor, planner_schema_for, schemas as of_hosts};

use crate::args::{Schema, SchemaOf};
use crate::exit::{Exit, Halt};
use crate::host::refused;
use crate::output;

/// Prints one schema; with a catalog the strict one of plans over its tools.
pub(super) fn schema(arguments: &Schema) -> Result<Exit, Halt> {
    let schema = match (arguments.document, &arguments.tools) {
        (SchemaOf::Plan, None) => of_plans::plan(),
        (SchemaOf::Planner, None) => of_plans::planner_list(),
        (SchemaOf::Catalog, None) => of_hosts::catalog(),
        (SchemaOf::Policy, None) => of_hosts::policy(),
        (SchemaOf::Plan | SchemaOf::Planner, Some(path)) => {
            let file = load_catalog(path).map_err(|error| refused(&error))?;
            match arguments.document {
                SchemaOf::Planner => planner_schema_for(file.catalog()),
                _ => Plan::schema_for(file.catalog()),
            }
        }
        (SchemaOf::Catalog | SchemaOf::Policy, Some(_)) => {
            return Err(Halt::usage(
                "`--tools` goes with the schemas of plans and planner's lists",
            ));
        }
    };
    output::print_json(&schema);
    Ok(Exit::Fine)
}
