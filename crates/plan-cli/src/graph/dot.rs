//! The drawing for Graphviz.

use std::fmt::Write;

use planwright::model::StepKind;

use super::{Drawing, Node};

/// Writes the digraph.
pub(crate) fn dot(drawing: &Drawing<'_>) -> String {
    let mut text = String::from("digraph plan {\n    node [shape=box];\n");
    for node in drawing.nodes(None) {
        write_node(&mut text, "    ", node);
    }
    for owner in 0..drawing.plan.steps.len() {
        if !drawing.is_owner(owner) {
            continue;
        }
        let id = drawing.node(owner).map_or("", |node| node.id);
        // writing to a string does not fail
        let _ = writeln!(text, "    subgraph cluster_{owner} {{");
        let _ = writeln!(
            text,
            "        label={};",
            quoted(&format!("each item of {id}"))
        );
        for node in drawing.nodes(Some(owner)) {
            write_node(&mut text, "        ", node);
        }
        text.push_str("    }\n");
    }
    for edge in drawing.edges() {
        let label = edge
            .branch
            .map_or(String::new(), |result| format!(" [label=\"{result}\"]"));
        let _ = writeln!(text, "    s{} -> s{}{label};", edge.from, edge.to);
    }
    text.push_str("}\n");
    text
}

fn write_node(text: &mut String, indent: &str, node: Node<'_>) {
    let mut label = node.id.to_owned();
    if let Some(name) = node.name {
        label.push('\n');
        label.push_str(name);
    }
    label.push('\n');
    label.push_str(node.kind.as_str());
    let shape = match node.kind {
        StepKind::Condition => ", shape=diamond",
        StepKind::HumanInteraction => ", shape=ellipse",
        StepKind::FanOut | StepKind::FanIn => ", shape=box3d",
        StepKind::ToolCall | StepKind::CodeCall | StepKind::PromptCall | StepKind::AgentCall => "",
    };
    let _ = writeln!(
        text,
        "{indent}s{} [label={}{shape}];",
        node.index,
        quoted(&label)
    );
}

/// A string of the notation: nothing but its own escapes means anything inside.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            other if other.is_control() => quoted.push(' '),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
