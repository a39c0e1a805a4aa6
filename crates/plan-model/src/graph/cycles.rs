//! Cycles: who is in them, and one way round each.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::Graph;

/// The members of each cycle, in document order.
pub(super) fn components(graph: &Graph) -> Vec<Vec<usize>> {
    components_without(graph, &BTreeSet::new())
}

/// The same in the graph that is left when some steps are taken out.
pub(super) fn components_without(graph: &Graph, left_out: &BTreeSet<usize>) -> Vec<Vec<usize>> {
    if graph.order().is_some() {
        return Vec::new();
    }
    let mut edges: DiGraph<(), ()> = DiGraph::with_capacity(graph.len(), graph.len());
    for _ in 0..graph.len() {
        edges.add_node(());
    }
    for step in (0..graph.len()).filter(|step| !left_out.contains(step)) {
        let dependencies = graph.dependencies(step).iter();
        for dependency in dependencies.filter(|dependency| !left_out.contains(dependency)) {
            edges.add_edge(NodeIndex::new(step), NodeIndex::new(*dependency), ());
        }
    }
    let mut components: Vec<Vec<usize>> = kosaraju_scc(&edges)
        .into_iter()
        .map(|members| members.into_iter().map(NodeIndex::index).collect())
        .filter(|members: &Vec<usize>| match members.as_slice() {
            [alone] => !left_out.contains(alone) && graph.dependencies(*alone).contains(alone),
            _ => true,
        })
        .collect();
    for members in &mut components {
        members.sort_unstable();
    }
    components.sort_unstable();
    components
}

/// A shortest closed walk from the first member back to it, through members only.
pub(super) fn walk(graph: &Graph, members: &[usize]) -> Vec<usize> {
    let Some(&first) = members.first() else {
        return Vec::new();
    };
    if members.len() == 1 {
        return vec![first];
    }
    // from where each member was met
    let mut met: BTreeMap<usize, usize> = BTreeMap::new();
    let mut queue = VecDeque::from([first]);
    while let Some(step) = queue.pop_front() {
        for &next in graph.dependencies(step) {
            if next == first && step != first {
                return trace(&met, first, step);
            }
            let inside = next != first && members.binary_search(&next).is_ok();
            if inside && !met.contains_key(&next) {
                met.insert(next, step);
                queue.push_back(next);
            }
        }
    }
    // not reached: in a component every member leads back to the first
    vec![first]
}

fn trace(met: &BTreeMap<usize, usize>, first: usize, last: usize) -> Vec<usize> {
    let mut walk = vec![last];
    let mut at = last;
    while let Some(&before) = met.get(&at) {
        walk.push(before);
        if before == first {
            break;
        }
        at = before;
    }
    walk.reverse();
    walk
}
