//! P608 over-wide-grant: nothing limits what a reference sends into a call that destroys and reaches the open world.
//!
//! One finding for each argument of a tool, whatever number of steps leaves it open.

use std::collections::BTreeMap;

use plan_model::{Pointer, Reference, Root, Schema, Template};
use serde_json::Value;

use super::call::{self, Call};
use super::further;
use crate::catalog::{CatalogTool, CompiledSchema};
use crate::facts::Facts;
use crate::finding::Severity;
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P608",
    "over-wide-grant",
    Severity::Warning,
    include_str!("../../rules/P608-over-wide-grant.md"),
    Check::Plan(check),
);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let mut open: BTreeMap<(&str, &str), Vec<Pointer>> = BTreeMap::new();
    for call in call::calls_of(facts, reaches_and_destroys) {
        let rules = facts.policy.arguments.get(&call.data.tool);
        for (name, template) in &call.data.arguments {
            let is_ruled = rules.is_some_and(|rules| rules.contains_key(name));
            if let Template::Reference(reference) = template
                && !is_ruled
                && !is_narrowed(&call, name)
                && !is_known(facts, reference)
            {
                let key = (call.data.tool.as_str(), name.as_str());
                open.entry(key).or_default().push(call.pointer().join(name));
            }
        }
    }
    for ((tool, argument), places) in open {
        let mut places = places.into_iter();
        let Some(first) = places.next() else { continue };
        let (tool, argument) = (quoted(tool), quoted(argument));
        let message = format!(
            "nothing limits the argument {argument} of {tool}, which may destroy and reaches the open world"
        );
        let finding = RULE.at(first, message).help(format!(
            "give {argument} of {tool} a rule in `arguments` of the policy, or the tool a schema that narrows it"
        ));
        let places = places.map(|place| (place, "left open here too"));
        findings.add(further::places(finding, places));
    }
}

/// Whether the host itself said both.
fn reaches_and_destroys(tool: &CatalogTool) -> bool {
    let effects = tool.spec.effects;
    [effects.destructive, effects.open_world]
        .iter()
        .all(|effect| effect.declared && effect.holds)
}

/// Whether the tool's own schema leaves less than a type.
fn is_narrowed(call: &Call<'_>, name: &str) -> bool {
    let schema = call.tool.input.as_ref().map(CompiledSchema::schema);
    let property = schema
        .and_then(|schema| schema.get("properties")?.get(name))
        .filter(|property| narrows(property));
    property.is_some()
}

/// Keywords that leave less than a type, or parts that are not looked at.
const NARROW: [&str; 8] = [
    "enum", "const", "pattern", "$ref", "allOf", "anyOf", "oneOf", "not",
];

fn narrows(schema: &Value) -> bool {
    let Some(keywords) = schema.as_object() else {
        return false;
    };
    let has = |keyword: &str| keywords.contains_key(keyword);
    let ranged =
        (has("minimum") || has("exclusiveMinimum")) && (has("maximum") || has("exclusiveMaximum"));
    let few = schema.get("type").and_then(Value::as_str) == Some("boolean");
    ranged || few || NARROW.iter().any(|keyword| has(keyword))
}

/// Whether the plan says what the reference can be: a constant, or an input or output with a narrow schema.
fn is_known(facts: &Facts<'_>, reference: &Reference) -> bool {
    reference.paths().all(|path| match &path.root {
        Root::Config(_) => true,
        // its value stays with the host
        Root::Secret(_) => true,
        Root::Input(name) => facts.input(name.as_str()).is_some_and(|(_, input)| {
            let narrow = |schema: &Schema| narrows(&schema.0);
            input.schema.as_ref().is_some_and(narrow)
        }),
        Root::Step(_) | Root::Item(_) => {
            let shape = facts.follow(path, None).unwrap_or_default();
            shape.choices().is_some() || shape.is_only(plan_model::ValueType::Boolean)
        }
    })
}
