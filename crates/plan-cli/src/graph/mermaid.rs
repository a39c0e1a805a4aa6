//! The drawing as a Mermaid flowchart.

use std::fmt::Write;

use planwright::model::StepKind;

use super::{Drawing, Node};

/// Writes the flowchart.
pub(crate) fn mermaid(drawing: &Drawing<'_>) -> String {
    let mut text = String::from("flowchart TD\n");
    // every body, an inner one inside its owner's; fan-outs nest no deeper than the reader allows
    nodes(&mut text, drawing, None, 1);
    for edge in drawing.edges() {
        let arrow = match edge.branch {
            Some(result) => format!("-->|{result}|"),
            None => "-->".to_owned(),
        };
        // writing to a string does not fail
        let _ = writeln!(text, "    s{} {arrow} s{}", edge.from, edge.to);
    }
    text
}

fn nodes(text: &mut String, drawing: &Drawing<'_>, owner: Option<usize>, level: usize) {
    let mut pending = vec![(level, drawing.nodes(owner).into_iter())];
    while let Some((level, siblings)) = pending.last_mut() {
        let level = *level;
        let Some(node) = siblings.next() else {
            pending.pop();
            if !pending.is_empty() {
                let _ = writeln!(text, "{}end", indent(level - 1));
            }
            continue;
        };
        let _ = writeln!(text, "{}{}", indent(level), shape(node));
        if drawing.is_owner(node.index) && pending.len() <= drawing.plan.steps.len() {
            let title = escape(&format!("each item of {}", node.id));
            let _ = writeln!(
                text,
                "{}subgraph body{} [\"{title}\"]",
                indent(level),
                node.index
            );
            pending.push((level + 1, drawing.nodes(Some(node.index)).into_iter()));
        }
    }
}

fn shape(node: Node<'_>) -> String {
    let mut label = escape(node.id);
    if let Some(name) = node.name {
        label.push_str("<br/>");
        label.push_str(&escape(name));
    }
    label.push_str("<br/>");
    label.push_str(node.kind.as_str());
    let (open, close) = match node.kind {
        StepKind::Condition => ("{\"", "\"}"),
        StepKind::HumanInteraction => ("([\"", "\"])"),
        StepKind::FanOut | StepKind::FanIn => ("[[\"", "\"]]"),
        StepKind::ToolCall | StepKind::CodeCall | StepKind::PromptCall | StepKind::AgentCall => {
            ("[\"", "\"]")
        }
    };
    format!("s{}{open}{label}{close}", node.index)
}

/// Everything that is not plainly text as an entity, so that no label is read as notation or markup.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_alphanumeric()
            || matches!(character, ' ' | '_' | '-' | '.' | ',' | '/' | '(' | ')')
        {
            escaped.push(character);
        } else if character.is_control() {
            escaped.push(' ');
        } else {
            let _ = write!(escaped, "#{};", u32::from(character));
        }
    }
    escaped
}

fn indent(level: usize) -> String {
    "    ".repeat(level)
}
