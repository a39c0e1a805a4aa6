//! A grant in words, and as a file that can be compared.

use std::fmt::{self, Write as _};

use super::{Approval, Grant, GrantedRoot, SiteGrant, Target};

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(tool) => write!(f, "the tool `{tool}`"),
            Self::Language(language) => write!(f, "the language `{language}`"),
            Self::Model(model) => write!(f, "the model `{model}`"),
            Self::Agent { agent, tools } => {
                match agent {
                    Some(agent) => write!(f, "the agent `{agent}`")?,
                    None => f.write_str("the default agent")?,
                }
                for (index, tool) in tools.iter().enumerate() {
                    write!(f, "{}`{tool}`", if index == 0 { " with " } else { ", " })?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for GrantedRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scratch => f.write_str("the run's own scratch folder"),
            Self::Input(name) => write!(f, "the folder of the input `{name}`"),
            Self::Folder(folder) => write!(f, "the folder `{folder}`"),
            Self::Anywhere => f.write_str("any folder"),
        }
    }
}

/// In words: what the plan may do, one step after the other, in the order of their ids.
impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "This plan may")?;
        for (step, site) in &self.sites {
            write!(f, "  use {} in step `{step}`", site.target)?;
            match site.max_attempts {
                1 => {}
                attempts => write!(f, ", in up to {attempts} attempts")?,
            }
            match &site.approval {
                Approval::NotNeeded => {}
                Approval::AskAtCall(reason) => write!(f, ", once a person approves ({reason})")?,
                Approval::GivenBy(step) => write!(f, ", once step `{step}` was approved")?,
            }
            writeln!(f)?;
            for (name, rule) in &site.arguments {
                writeln!(f, "    {name} = {rule}")?;
            }
        }
        for secret in &self.secrets {
            writeln!(f, "  read the secret `{secret}`")?;
        }
        for root in &self.roots {
            writeln!(f, "  reach {root}")?;
        }
        for (what, limit) in budgets(self) {
            writeln!(f, "  use at most {limit} {what}")?;
        }
        f.write_str("and nothing else.")
    }
}

fn budgets(grant: &Grant) -> Vec<(&'static str, String)> {
    let limits = &grant.budgets;
    let text = |limit: Option<u64>| limit.map(|limit| limit.to_string());
    [
        ("tool calls", text(limits.max_tool_calls)),
        ("tokens of models", text(limits.max_model_tokens)),
        ("effects at one time", text(limits.max_concurrency)),
        ("items of a fan-out", text(limits.max_fan_out_items)),
        ("steps", text(limits.max_steps)),
        (
            "seconds",
            limits.max_wall_secs.map(|limit| limit.to_string()),
        ),
    ]
    .into_iter()
    .filter_map(|(what, limit)| Some((what, limit?)))
    .collect()
}

/// One permission a line, sorted, so that a line-by-line comparison shows what is new.
pub(super) fn lock(grant: &Grant) -> String {
    let mut text = String::from("# planwright grant, version 1\n");
    // writing to a String does not fail
    for (tool, digest) in &grant.tools {
        let _ = writeln!(text, "tool {} {digest}", json(tool.as_str()));
    }
    for (step, site) in &grant.sites {
        let _ = lock_site(&mut text, step.as_str(), site);
    }
    for secret in &grant.secrets {
        let _ = writeln!(text, "secret {}", json(secret.as_str()));
    }
    for root in &grant.roots {
        let _ = match root {
            GrantedRoot::Scratch => writeln!(text, "root scratch"),
            GrantedRoot::Input(name) => writeln!(text, "root input {name}"),
            GrantedRoot::Folder(folder) => writeln!(text, "root folder {}", json(folder)),
            GrantedRoot::Anywhere => writeln!(text, "root anywhere"),
        };
    }
    for (what, limit) in budgets(grant) {
        let _ = writeln!(text, "budget {limit} {what}");
    }
    text
}

fn lock_site(text: &mut String, step: &str, site: &SiteGrant) -> fmt::Result {
    let target = match &site.target {
        Target::Tool(tool) => format!("tool {}", json(tool.as_str())),
        Target::Language(language) => format!("language {}", json(language.as_str())),
        Target::Model(model) => format!("model {}", json(model.as_str())),
        Target::Agent { agent, tools } => {
            let agent = agent
                .as_ref()
                .map_or("null".to_owned(), |a| json(a.as_str()));
            let tools: Vec<String> = tools.iter().map(|tool| json(tool.as_str())).collect();
            format!("agent {agent} tools [{}]", tools.join(","))
        }
    };
    let approval = match &site.approval {
        Approval::NotNeeded => "unasked".to_owned(),
        Approval::AskAtCall(_) => "asked".to_owned(),
        Approval::GivenBy(gate) => format!("gated by {gate}"),
    };
    writeln!(
        text,
        "step {step} {target} attempts {} {approval}",
        site.max_attempts
    )?;
    for (name, rule) in &site.arguments {
        writeln!(text, "step {step} argument {} is {rule}", json(name))?;
    }
    Ok(())
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
