//! A planner's list.

use serde_json::{Value, json};

use super::host;
use super::random::Random;
use crate::case::Case;

pub(super) fn make(random: &mut Random) -> Case {
    let policy = host::policy(random);
    let mut steps: Vec<Value> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for number in 0..=1 + random.below(8) {
        let name = format!("{} {number}", random.word(&["Look up", "Größe", "part"]));
        let name = if random.chance(50) {
            format!("s{number}")
        } else {
            name
        };
        let earlier = random.pick(&names).cloned();
        let text = match &earlier {
            Some(id) if random.chance(60) => format!("about ${{step[{}].body}}", json!(id)),
            _ => "about rust".to_owned(),
        };
        let mut step = json!({"name": name, "tool": "fetch", "args": {"url": text}});
        let after = match (&earlier, random.below(4)) {
            (_, 0) => None,
            (Some(id), 1) => Some(json!(id)),
            (Some(id), 2) => Some(json!([id])),
            _ => Some(json!([])),
        };
        if let (Some(after), Some(members)) = (after, step.as_object_mut()) {
            members.insert("after".to_owned(), after);
        }
        names.push(name);
        steps.push(step);
    }
    let document = json!({"objective": "read about rust", "steps": steps});
    Case {
        policy,
        ..Case::new(document, host::catalog())
    }
}
