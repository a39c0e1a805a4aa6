//! What is before and after a step.

use super::Graph;

/// Whether `ancestor` must end before `step` can start.
pub(super) fn is_upstream(graph: &Graph, ancestor: usize, step: usize) -> bool {
    if ancestor >= graph.len() || step >= graph.len() {
        return false;
    }
    // edges connect siblings, so the question is one about the siblings that hold the two;
    // a fan-out ends after its body has, and a body step after its fan-out has started
    let Some((step, ancestor)) = graph.nesting.siblings(step, ancestor) else {
        return false;
    };
    if graph.dependencies(step).binary_search(&ancestor).is_ok() {
        return true;
    }
    let Some(order) = &graph.order else {
        return search(graph, ancestor, step, &|_| true, &|_| false);
    };
    let position = |step: usize| order.positions.get(step).copied().unwrap_or(usize::MAX);
    if step == ancestor || position(ancestor) >= position(step) {
        return false;
    }
    order.spans(ancestor, step)
        || search(
            graph,
            ancestor,
            step,
            &|between| position(between) > position(ancestor),
            &|between| order.spans(ancestor, between),
        )
}

/// Searches from `step` back to `ancestor`, through steps for which `worth` holds, and stops
/// with success where `known` does.
fn search(
    graph: &Graph,
    ancestor: usize,
    step: usize,
    worth: &dyn Fn(usize) -> bool,
    known: &dyn Fn(usize) -> bool,
) -> bool {
    let mut met = vec![false; graph.len()];
    let mut stack = vec![step];
    while let Some(at) = stack.pop() {
        for &next in graph.dependencies(at) {
            if next == ancestor {
                return true;
            }
            match met.get_mut(next) {
                Some(met) if !*met && worth(next) => {
                    if known(next) {
                        return true;
                    }
                    *met = true;
                    stack.push(next);
                }
                _ => {}
            }
        }
    }
    false
}

/// Every step that is reached from `step` and from the fan-outs around it, with the bodies of
/// what is reached.
pub(super) fn closure<'a>(
    graph: &'a Graph,
    step: usize,
    neighbours: impl Fn(&'a Graph, usize) -> &'a [usize],
) -> Vec<usize> {
    let mut met = vec![false; graph.len()];
    let mut stack = Vec::new();
    let mut around = (step < graph.len()).then_some(step);
    while let Some(at) = around {
        stack.extend_from_slice(neighbours(graph, at));
        around = graph.nesting.parent(at);
    }
    while let Some(at) = stack.pop() {
        match met.get_mut(at) {
            Some(met) if !*met => *met = true,
            _ => continue,
        }
        stack.extend_from_slice(neighbours(graph, at));
        stack.extend(
            graph
                .body(at)
                .iter()
                .filter(|inner| graph.nesting.parent(**inner) == Some(at)),
        );
    }
    let reached = met.iter().enumerate().filter(|(_, met)| **met);
    reached.map(|(step, _)| step).collect()
}
