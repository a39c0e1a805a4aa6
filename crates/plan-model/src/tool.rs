//! What a host says about a tool.

use serde_json::Value;

use crate::{Schema, Seconds, ToolName};

/// A tool as the validator and the executor see it: its shapes and its effects.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolSpec {
    /// The name, matched byte for byte.
    pub name: ToolName,
    /// What it does.
    pub description: Option<String>,
    /// JSON Schema of the arguments object; absent: arguments are not checked.
    pub input_schema: Option<Schema>,
    /// JSON Schema of the result.
    pub output_schema: Option<Schema>,
    /// What a call may do to the world.
    pub effects: Effects,
    /// Whether the tool takes an idempotency key, and where.
    pub idempotency_key: IdempotencyKeySupport,
    /// Whether its results may steer sensitive arguments of other tools.
    pub output_trust: Trust,
    /// Arguments that untrusted values should not reach.
    pub sensitive_arguments: Vec<String>,
    /// Arguments that are code, shell, SQL or a URL.
    pub code_arguments: Vec<String>,
    /// Arguments that take secrets.
    pub secret_arguments: Vec<String>,
    /// Calls at one time.
    pub max_concurrency: Option<u64>,
    /// The most that one call may take.
    pub timeout: Option<Seconds>,
    /// Whether plans may call it.
    pub allowlisted: bool,
    /// How the host runs it, where a catalog file says so. Opaque here; it is part of the tool's digest.
    pub config: Option<Value>,
}

impl ToolSpec {
    /// A tool of which only the name is known: arguments unchecked, effects assumed the careful way.
    pub fn named(name: ToolName) -> Self {
        Self {
            name,
            description: None,
            input_schema: None,
            output_schema: None,
            effects: Effects::default(),
            idempotency_key: IdempotencyKeySupport::None,
            output_trust: Trust::Untrusted,
            sensitive_arguments: Vec::new(),
            code_arguments: Vec::new(),
            secret_arguments: Vec::new(),
            max_concurrency: None,
            timeout: None,
            allowlisted: true,
            config: None,
        }
    }
}

/// What a call may do to the world, each said by the host or assumed the careful way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effects {
    /// The call changes nothing.
    pub read_only: Declared,
    /// The call may be repeated without further change.
    pub idempotent: Declared,
    /// The call may destroy.
    pub destructive: Declared,
    /// The call reaches an open set of parties, such as the internet.
    pub open_world: Declared,
}

impl Default for Effects {
    fn default() -> Self {
        Self {
            read_only: Declared::assumed(false),
            idempotent: Declared::assumed(false),
            destructive: Declared::assumed(true),
            open_world: Declared::assumed(true),
        }
    }
}

impl Effects {
    /// Whether a call whose fate is unknown may be made again.
    pub fn safe_to_repeat(&self) -> bool {
        self.read_only.holds || self.idempotent.holds
    }
}

/// A fact about a tool, and whether the host said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declared {
    /// The fact.
    pub holds: bool,
    /// Whether the host said it; else it was assumed the careful way.
    pub declared: bool,
}

impl Declared {
    /// A fact that the host said.
    pub const fn said(holds: bool) -> Self {
        Self {
            holds,
            declared: true,
        }
    }

    /// A fact that nobody said.
    pub const fn assumed(holds: bool) -> Self {
        Self {
            holds,
            declared: false,
        }
    }
}

/// Where a tool takes its idempotency key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum IdempotencyKeySupport {
    /// Nowhere.
    #[default]
    None,
    /// In the environment of its process.
    Env,
    /// In this header of its request.
    Header(String),
}

/// Whether a value may steer sensitive arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trust {
    /// It may not, unless policy or a person says so.
    #[default]
    Untrusted,
    /// It may.
    Trusted,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_said_is_assumed_the_careful_way() {
        let spec = ToolSpec::named(ToolName::new("t").unwrap());
        assert!(!spec.effects.safe_to_repeat());
        assert_eq!(spec.effects.destructive, Declared::assumed(true));
        assert_eq!(spec.output_trust, Trust::Untrusted);
        assert!(spec.input_schema.is_none());
    }

    #[test]
    fn read_only_or_idempotent_calls_may_be_repeated() {
        let read_only = Effects {
            read_only: Declared::said(true),
            ..Effects::default()
        };
        let idempotent = Effects {
            idempotent: Declared::said(true),
            ..Effects::default()
        };
        assert!(read_only.safe_to_repeat() && idempotent.safe_to_repeat());
    }
}
