//! A grant in words.

use std::fmt;

use serde_json::Value;

use super::permission::BUDGETS;
use super::source::RelayKind;
use super::{Approval, Grant, GrantedRoot, Target, json};
use crate::policy::SandboxMode;
use crate::text;

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
            if let Some(seconds) = &site.timeout {
                write!(f, ", for up to {seconds} s")?;
            }
            if let Some(owner) = &site.within {
                write!(f, ", for each item of step `{owner}`")?;
            }
            if !site.behind.is_empty() {
                write!(f, ", after the approval of {}", text::listed(&site.behind))?;
            }
            writeln!(f)?;
            for (name, rule) in &site.arguments {
                writeln!(f, "    {name} = {rule}")?;
            }
        }
        for (step, relay) in &self.sources.relays {
            if let RelayKind::Asks(question) = &relay.kind {
                let approval = question.get("approval").and_then(Value::as_bool) == Some(true);
                let what = if approval { " for an approval" } else { "" };
                writeln!(f, "  ask a person{what} in step `{step}`")?;
            }
        }
        for (key, value) in &self.sources.config {
            writeln!(f, "  read ${{conf.{key}}}, which is {value}")?;
        }
        for (name, default) in &self.sources.defaults {
            match default.get("is") {
                Some(value) => writeln!(f, "  take {value} for ${{input.{name}}}")?,
                None => writeln!(f, "  take a default for ${{input.{name}}}")?,
            }
        }
        for secret in &self.secrets {
            writeln!(f, "  read the secret `{secret}`")?;
        }
        match self.host.sandbox {
            SandboxMode::Required => {}
            SandboxMode::BestEffort => writeln!(f, "  run scripts where there is no sandbox")?,
            SandboxMode::Off => writeln!(f, "  run scripts without a sandbox")?,
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
    let limits = json::budgets(&grant.budgets);
    BUDGETS
        .into_iter()
        .filter_map(|(name, what)| {
            let limit = limits.get(name)?;
            let bare = limit.as_str().map(str::to_owned);
            Some((what, bare.unwrap_or_else(|| limit.to_string())))
        })
        .collect()
}
