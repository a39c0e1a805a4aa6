//! Steps that ask an agent or a person.

use serde_json::json;

use super::maker::{Maker, Scope};
use super::values::Type;

impl Maker<'_> {
    /// An agent that works in the run's folder.
    pub(super) fn agent_call(&mut self, scope: &mut Scope) {
        let id = self.id();
        self.read("input.folder");
        let config = json!({
            "type": "AGENT_CALL",
            "objective": self.text(),
            "working_dir": "${input.folder}",
            "agent": "helper",
            "tools": ["search", "fetch"],
            "max_turns": 5,
        });
        let more =
            json!({"timeout_secs": 600, "outputs": [{"name": "summary", "value_type": "string"}]});
        self.add(scope, &id, config, more);
        self.see(format!("step.{id}.summary"), Type::Text);
        self.see(format!("step.{id}.report"), Type::Text);
        scope.ends.push(id);
    }

    /// A question to a person: an approval, or one that takes text.
    pub(super) fn question(&mut self, scope: &mut Scope) {
        let id = self.id();
        let approves = self.random.chance(50);
        let field = if approves { "approved" } else { "words" };
        let config = json!({
            "type": "HUMAN_INTERACTION",
            "prompt": self.text(),
            "response_field": field,
            "approval_required": approves,
        });
        self.add(scope, &id, config, json!({}));
        if !approves {
            self.see(format!("step.{id}.words"), Type::Text);
        }
        scope.ends.push(id);
    }
}
