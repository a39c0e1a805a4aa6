//! What a catalog says about how to run a program.

use std::collections::BTreeMap;

use plan_model::ToolSpec;
use serde::Deserialize;
use serde_json::Value;

use super::interpreter;
use super::template;

/// The `config` of a tool whose kind is `subprocess`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SubprocessConfig {
    /// Always `subprocess`.
    pub kind: SubprocessKind,
    /// The program: a name on the path, or a path.
    pub command: String,
    /// Its command line, where `{argument}` stands for a value.
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables of its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The folder that it runs in; absent: the catalog's.
    #[serde(default)]
    pub working_dir: Option<String>,
    /// How it is given the arguments.
    #[serde(default)]
    pub pass_arguments: PassArguments,
    /// Whether an exit code other than 0 is a result rather than a failure.
    #[serde(default)]
    pub capture_status: bool,
}

/// The word `subprocess`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SubprocessKind {
    /// A program, one process for each call.
    Subprocess,
}

/// How a program is given the arguments of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PassArguments {
    /// In its environment.
    #[default]
    Env,
    /// As one JSON object on standard input.
    Stdin,
    /// On the command line alone.
    None,
}

/// Why a tool's `config` cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The catalog does not say how to run the tool.
    #[error("has no `config`, so nothing says how to run it")]
    Absent,
    /// The config is of another shape.
    #[error("has a `config` that is not one of a subprocess: {message}")]
    Shape {
        /// What is wrong with it.
        message: String,
    },
    /// The config of an HTTP tool has these problems.
    #[cfg(feature = "http")]
    #[error("has a `config` that is not one of HTTP: {}", crate::http::listed(.problems))]
    Http {
        /// Every one.
        problems: Vec<crate::HttpProblem>,
    },
    /// The config names no program.
    #[error("has an empty `command`")]
    NoCommand,
    /// An element of `args` names an argument that the tool does not take.
    #[error("has `{{{argument}}}` in its `args`, and takes no such argument")]
    UnknownArgument {
        /// The name.
        argument: String,
    },
    /// A value would become part of a script.
    #[error(
        "puts `{{{argument}}}` into a script of `{command}`, where its value would run as code"
    )]
    ValueInScript {
        /// The interpreter.
        command: String,
        /// The name.
        argument: String,
    },
    /// Arguments on standard input would be taken for a script.
    #[error(
        "passes arguments on the standard input of `{command}`, which would run them as a script"
    )]
    ArgumentsAsScript {
        /// The interpreter.
        command: String,
    },
}

impl SubprocessConfig {
    /// Reads a tool's config and checks it against what the tool takes.
    pub(super) fn of(spec: &ToolSpec) -> Result<Self, ConfigError> {
        let mut config = spec.config.clone().ok_or(ConfigError::Absent)?;
        if let Value::Object(members) = &mut config {
            // null in an optional field is absence
            members.retain(|_, member| !member.is_null());
        }
        let config = Self::deserialize(config).map_err(|error| ConfigError::Shape {
            message: error.to_string(),
        })?;
        config.check(spec)?;
        Ok(config)
    }

    fn check(&self, spec: &ToolSpec) -> Result<(), ConfigError> {
        if self.command.is_empty() {
            return Err(ConfigError::NoCommand);
        }
        let taken = closed_arguments(spec);
        for argument in self.args.iter().flat_map(|arg| template::names(arg)) {
            if taken.is_some_and(|taken| !taken.contains_key(argument)) {
                return Err(ConfigError::UnknownArgument {
                    argument: argument.to_owned(),
                });
            }
        }
        check_script(&self.command, &self.args)?;
        if self.pass_arguments == PassArguments::Stdin {
            check_input(&self.command, &self.args)?;
        }
        Ok(())
    }
}

/// No value may become part of a script.
pub(crate) fn check_script(command: &str, args: &[String]) -> Result<(), ConfigError> {
    if let Some(script) = interpreter::script_of(command, args)
        && let Some(argument) = template::names(script).next()
    {
        return Err(ConfigError::ValueInScript {
            command: command.to_owned(),
            argument: argument.to_owned(),
        });
    }
    Ok(())
}

/// What is written to standard input may not be taken for a script.
pub(crate) fn check_input(command: &str, args: &[String]) -> Result<(), ConfigError> {
    if interpreter::reads_script_from_stdin(command, args) {
        return Err(ConfigError::ArgumentsAsScript {
            command: command.to_owned(),
        });
    }
    Ok(())
}

/// The arguments that the tool's schema names, where it takes no others.
pub(crate) fn closed_arguments(spec: &ToolSpec) -> Option<&serde_json::Map<String, Value>> {
    let schema = spec.input_schema.as_ref()?.0.as_object()?;
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    schema
        .get("properties")
        .and_then(Value::as_object)
        .filter(|_| closed)
}

#[cfg(test)]
mod tests {
    use plan_model::ToolName;
    use serde_json::json;

    use super::*;

    fn config(config: Value) -> Result<SubprocessConfig, ConfigError> {
        let mut spec = ToolSpec::named(ToolName::new("t").unwrap());
        spec.config = Some(config);
        SubprocessConfig::of(&spec)
    }

    fn refusal(value: Value) -> String {
        config(value).unwrap_err().to_string()
    }

    #[test]
    fn the_defaults_are_those_of_the_format() {
        let config = config(json!({"kind": "subprocess", "command": "jq"})).unwrap();
        assert_eq!(config.pass_arguments, PassArguments::Env);
        assert!(!config.capture_status);
        assert!(config.args.is_empty());
    }

    #[test]
    fn another_shape_is_refused() {
        insta::assert_snapshot!(
            refusal(json!({"kind": "subprocess", "command": "jq", "argz": []})),
            @"has a `config` that is not one of a subprocess: unknown field `argz`, expected one of `kind`, `command`, `args`, `env`, `working_dir`, `pass_arguments`, `capture_status`"
        );
        insta::assert_snapshot!(
            refusal(json!({"kind": "subprocess", "command": ""})),
            @"has an empty `command`"
        );
    }

    #[test]
    fn a_value_never_becomes_code() {
        for (command, args) in [
            ("sh", json!(["-c", "echo {word}"])),
            ("/bin/bash", json!(["-eu", "-c", "echo {word}"])),
            ("bash", json!(["-ec", "{word}"])),
            ("python3", json!(["-c", "print('{word}')"])),
            ("node", json!(["--eval", "{word}"])),
            ("env", json!(["sh", "-c", "echo {word}"])),
        ] {
            let error = config(json!({"kind": "subprocess", "command": command, "args": args}));
            assert!(
                matches!(error, Err(ConfigError::ValueInScript { .. })),
                "{command}: {error:?}"
            );
        }
        let after = json!({"kind": "subprocess", "command": "sh", "args": ["-c", "echo \"$1\"", "sh", "{word}"]});
        assert!(config(after).is_ok());
        let own = json!({"kind": "subprocess", "command": "python3", "args": ["tool.py", "-c", "{word}"]});
        assert!(config(own).is_ok());
    }

    #[test]
    fn a_bare_interpreter_takes_no_arguments_on_standard_input() {
        let bare = |command: &str, args: Value| {
            config(
                json!({"kind": "subprocess", "command": command, "args": args, "pass_arguments": "stdin"}),
            )
        };
        for (command, args) in [
            ("python3", json!([])),
            ("bash", json!(["-s"])),
            ("sh", json!(["-"])),
        ] {
            assert!(matches!(
                bare(command, args),
                Err(ConfigError::ArgumentsAsScript { .. })
            ));
        }
        assert!(bare("python3", json!(["tool.py"])).is_ok());
        assert!(bare("sh", json!(["-c", "cat"])).is_ok());
        assert!(bare("jq", json!([])).is_ok());
    }
}
