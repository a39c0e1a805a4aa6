#![cfg(test)]
//! Integration tests of the validator, in one binary.

mod arguments;
mod bindings;
mod bounds;
mod catalogs;
mod fixes;
mod for_models;
mod grant_laws;
mod grant_locks;
mod grants;
mod hostile;
mod inputs;
mod laws;
mod page;
mod pages;
mod policies;
mod reports;
mod root_causes;
mod rules_approvals;
mod rules_conditions;
mod rules_control_flow;
mod rules_data_flow;
mod rules_declarations;
mod rules_effects;
mod rules_joins;
mod rules_structure;
mod sample;
mod sarif;
mod schemas;
mod secrets;
mod shapes;
mod strict;
mod trust;
mod trust_laws;
