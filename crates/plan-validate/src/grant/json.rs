//! A grant as JSON: for people's tools to read, and to be digested. Never read back.

use plan_model::json::{Outlet, each_member, value_of};
use plan_model::{AgentName, Effects, PlanLimits, Schema, Template};
use serde_json::{Map, Value, json};

use super::{Approval, ArgRule, Grant, GrantedRoot, SiteGrant, Target};

pub(super) fn to_value(grant: &Grant) -> Value {
    value_of(|out| write(out, grant))
}

/// Writes a grant. Of one site after the other no value is built: a plan may have thousands.
pub(super) fn write(out: &mut dyn Outlet, grant: &Grant) {
    out.open_object();
    texts(out, "agents", &grant.agents);
    value(out, "budgets", &budgets(&grant.budgets));
    value(out, "host", &grant.host.to_value());
    texts(out, "languages", &grant.languages);
    texts(out, "models", &grant.models);
    out.key("plan");
    out.shown(&grant.plan);
    let roots = grant.roots.iter().map(root);
    value(out, "roots", &roots.collect());
    texts(out, "secrets", &grant.secrets);
    out.key("sites");
    out.open_object();
    // ids are ASCII, in which order they stand
    for (step, site) in &grant.sites {
        out.key(step.as_str());
        write_site(out, site);
    }
    out.close_object();
    value(out, "sources", &grant.sources.to_value());
    let tools = grant.tools.iter();
    let tools: Map<String, Value> = tools
        .map(|(tool, digest)| (tool.to_string(), digest.to_string().into()))
        .collect();
    value(out, "tools", &Value::Object(tools));
    out.close_object();
}

fn value(out: &mut dyn Outlet, key: &str, value: &Value) {
    out.key(key);
    out.value(value);
}

fn text(out: &mut dyn Outlet, key: &str, text: &str) {
    out.key(key);
    out.text(text);
}

fn texts<T: AsRef<str>>(out: &mut dyn Outlet, key: &str, names: impl IntoIterator<Item = T>) {
    out.key(key);
    out.open_array();
    for name in names {
        out.text(name.as_ref());
    }
    out.close_array();
}

fn root(root: &GrantedRoot) -> Value {
    match root {
        GrantedRoot::Scratch => json!("scratch"),
        GrantedRoot::Input(name) => json!({"input": name.as_str()}),
        GrantedRoot::Folder(folder) => json!({"folder": folder}),
        GrantedRoot::Anywhere => json!("anywhere"),
    }
}

fn write_site(out: &mut dyn Outlet, site: &SiteGrant) {
    out.open_object();
    if let Target::Agent { agent, .. } = &site.target {
        let agent = agent.as_ref().map(AgentName::as_str);
        value(out, "agent", &json!(agent));
    }
    match &site.approval {
        Approval::NotNeeded => {}
        Approval::AskAtCall(reason) => {
            value(out, "approval", &json!({"ask_at_call": reason}));
        }
        Approval::GivenBy(step) => {
            value(out, "approval", &json!({"given_by": step.as_str()}));
        }
    }
    out.key("arguments");
    out.open_object();
    each_member(&site.arguments, |name, rule| {
        out.key(name);
        write_rule(out, rule);
    });
    out.close_object();
    if !site.behind.is_empty() {
        texts(out, "behind", &site.behind);
    }
    if let Target::Tool(_) = &site.target {
        write_effects(out, site.effects);
    }
    if let Target::Language(language) = &site.target {
        text(out, "language", language.as_str());
    }
    value(out, "max_attempts", &site.max_attempts.into());
    if let Target::Model(model) = &site.target {
        text(out, "model", model.as_str());
    }
    if let Some(seconds) = &site.timeout {
        out.key("timeout_secs");
        out.shown(seconds);
    }
    match &site.target {
        Target::Tool(tool) => text(out, "tool", tool.as_str()),
        Target::Agent { tools, .. } => texts(out, "tools", tools),
        Target::Language(_) | Target::Model(_) => {}
    }
    if let Some(owner) = &site.within {
        text(out, "within", owner.as_str());
    }
    out.close_object();
}

fn write_effects(out: &mut dyn Outlet, effects: Effects) {
    out.key("effects");
    out.open_object();
    for (name, fact) in [
        ("destructive", effects.destructive),
        ("idempotent", effects.idempotent),
        ("open_world", effects.open_world),
        ("read_only", effects.read_only),
    ] {
        out.key(name);
        out.open_object();
        value(out, "declared", &fact.declared.into());
        value(out, "holds", &fact.holds.into());
        out.close_object();
    }
    out.close_object();
}

/// What most arguments have is written as it stands.
fn write_rule(out: &mut dyn Outlet, rule: &ArgRule) {
    match rule {
        ArgRule::Exact(exact) => {
            out.open_object();
            value(out, "exact", exact);
            out.close_object();
        }
        ArgRule::From(reference, within) if **within == ArgRule::Any => {
            out.open_object();
            out.key("from");
            out.shown(reference);
            out.close_object();
        }
        _ => out.value(&self::rule(rule)),
    }
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
