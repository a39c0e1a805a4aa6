//! A grant as JSON: for people's tools to read, and to be digested. Never read back.

use std::fmt;

use plan_model::{Declared, Effects, PlanLimits, Schema, Template};
use serde_json::{Map, Value, json};

use super::source::place;
use super::{Approval, ArgRule, Grant, GrantedRoot, SiteGrant, Target};

pub(super) fn to_value(grant: &Grant) -> Value {
    let sites: Map<String, Value> = grant
        .sites
        .iter()
        .map(|(step, site)| (step.to_string(), self::site(site)))
        .collect();
    let tools: Map<String, Value> = grant
        .tools
        .iter()
        .map(|(tool, digest)| (tool.to_string(), digest.to_string().into()))
        .collect();
    json!({
        "plan": grant.plan.to_string(),
        "tools": tools,
        "sites": sites,
        "models": texts(&grant.models),
        "languages": texts(&grant.languages),
        "agents": texts(&grant.agents),
        "secrets": texts(&grant.secrets),
        "roots": grant.roots.iter().map(root).collect::<Vec<_>>(),
        "budgets": budgets(&grant.budgets),
        "sources": grant.sources.to_value(),
        "host": grant.host.to_value(),
    })
}

fn texts<T: fmt::Display>(names: impl IntoIterator<Item = T>) -> Vec<String> {
    names.into_iter().map(|name| name.to_string()).collect()
}

fn root(root: &GrantedRoot) -> Value {
    match root {
        GrantedRoot::Scratch => json!("scratch"),
        GrantedRoot::Input(name) => json!({"input": name.as_str()}),
        GrantedRoot::Folder(folder) => json!({"folder": folder}),
        GrantedRoot::Anywhere => json!("anywhere"),
    }
}

fn site(site: &SiteGrant) -> Value {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
    match &site.target {
        Target::Tool(tool) => {
            put("tool", tool.as_str().into());
            put("effects", effects(site.effects));
        }
        Target::Language(language) => {
            put("language", language.as_str().into());
        }
        Target::Model(model) => {
            put("model", model.as_str().into());
        }
        Target::Agent { agent, tools } => {
            put(
                "agent",
                json!(agent.as_ref().map(plan_model::AgentName::as_str)),
            );
            put("tools", json!(texts(tools)));
        }
    }
    let rules = site.arguments.iter();
    let rules: Map<String, Value> = rules
        .map(|(name, rule)| (name.clone(), self::rule(rule)))
        .collect();
    put("arguments", Value::Object(rules));
    put("max_attempts", site.max_attempts.into());
    if let Some(seconds) = &site.timeout {
        put("timeout_secs", seconds.to_string().into());
    }
    match &site.approval {
        Approval::NotNeeded => {}
        Approval::AskAtCall(reason) => {
            put("approval", json!({"ask_at_call": reason}));
        }
        Approval::GivenBy(step) => {
            put("approval", json!({"given_by": step.as_str()}));
        }
    }
    place(&mut members, site.within.as_ref(), &site.behind);
    Value::Object(members)
}

fn effects(effects: Effects) -> Value {
    let fact = |fact: Declared| json!({"holds": fact.holds, "declared": fact.declared});
    json!({
        "read_only": fact(effects.read_only),
        "idempotent": fact(effects.idempotent),
        "destructive": fact(effects.destructive),
        "open_world": fact(effects.open_world),
    })
}

/// Recurses as deep as rules are nested, which only [`ArgRule::and`] does, by one or two.
pub(super) fn rule(rule: &ArgRule) -> Value {
    match rule {
        ArgRule::Exact(value) => json!({"exact": value}),
        ArgRule::From(reference, within) if **within == ArgRule::Any => {
            json!({"from": reference.to_string()})
        }
        ArgRule::From(reference, within) => {
            json!({"from": reference.to_string(), "within": self::rule(within)})
        }
        ArgRule::Built(template) => json!({"built": template.to_value()}),
        ArgRule::OneOf(values) => json!({"one_of": values}),
        ArgRule::Range { min, max } => json!({"range": {"min": min, "max": max}}),
        ArgRule::Subpath(root) => json!({"subpath": root}),
        ArgRule::Url { schemes, hosts } => json!({"url": {"schemes": schemes, "hosts": hosts}}),
        ArgRule::Schema(schema) => json!({"schema": schema.0}),
        ArgRule::All(rules) => json!({"all": rules.iter().map(self::rule).collect::<Vec<_>>()}),
        ArgRule::Any => json!("any"),
    }
}

impl ArgRule {
    /// The rule of a JSON form, to be compared with. No grant is made of it.
    ///
    /// Recurses as deep as the value is nested, which its reader has bounded.
    pub(super) fn from_json(value: &Value) -> Option<Self> {
        if value == "any" {
            return Some(Self::Any);
        }
        let members = value.as_object()?;
        if let Some(from) = members.get("from") {
            let within = match members.get("within") {
                Some(within) => Self::from_json(within)?,
                None => Self::Any,
            };
            let reference = from.as_str()?.parse().ok()?;
            return Some(Self::From(reference, Box::new(within)));
        }
        let texts = |value: &Value| -> Option<Vec<String>> {
            let items = value.as_array()?.iter();
            items.map(|item| Some(item.as_str()?.to_owned())).collect()
        };
        let (name, value) = members.iter().next().filter(|_| members.len() == 1)?;
        Some(match name.as_str() {
            "exact" => Self::Exact(value.clone()),
            "built" => Self::Built(Template::parse(value.clone()).ok()?),
            "one_of" => Self::OneOf(value.as_array()?.clone()),
            "range" => {
                let end = |name: &str| match value.get(name) {
                    None | Some(Value::Null) => Some(None),
                    Some(end) => Some(Some(end.as_number()?.clone())),
                };
                Self::Range {
                    min: end("min")?,
                    max: end("max")?,
                }
            }
            "subpath" => Self::Subpath(value.as_str()?.to_owned()),
            "url" => Self::Url {
                schemes: texts(value.get("schemes")?)?,
                hosts: texts(value.get("hosts")?)?,
            },
            "schema" => Self::Schema(Schema(value.clone())),
            "all" => {
                let rules = value.as_array()?.iter();
                Self::All(rules.map(Self::from_json).collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }
}

/// Limits as JSON; an absent one is left out.
pub(crate) fn budgets(limits: &PlanLimits) -> Value {
    let mut members = Map::new();
    for (name, limit) in [
        ("max_tool_calls", limits.max_tool_calls),
        ("max_model_tokens", limits.max_model_tokens),
        ("max_concurrency", limits.max_concurrency),
        ("max_fan_out_items", limits.max_fan_out_items),
        ("max_steps", limits.max_steps),
    ] {
        if let Some(limit) = limit {
            members.insert(name.to_owned(), limit.into());
        }
    }
    if let Some(wall) = limits.max_wall_secs {
        members.insert("max_wall_secs".to_owned(), wall.to_string().into());
    }
    Value::Object(members)
}
