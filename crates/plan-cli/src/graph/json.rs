//! The drawing as data.

use serde_json::{Value, json};

use super::Drawing;

/// `{nodes: [{id, name, kind, owner?}], edges: [{from, to, branch?}], groups: [[id…]…]}`.
pub(crate) fn json(drawing: &Drawing<'_>) -> Value {
    let id = |index: usize| drawing.node(index).map(|node| node.id);
    let nodes: Vec<Value> = (0..drawing.plan.steps.len())
        .filter_map(|index| {
            let node = drawing.node(index)?;
            let mut value = json!({
                "id": node.id,
                "name": node.name.unwrap_or(node.id),
                "kind": node.kind.as_str(),
            });
            if let (Some(owner), Value::Object(members)) =
                (drawing.graph.owner(index).and_then(id), &mut value)
            {
                members.insert("owner".to_owned(), owner.into());
            }
            Some(value)
        })
        .collect();
    let edges: Vec<Value> = drawing
        .edges()
        .into_iter()
        .map(|edge| {
            let mut value = json!({"from": id(edge.from), "to": id(edge.to)});
            if let (Some(branch), Value::Object(members)) = (edge.branch, &mut value) {
                members.insert("branch".to_owned(), branch.into());
            }
            value
        })
        .collect();
    let groups: Vec<Vec<&str>> = drawing
        .graph
        .groups()
        .iter()
        .map(|group| group.iter().filter_map(|&index| id(index)).collect())
        .collect();
    json!({"nodes": nodes, "edges": edges, "groups": groups})
}
