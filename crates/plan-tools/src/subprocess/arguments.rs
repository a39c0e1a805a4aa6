//! How a program is given the arguments of a call.

use std::collections::BTreeMap;

use plan_exec::ToolError;
use serde_json::{Map, Value};

use super::template::rendered;

/// Values longer than this go by standard input: some systems take little more in a variable.
const LONGEST: usize = 32 << 10;

/// The variables of a call, under both names.
pub(super) fn variables(
    arguments: &Map<String, Value>,
) -> Result<BTreeMap<String, String>, ToolError> {
    let mut variables = BTreeMap::new();
    for (name, value) in arguments {
        let text = rendered(value);
        if text.len() > LONGEST {
            return Err(ToolError::invalid_arguments(format!(
                "`{name}` has {} bytes, more than the {LONGEST} that go by environment; the tool needs `pass_arguments: stdin`",
                text.len()
            )));
        }
        let key = key_of(name);
        if variables
            .insert(format!("PLANWRIGHT_ARG_{key}"), text.clone())
            .is_some()
        {
            return Err(ToolError::invalid_arguments(format!(
                "two arguments would share the variable `PLANWRIGHT_ARG_{key}`; the tool needs `pass_arguments: stdin`"
            )));
        }
        variables.insert(format!("INXM_ARG_{key}"), text);
    }
    let all = json(arguments);
    variables.insert("INXM_ARGS".to_owned(), all.clone());
    variables.insert("PLANWRIGHT_ARGS".to_owned(), all);
    Ok(variables)
}

/// All arguments as one line of JSON.
pub(super) fn line(arguments: &Map<String, Value>) -> String {
    let mut line = json(arguments);
    line.push('\n');
    line
}

/// The object with its members in the order of their names, whatever order the map keeps.
fn json(arguments: &Map<String, Value>) -> String {
    let sorted: BTreeMap<&String, &Value> = arguments.iter().collect();
    // a map of JSON values is always JSON
    serde_json::to_string(&sorted).unwrap_or_default()
}

fn key_of(name: &str) -> String {
    name.chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() {
                character.to_ascii_uppercase()
            } else {
                '_'
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(value: Value) -> Result<BTreeMap<String, String>, String> {
        let Value::Object(arguments) = value else {
            panic!("an object");
        };
        variables(&arguments).map_err(|error| error.message)
    }

    #[test]
    fn every_argument_has_a_variable_of_its_own() {
        let variables = of(json!({"b-c": [1], "a": "x", "n": null})).unwrap();
        let listed: Vec<String> = variables
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        insta::assert_snapshot!(listed.join("\n"), @r#"
        INXM_ARGS={"a":"x","b-c":[1],"n":null}
        INXM_ARG_A=x
        INXM_ARG_B_C=[1]
        INXM_ARG_N=null
        PLANWRIGHT_ARGS={"a":"x","b-c":[1],"n":null}
        PLANWRIGHT_ARG_A=x
        PLANWRIGHT_ARG_B_C=[1]
        PLANWRIGHT_ARG_N=null
        "#);
    }

    #[test]
    fn arguments_that_would_share_a_variable_are_refused() {
        insta::assert_snapshot!(
            of(json!({"a-b": 1, "a_b": 2})).unwrap_err(),
            @"two arguments would share the variable `PLANWRIGHT_ARG_A_B`; the tool needs `pass_arguments: stdin`"
        );
    }

    #[test]
    fn a_long_value_needs_standard_input() {
        let long = "x".repeat(LONGEST + 1);
        insta::assert_snapshot!(
            of(json!({"text": long})).unwrap_err(),
            @"`text` has 32769 bytes, more than the 32768 that go by environment; the tool needs `pass_arguments: stdin`"
        );
    }
}
