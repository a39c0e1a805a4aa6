//! Agents: the loop over a model.

use std::sync::Arc;

use plan_exec::LoopAgent;
use plan_llm::{ModelError, ModelErrorKind};
use plan_model::ModelName;
use plan_testkit::ScriptedModel;
use plan_testkit::agent_suite::{Does, Fixture, Fresh};
use serde_json::json;

struct Looping;

impl Fresh for Looping {
    fn fresh(&self, does: Does) -> Fixture {
        let model = ScriptedModel::new();
        let model = match does {
            Does::Reports(text) => model.says(&text),
            Does::Calls { tool, arguments } => model.asks_for(&tool, arguments).says("done"),
            Does::CallsForEver { tool } => model.asks_for(&tool, json!({})),
            Does::Fails => model.fails(ModelError::new(ModelErrorKind::Refused, "no")),
            Does::GoesOn => model.hangs(),
            other => panic!("{other:?}"),
        };
        let counted = model.clone();
        let agent = LoopAgent::new(ModelName::new("m").unwrap(), Arc::new(model));
        Fixture::new(agent).running(move || counted.running())
    }
}

plan_testkit::agent_suite!(Looping);
