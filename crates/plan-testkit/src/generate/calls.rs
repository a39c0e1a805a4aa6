//! Steps that call a tool, run a script or ask a model.

use serde_json::{Map, Value, json};

use super::host::{TOOLS, ToolFacts};
use super::maker::{Maker, Scope};
use super::values::Type;

impl Maker<'_> {
    /// A call of some tool.
    pub(super) fn tool_call(&mut self, scope: &mut Scope) -> String {
        let tool = self.random.pick(TOOLS).copied();
        self.call_of(tool.as_ref(), scope, json!({}))
    }

    /// A call of the tool that makes text of an address.
    pub(super) fn fetch(&mut self, scope: &mut Scope, more: Value) -> String {
        let tool = TOOLS.iter().find(|tool| tool.name == "fetch");
        self.call_of(tool, scope, more)
    }

    fn call_of(&mut self, tool: Option<&ToolFacts>, scope: &mut Scope, more: Value) -> String {
        let id = self.id();
        let Some(tool) = tool else { return id };
        let mut arguments = Map::new();
        for (name, is, is_required) in tool.arguments {
            if *is_required || self.random.chance(40) {
                let value = match is {
                    // a whole number that is read may be out of the argument's range
                    Type::Count if !is_required => json!(1 + self.random.below(100)),
                    is => self.value(*is),
                };
                arguments.insert((*name).to_owned(), value);
            }
        }
        let config = json!({"type": "TOOL_CALL", "tool": tool.name, "arguments": arguments});
        let mut more = more;
        if tool.is_repeatable && self.random.chance(20) {
            super::maker::set(
                &mut more,
                "retry",
                json!({"max_attempts": 3, "delay_secs": 1, "backoff": true}),
            );
        }
        let is_declared = tool.results.is_empty() && self.random.chance(40);
        if is_declared {
            super::maker::set(
                &mut more,
                "outputs",
                json!([{"name": "answer", "value_type": "string"}]),
            );
        }
        self.add(scope, &id, config, more);
        for (path, is) in tool.results {
            self.see(format!("step.{id}.{path}"), *is);
        }
        if is_declared {
            self.see(format!("step.{id}.answer"), Type::Text);
        } else if tool.results.is_empty() {
            self.see(format!("step.{id}.whatever.it[3].is"), Type::Any);
        }
        scope.ends.push(id.clone());
        id
    }

    /// A script.
    pub(super) fn code_call(&mut self, scope: &mut Scope) {
        let id = self.id();
        let (language, inline) = *self
            .random
            .pick(&[
                ("python", "print('{\"n\": 1}')"),
                ("bash", "echo \"${HOME} $1 ${x:-y}\""),
            ])
            .unwrap_or(&("python", "pass"));
        let mut config = json!({"type": "CODE_CALL", "language": language, "inline": inline, "args": [self.text()], "env": {"GREETING": self.text()}});
        if self.random.chance(40) {
            let stdin = self.value(Type::Text);
            super::maker::set(&mut config, "stdin", stdin);
        }
        if self.random.chance(30) {
            super::maker::set(&mut config, "working_dir", json!("parts/inner"));
        }
        let outputs = json!([{"name": "n", "value_type": "integer"}, {"name": "label", "value_type": "string"}]);
        self.add(scope, &id, config, json!({"outputs": outputs}));
        for (path, is) in [
            ("n", Type::Count),
            ("label", Type::Text),
            ("stdout", Type::Text),
            ("exit_code", Type::Count),
        ] {
            self.see(format!("step.{id}.{path}"), is);
        }
        scope.ends.push(id);
    }

    /// A question to a model.
    pub(super) fn prompt_call(&mut self, scope: &mut Scope) {
        let id = self.id();
        let mut config = json!({"type": "PROMPT_CALL", "model": self.random.word(&["small", "large"]), "user_prompt": self.text(), "output_field": "reply", "max_tokens": 500});
        let is_list = self.random.chance(30);
        if is_list {
            super::maker::set(
                &mut config,
                "output_schema",
                json!({"type": "array", "items": {"type": "string"}}),
            );
        }
        if self.random.chance(30) {
            let text = self.text();
            super::maker::set(&mut config, "system_prompt", json!(text));
        }
        self.add(scope, &id, config, json!({}));
        self.see(
            format!("step.{id}.reply"),
            if is_list { Type::Texts } else { Type::Text },
        );
        scope.ends.push(id);
    }
}
