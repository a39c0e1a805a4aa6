//! Drawings of a plan: its steps, what waits for what, and which branch is whose.

mod dot;
mod json;
mod mermaid;

use planwright::model::{Graph, Plan, StepKind};

pub(crate) use dot::dot;
pub(crate) use json::json;
pub(crate) use mermaid::mermaid;

/// What is drawn. Everything is in document order.
#[derive(Debug)]
pub(crate) struct Drawing<'a> {
    plan: &'a Plan,
    graph: &'a Graph,
}

/// A step of the drawing.
#[derive(Debug, Clone, Copy)]
struct Node<'a> {
    index: usize,
    id: &'a str,
    /// What a person calls it, where that says more than the id.
    name: Option<&'a str>,
    kind: StepKind,
}

/// An edge of the drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Edge {
    from: usize,
    to: usize,
    /// For an edge from a condition to a step of one of its branches: the result that leads there.
    branch: Option<bool>,
}

impl<'a> Drawing<'a> {
    pub(crate) fn new(plan: &'a Plan, graph: &'a Graph) -> Self {
        Self { plan, graph }
    }

    /// The steps of the main flow, or of a fan-out's body.
    fn nodes(&self, owner: Option<usize>) -> Vec<Node<'a>> {
        match owner {
            Some(owner) => self
                .graph
                .body(owner)
                .iter()
                .filter_map(|&index| self.node(index))
                .collect(),
            None => (0..self.plan.steps.len())
                .filter(|&index| self.graph.owner(index).is_none())
                .filter_map(|index| self.node(index))
                .collect(),
        }
    }

    fn node(&self, index: usize) -> Option<Node<'a>> {
        let step = self.plan.steps.get(index)?;
        let name = step.name.as_str();
        Some(Node {
            index,
            id: step.id.as_str(),
            name: (!name.is_empty() && name != step.id.as_str()).then_some(name),
            kind: step.config.kind(),
        })
    }

    /// Whether a step owns a body.
    fn is_owner(&self, index: usize) -> bool {
        !self.graph.body(index).is_empty()
    }

    fn edges(&self) -> Vec<Edge> {
        let mut edges = Vec::new();
        for to in 0..self.plan.steps.len() {
            let branches = self.graph.branch_of(to);
            for &(from, result) in branches {
                edges.push(Edge {
                    from,
                    to,
                    branch: Some(result),
                });
            }
            for &from in self.graph.dependencies(to) {
                if !branches.iter().any(|&(condition, _)| condition == from) {
                    edges.push(Edge {
                        from,
                        to,
                        branch: None,
                    });
                }
            }
        }
        edges
    }
}

#[cfg(test)]
mod tests {
    use planwright::model::document::{ReadOptions, parse, read};
    use planwright::model::{Graph, Limits, Plan};

    use super::*;

    fn plan() -> Plan {
        let text = r#"{
            "metadata": {"id": "3f2a8c1e-0b7d-4e55-9c7a-0d4b6a1f2e90", "version": 1,
                         "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"},
            "name": "drawing", "inputs": [], "config": {}, "outputs": [],
            "steps": [
                {"id": "fetch", "name": "Fetch \"it\" <b>#1</b>\n`now` | \\ [x]",
                 "config": {"type": "TOOL_CALL", "tool": "fetch", "arguments": {}},
                 "depends_on": [], "outputs": [{"name": "ok", "value_type": "boolean"}]},
                {"id": "decide", "name": "decide",
                 "config": {"type": "CONDITION", "expression": "${step.fetch.ok}",
                            "true_steps": ["send"], "false_steps": ["drop"]},
                 "depends_on": ["fetch"], "outputs": []},
                {"id": "send", "name": "send",
                 "config": {"type": "HUMAN_INTERACTION", "prompt": "Send?", "response_field": "r"},
                 "depends_on": ["decide"], "outputs": []},
                {"id": "drop", "name": "drop",
                 "config": {"type": "CODE_CALL", "language": "sh", "inline": "true", "args": [], "env": {}},
                 "depends_on": ["decide"], "outputs": []}
            ]
        }"#;
        let parsed = parse(text.as_bytes(), &Limits::default());
        let read = read(&parsed.document.unwrap(), &ReadOptions::default());
        assert!(read.problems.is_empty(), "{:?}", read.problems);
        read.plan.unwrap()
    }

    #[test]
    fn mermaid_escapes_every_label() {
        let plan = plan();
        let graph = Graph::new(&plan);
        insta::assert_snapshot!(mermaid(&Drawing::new(&plan, &graph)), @r#"
        flowchart TD
            s0["fetch<br/>Fetch #34;it#34; #60;b#62;#35;1#60;/b#62; #96;now#96; #124; #92; #91;x#93;<br/>TOOL_CALL"]
            s1{"decide<br/>CONDITION"}
            s2(["send<br/>HUMAN_INTERACTION"])
            s3["drop<br/>CODE_CALL"]
            s0 --> s1
            s1 -->|true| s2
            s1 -->|false| s3
        "#);
    }

    #[test]
    fn dot_escapes_every_label() {
        let plan = plan();
        let graph = Graph::new(&plan);
        insta::assert_snapshot!(dot(&Drawing::new(&plan, &graph)), @r#"
        digraph plan {
            node [shape=box];
            s0 [label="fetch\nFetch \"it\" <b>#1</b>\n`now` | \\ [x]\nTOOL_CALL"];
            s1 [label="decide\nCONDITION", shape=diamond];
            s2 [label="send\nHUMAN_INTERACTION", shape=ellipse];
            s3 [label="drop\nCODE_CALL"];
            s0 -> s1;
            s1 -> s2 [label="true"];
            s1 -> s3 [label="false"];
        }
        "#);
    }

    #[test]
    fn json_has_nodes_edges_and_groups() {
        let plan = plan();
        let graph = Graph::new(&plan);
        insta::assert_snapshot!(json(&Drawing::new(&plan, &graph)).to_string(), @r#"{"edges":[{"from":"fetch","to":"decide"},{"branch":true,"from":"decide","to":"send"},{"branch":false,"from":"decide","to":"drop"}],"groups":[["fetch"],["decide"],["send","drop"]],"nodes":[{"id":"fetch","kind":"TOOL_CALL","name":"Fetch \"it\" <b>#1</b>\n`now` | \\ [x]"},{"id":"decide","kind":"CONDITION","name":"decide"},{"id":"send","kind":"HUMAN_INTERACTION","name":"send"},{"id":"drop","kind":"CODE_CALL","name":"drop"}]}"#);
    }
}
