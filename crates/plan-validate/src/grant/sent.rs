//! What scripts, models and agents are sent, as rules: the plan's own words, and nothing else.

use std::collections::BTreeMap;

use plan_model::{AgentCall, CodeCall, CodeSource, PromptCall, Template};
use serde_json::Value;

use super::ArgRule;

/// The rules of one step, by field.
type Rules = BTreeMap<String, ArgRule>;

/// A script and everything that reaches it.
pub(super) fn code(call: &CodeCall) -> Rules {
    let mut rules = Rules::new();
    match &call.source {
        CodeSource::Inline(source) => {
            put(&mut rules, "inline", ArgRule::Exact(source.clone().into()));
        }
        CodeSource::File(file) => put(&mut rules, "file", rule(file)),
    }
    if !call.args.is_empty() {
        put(&mut rules, "args", array(&call.args));
    }
    if let Some(stdin) = &call.stdin {
        put(&mut rules, "stdin", rule(stdin));
    }
    for (name, value) in &call.env {
        rules.insert(format!("env.{name}"), rule(value));
    }
    if let Some(folder) = &call.working_dir {
        put(&mut rules, "working_dir", rule(folder));
    }
    rules
}

/// A question, and how long its answer may be.
pub(super) fn prompt(call: &PromptCall) -> Rules {
    let mut rules = Rules::new();
    if let Some(prompt) = &call.system_prompt {
        put(&mut rules, "system_prompt", rule(prompt));
    }
    put(&mut rules, "user_prompt", rule(&call.user_prompt));
    put(&mut rules, "max_tokens", at_most(call.max_tokens));
    rules
}

/// An objective, where it is pursued, and how long.
pub(super) fn agent(call: &AgentCall) -> Rules {
    let mut rules = Rules::new();
    put(&mut rules, "objective", rule(&call.objective));
    put(&mut rules, "working_dir", rule(&call.working_dir));
    put(&mut rules, "max_turns", at_most(call.max_turns));
    rules
}

/// The rule of what a template becomes: a literal is exact, a reference stands for what it reads.
pub(super) fn rule(template: &Template) -> ArgRule {
    match template {
        Template::Literal(value) => ArgRule::Exact(value.clone()),
        Template::Reference(reference) => ArgRule::From(reference.clone(), Box::new(ArgRule::Any)),
        composed => ArgRule::Built(composed.clone()),
    }
}

fn array(items: &[Template]) -> ArgRule {
    let literals: Option<Vec<Value>> = items
        .iter()
        .map(|item| match item {
            Template::Literal(value) => Some(value.clone()),
            _ => None,
        })
        .collect();
    match literals {
        Some(values) => ArgRule::Exact(values.into()),
        None => ArgRule::Built(Template::Array(items.to_vec())),
    }
}

fn at_most(limit: Option<u64>) -> ArgRule {
    match limit {
        Some(most) => ArgRule::Range {
            min: None,
            max: Some(most.into()),
        },
        None => ArgRule::Any,
    }
}

fn put(rules: &mut Rules, name: &str, rule: ArgRule) {
    rules.insert(name.to_owned(), rule);
}
