//! Faults of the catalog, of the policy, and of the inputs of a run: P9xx.

use serde_json::json;

use super::Mutator;
use super::plant::at;
use crate::within::{list, text};

pub(super) const MUTATORS: &[Mutator] = &[
    Mutator::new("P901", "two-tools-of-one-name", |case, _| {
        let tools = case.catalog.pointer_mut("/tools")?.as_array_mut()?;
        tools.push(json!({"name": "search"}));
        at(format!("/tools/{}/name", tools.len() - 1))
    }),
    Mutator::new("P901", "tools-that-look-alike", |case, _| {
        let tools = case.catalog.pointer_mut("/tools")?.as_array_mut()?;
        tools.push(json!({"name": "se\u{0430}rch"}));
        at(format!("/tools/{}/name", tools.len() - 1))
    }),
    Mutator::new("P901", "unknown-field-of-a-tool", |case, random| {
        let tools = case.catalog.pointer_mut("/tools")?.as_array_mut()?;
        let tool = random.below(tools.len());
        tools
            .get_mut(tool)?
            .as_object_mut()?
            .insert("input_shema".to_owned(), json!({}));
        at(format!("/tools/{tool}/input_shema"))
    }),
    Mutator::new("P902", "unknown-field-of-the-policy", |case, _| {
        case.policy
            .as_object_mut()?
            .insert("tool".to_owned(), json!(["search"]));
        at("/tool")
    }),
    Mutator::new("P902", "unknown-word-of-the-policy", |case, _| {
        case.policy
            .as_object_mut()?
            .insert("untrusted".to_owned(), json!("never"));
        at("/untrusted")
    }),
    Mutator::new("P903", "supply-another-input", |case, _| {
        case.inputs
            .as_mut()?
            .insert("nobody_here".to_owned(), json!(1));
        at("/nobody_here")
    }),
    Mutator::new("P904", "supply-nothing", |case, random| {
        let inputs = list(&case.document, "/inputs");
        let required: Vec<String> = inputs
            .iter()
            .filter(|input| input.get("default").is_none())
            .map(|input| text(input, "/name").to_owned())
            .collect();
        let name = random.pick(&required)?;
        case.inputs.as_mut()?.remove(name)?;
        at(format!("/{name}"))
    }),
    Mutator::new("P905", "supply-another-type", |case, random| {
        let inputs = list(&case.document, "/inputs");
        let name = text(random.pick(inputs)?, "/name").to_owned();
        case.inputs.as_mut()?.insert(name.clone(), json!(1.5));
        at(format!("/{name}"))
    }),
];
