//! `WorFBench`: gold graphs of subtasks, for the graph's order and groups.

use std::collections::{BTreeMap, BTreeSet};

use planwright::ToolCatalog;
use regex::Regex;
use serde_json::{Value, json};

use super::rows::{Corpora, CorpusTest, Verdict};

pub(crate) const TESTS: &[CorpusTest] = &[CorpusTest {
    name: "worfbench::order_and_groups_agree_with_the_edges",
    run: order_and_groups,
}];

fn order_and_groups(corpora: &Corpora) {
    let catalog = ToolCatalog::from_names(["subtask"]).unwrap();
    for row in corpora.rows("worfbench/cases_sample.jsonl") {
        let id = &row["id"];
        let gold = row["conversations"].as_array().unwrap().last().unwrap()["content"]
            .as_str()
            .unwrap();
        let (nodes, edges) = parse(gold);
        assert!(!nodes.is_empty(), "{id}: no node in {gold}");
        let verdict = Verdict::of(&planner_list(&nodes, &edges), &catalog);
        let plan = verdict
            .plan
            .unwrap_or_else(|| panic!("{id}: {:#?}", verdict.findings));
        let graph = plan.graph();

        let index: BTreeMap<u32, usize> = nodes
            .iter()
            .enumerate()
            .map(|(index, node)| (*node, index))
            .collect();
        let expected: BTreeSet<(usize, usize)> = edges
            .iter()
            .map(|(from, to)| (index[from], index[to]))
            .collect();
        let found: BTreeSet<(usize, usize)> = (0..nodes.len())
            .flat_map(|step| {
                graph
                    .dependencies(step)
                    .iter()
                    .map(move |dependency| (*dependency, step))
            })
            .collect();
        assert_eq!(found, expected, "{id}: edges");

        let order = graph.order().unwrap();
        assert_eq!(
            order.iter().copied().collect::<BTreeSet<_>>(),
            (0..nodes.len()).collect(),
            "{id}: order"
        );
        let position: BTreeMap<usize, usize> = order
            .iter()
            .enumerate()
            .map(|(at, step)| (*step, at))
            .collect();
        let groups = graph.groups();
        let group: BTreeMap<usize, usize> = groups
            .iter()
            .enumerate()
            .flat_map(|(at, steps)| steps.iter().map(move |step| (*step, at)))
            .collect();
        for (from, to) in &expected {
            assert!(position[from] < position[to], "{id}: {from} before {to}");
        }
        for step in 0..nodes.len() {
            let deepest = expected
                .iter()
                .filter(|(_, to)| *to == step)
                .map(|(from, _)| group[from] + 1)
                .max();
            assert_eq!(group[&step], deepest.unwrap_or(0), "{id}: group of {step}");
        }
    }
}

/// The numbers of the nodes, and the edges between them.
fn parse(gold: &str) -> (Vec<u32>, BTreeSet<(u32, u32)>) {
    let (nodes, edges) = gold.split_once("Edge").unwrap();
    let node = Regex::new(r"(?m)^(\d+)[.:]").unwrap();
    let edge = Regex::new(r"\((\d+),\s*(\d+)\)").unwrap();
    let numbers = |text: &str| text.parse::<u32>().unwrap();
    (
        node.captures_iter(nodes)
            .map(|found| numbers(&found[1]))
            .collect(),
        edge.captures_iter(edges)
            .map(|found| (numbers(&found[1]), numbers(&found[2])))
            .collect(),
    )
}

fn planner_list(nodes: &[u32], edges: &BTreeSet<(u32, u32)>) -> Value {
    let steps: Vec<Value> = nodes
        .iter()
        .map(|node| {
            let after: Vec<String> = edges
                .iter()
                .filter(|(_, to)| to == node)
                .map(|(from, _)| from.to_string())
                .collect();
            json!({"name": node.to_string(), "tool": "subtask", "args": {}, "after": after})
        })
        .collect();
    json!({ "steps": steps })
}
