//! Branches that meet again, fan-outs with bodies, fan-ins.

use serde_json::json;

use super::maker::{Maker, Scope, set};
use super::values::Type;

/// Branches and fan-outs stand in each other so deep.
const DEPTH: usize = 3;

impl Maker<'_> {
    /// So many blocks of steps.
    pub(super) fn block(&mut self, scope: &mut Scope, size: usize) {
        for _ in 0..size {
            let can_nest = scope.depth < DEPTH;
            match self.random.below(100) {
                0..15 if can_nest => self.branches(scope),
                15..30 if can_nest => self.fan_out(scope),
                30..38 if scope.ends.len() > 1 => self.fan_in(scope),
                38..46 if !scope.is_body => self.question(scope),
                46..58 => self.code_call(scope),
                58..70 => self.prompt_call(scope),
                70..74 => self.agent_call(scope),
                _ => {
                    self.tool_call(scope);
                }
            }
        }
    }

    /// A condition, a branch or two, and the step where they meet.
    fn branches(&mut self, scope: &mut Scope) {
        let id = self.id();
        let config = json!({"type": "CONDITION", "expression": self.expression(), "true_steps": [], "false_steps": []});
        self.add(scope, &id, config, json!({}));
        let at = self.steps.len() - 1;
        let (chosen, chosen_end) = self.branch(scope, &id);
        let other = self.random.chance(70).then(|| self.branch(scope, &id));
        let mut targets = vec![chosen];
        if let Some((first, end)) = other {
            targets.push(first);
            let join = self.random.word(&["any", "settled"]);
            let text = format!("${{step.{chosen_end}.body ?? step.{end}.body}}");
            let meet = self.id();
            let config =
                json!({"type": "TOOL_CALL", "tool": "anything", "arguments": {"value": text}});
            let outputs = json!([{"name": "merged", "value_type": "string"}]);
            let mut after = scope.after.clone();
            after.extend([chosen_end, end]);
            let more = json!({"join": join, "outputs": outputs, "depends_on": after});
            self.add(scope, &meet, config, more);
            self.see(format!("step.{meet}.merged"), Type::Text);
            scope.ends.push(meet);
        }
        if self.random.chance(50) {
            targets.reverse();
        }
        for (first, list) in targets.into_iter().zip(["true_steps", "false_steps"]) {
            if let Some(config) = self
                .steps
                .get_mut(at)
                .and_then(|step| step.get_mut("config"))
            {
                set(config, list, json!([first]));
            }
        }
        self.see(format!("step.{id}.result"), Type::Flag);
        scope.ends.push(id);
    }

    /// One branch: its first step, which the condition chooses, and its last, which fetches text.
    fn branch(&mut self, scope: &mut Scope, condition: &str) -> (String, String) {
        let seen = self.seen.len();
        let mut inner = Scope {
            after: vec![condition.to_owned()],
            depth: scope.depth + 1,
            is_body: scope.is_body,
            ..Scope::default()
        };
        let first = self.fetch(&mut inner, json!({}));
        let mut last = first.clone();
        if self.random.chance(40) {
            inner.after = vec![first.clone()];
            let size = 1 + self.random.below(2);
            self.block(&mut inner, size);
            last = self.fetch(&mut inner, json!({}));
        }
        scope.ids.extend(inner.ids);
        self.seen.truncate(seen);
        (first, last)
    }

    /// A fan-out over a list that exists, with its body.
    fn fan_out(&mut self, scope: &mut Scope) {
        let id = self.id();
        let is = *self
            .random
            .pick(&[Type::Texts, Type::Rows, Type::List])
            .unwrap_or(&Type::Rows);
        let (over, is) = match self.existing(is) {
            Some(path) => (path, is),
            None => ("input.names".to_owned(), Type::Texts),
        };
        self.read(&over);
        let item = format!("item_{}", self.steps.len());
        let short = over
            .strip_prefix("step.")
            .filter(|_| self.random.chance(50));
        let text = short.map_or_else(|| format!("${{{over}}}"), str::to_owned);
        let config = json!({"type": "FAN_OUT", "over": text, "item_var": item, "spawn_steps": []});
        self.add(scope, &id, config, json!({}));
        let at = self.steps.len() - 1;
        let seen = self.seen.len();
        match is {
            Type::Texts => self.see(format!("item.{item}"), Type::Text),
            Type::Rows => {
                self.see(format!("item.{item}"), Type::Row);
                self.see(format!("item.{item}.title"), Type::Text);
                self.see(format!("item.{item}.url"), Type::Text);
            }
            _ => self.see(format!("item.{item}"), Type::Any),
        }
        let mut body = Scope {
            depth: scope.depth + 1,
            is_body: true,
            ..Scope::default()
        };
        let size = 1 + self.random.below(3);
        self.block(&mut body, size);
        let last = self.fetch(&mut body, json!({}));
        let until = self
            .random
            .chance(25)
            .then(|| format!("${{step.{last}.status}} == 200 || ${{item.{item}}} == null"));
        self.seen.truncate(seen);
        let collects = self.random.chance(30);
        if let Some(config) = self
            .steps
            .get_mut(at)
            .and_then(|step| step.get_mut("config"))
        {
            set(config, "spawn_steps", json!(body.ids));
            if let Some(until) = until {
                set(config, "until", json!(until));
            } else if self.random.chance(40) {
                set(config, "max_parallel", json!(4));
            }
            if collects {
                set(config, "on_item_error", json!("collect"));
                self.see(format!("step.{id}.errors"), Type::List);
            }
        }
        self.see(format!("step.{id}.results"), Type::List);
        scope.ends.push(id);
    }

    /// A fan-in from two steps that run whenever it does.
    fn fan_in(&mut self, scope: &mut Scope) {
        let id = self.id();
        let mut sources = scope.ends.clone();
        self.random.shuffle(&mut sources);
        sources.truncate(2 + self.random.below(2));
        let config = json!({"type": "FAN_IN", "from_steps": sources, "collect_field": "gathered"});
        self.add(scope, &id, config, json!({}));
        self.see(format!("step.{id}.gathered"), Type::List);
        scope.ends.push(id);
    }
}
