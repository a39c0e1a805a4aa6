//! Laws of the graph, against slow and plain definitions.

use std::collections::BTreeMap;

use plan_model::{
    FailurePolicy, FanOut, Graph, ItemName, Join, Metadata, OnError, OnItemError, Plan, PlanId,
    PlanLimits, PlanStatus, Reference, Step, StepConfig, StepId, Template, Timestamp, ToolCall,
    ToolName,
};
use proptest::prelude::*;
use serde_json::json;

fn id(step: usize) -> StepId {
    StepId::new(format!("s{step}")).unwrap()
}

fn step(step: usize, depends_on: &[usize], config: StepConfig) -> Step {
    Step {
        id: id(step),
        name: String::new(),
        description: None,
        config,
        depends_on: depends_on.iter().map(|step| id(*step)).collect(),
        outputs: Vec::new(),
        timeout_secs: None,
        retry: None,
        join: Join::All,
        on_error: OnError::Fail,
    }
}

fn plan(steps: Vec<Step>) -> Plan {
    Plan {
        metadata: Metadata {
            id: PlanId::of_bytes(b"law"),
            version: 1,
            created_at: Timestamp::default(),
            updated_at: Timestamp::default(),
            compiled_by: None,
            intent: None,
            parent_plan_id: None,
            parent_version: None,
            status: PlanStatus::Published,
            solution_design: None,
        },
        name: String::new(),
        description: None,
        inputs: Vec::new(),
        config: BTreeMap::new(),
        steps,
        outputs: Vec::new(),
        limits: PlanLimits::default(),
        failure_policy: FailurePolicy::Stop,
    }
}

/// A plan of tool calls: every second edge is a reference. A step with a body is a fan-out.
fn plan_of(edges: &[Vec<usize>], bodies: &[Vec<usize>]) -> Plan {
    let steps = edges.iter().enumerate().map(|(index, edges)| {
        let body = bodies.get(index).map(Vec::as_slice).unwrap_or_default();
        let (declared, read): (Vec<usize>, Vec<usize>) =
            edges.iter().partition(|edge| *edge % 2 == 0);
        if !body.is_empty() {
            return step(
                index,
                edges,
                StepConfig::FanOut(FanOut {
                    over: Reference::parse("input.rows").unwrap(),
                    item_var: ItemName::new("row").unwrap(),
                    spawn_steps: body.iter().map(|step| id(*step)).collect(),
                    until: None,
                    max_parallel: 1,
                    on_item_error: OnItemError::Fail,
                }),
            );
        }
        let texts: Vec<String> = read
            .iter()
            .map(|step| format!("${{step.{}.x}}", id(*step)))
            .collect();
        step(
            index,
            &declared,
            StepConfig::ToolCall(ToolCall {
                tool: ToolName::new("t").unwrap(),
                arguments: [("a".to_owned(), Template::parse(json!(texts)).unwrap())].into(),
            }),
        )
    });
    plan(steps.collect())
}

const STEPS: usize = 9;

fn any_edges() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(prop::collection::vec(0..STEPS + 2, 0..3), STEPS)
}

/// Edges that follow a random order of the steps, and so close no cycle.
fn acyclic_edges() -> impl Strategy<Value = Vec<Vec<usize>>> {
    let ranks = Just((0..STEPS).collect::<Vec<usize>>()).prop_shuffle();
    (any_edges(), ranks).prop_map(|(edges, ranks)| {
        let keep =
            |step: usize, edge: &usize| ranks.get(*edge).is_some_and(|rank| *rank < ranks[step]);
        let kept = edges.into_iter().enumerate();
        kept.map(|(step, edges)| edges.into_iter().filter(|edge| keep(step, edge)).collect())
            .collect()
    })
}

fn bodies() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(
        prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(0..STEPS, 1..4)],
        STEPS,
    )
}

/// Which steps each step reaches, by repeating until nothing changes.
fn closure(edges: &[Vec<usize>]) -> Vec<Vec<bool>> {
    let count = edges.len();
    let mut reached = vec![vec![false; count]; count];
    for (step, edges) in edges.iter().enumerate() {
        for edge in edges.iter().filter(|edge| **edge < count) {
            reached[step][*edge] = true;
        }
    }
    for middle in 0..count {
        for from in 0..count {
            if reached[from][middle] {
                let further = reached[middle].clone();
                for (to, further) in reached[from].iter_mut().zip(further) {
                    *to |= further;
                }
            }
        }
    }
    reached
}

/// Again and again the first step in document order of which all dependencies are done.
fn first_ready(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    while let Some(next) = (0..edges.len()).find(|step| {
        !order.contains(step)
            && edges[*step]
                .iter()
                .all(|edge| *edge >= edges.len() || order.contains(edge))
    }) {
        order.push(next);
    }
    order
}

proptest! {
    #[test]
    fn the_order_is_the_first_ready_one(edges in acyclic_edges()) {
        let graph = Graph::new(&plan_of(&edges, &[]));
        prop_assert_eq!(graph.order().map(<[usize]>::to_vec), Some(first_ready(&edges)));
        prop_assert!(graph.cycles().is_empty());
        let groups = graph.groups();
        let group = |step: usize| groups.iter().position(|group| group.contains(&step)).unwrap();
        for step in 0..edges.len() {
            let deepest = graph.dependencies(step).iter().map(|before| group(*before) + 1).max();
            prop_assert_eq!(group(step), deepest.unwrap_or(0));
        }
    }

    #[test]
    fn upstream_is_what_is_reached(edges in prop_oneof![any_edges(), acyclic_edges()]) {
        let graph = Graph::new(&plan_of(&edges, &[]));
        let reached = closure(&edges);
        for (step, reaches) in reached.iter().enumerate() {
            let expected: Vec<usize> = (0..edges.len()).filter(|before| reaches[*before]).collect();
            prop_assert_eq!(&graph.upstream(step), &expected);
            for (before, reaches) in reaches.iter().enumerate() {
                prop_assert_eq!(graph.is_upstream(before, step), *reaches);
            }
            let after: Vec<usize> = (0..edges.len()).filter(|after| reached[*after][step]).collect();
            prop_assert_eq!(graph.downstream(step), after);
        }
    }

    #[test]
    fn cycles_have_exactly_those_that_reach_themselves(edges in any_edges()) {
        let graph = Graph::new(&plan_of(&edges, &[]));
        let reached = closure(&edges);
        let mut expected: Vec<Vec<usize>> = Vec::new();
        for step in (0..edges.len()).filter(|step| reached[*step][*step]) {
            let members = (0..edges.len()).filter(|other| reached[step][*other] && reached[*other][step]);
            let members: Vec<usize> = members.collect();
            if members.first() == Some(&step) {
                expected.push(members);
            }
        }
        prop_assert_eq!(graph.cycle_members(), expected.clone());
        prop_assert_eq!(graph.order().is_none(), !expected.is_empty());
        for (walk, members) in graph.cycles().iter().zip(&expected) {
            prop_assert_eq!(walk.first(), members.first());
            for (at, step) in walk.iter().enumerate() {
                let next = walk[(at + 1) % walk.len()];
                prop_assert!(members.contains(step));
                prop_assert!(graph.dependencies(*step).contains(&next));
            }
            let mut steps = walk.clone();
            steps.sort_unstable();
            steps.dedup();
            prop_assert_eq!(steps.len(), walk.len());
        }
    }

    #[test]
    fn bodies_keep_the_order_sound(edges in any_edges(), bodies in bodies()) {
        let graph = Graph::new(&plan_of(&edges, &bodies));
        prop_assert_eq!(graph.order().is_none(), !graph.cycles().is_empty());
        let Some(order) = graph.order() else { return Ok(()); };
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..edges.len()).collect::<Vec<_>>());
        let position = |step: usize| order.iter().position(|at| *at == step).unwrap();
        for step in 0..edges.len() {
            for before in graph.dependencies(step) {
                prop_assert!(position(*before) < position(step));
                prop_assert!(graph.is_upstream(*before, step));
                prop_assert!(!graph.origins(step, *before).is_empty());
                prop_assert!(graph.dependents(*before).contains(&step));
            }
            for before in graph.raw_dependencies(step) {
                let nested = graph.is_inside(step, *before) || graph.is_inside(*before, step);
                prop_assert!(nested || position(*before) < position(step));
                prop_assert!(nested || graph.is_upstream(*before, step));
            }
            for outer in (0..edges.len()).filter(|outer| graph.is_inside(step, *outer)) {
                prop_assert!(position(step) < position(outer));
                prop_assert!(!graph.is_upstream(step, outer) && !graph.is_upstream(outer, step));
            }
            let upstream: Vec<usize> = (0..edges.len()).filter(|before| graph.is_upstream(*before, step)).collect();
            prop_assert_eq!(graph.upstream(step), upstream);
            let downstream: Vec<usize> = (0..edges.len()).filter(|after| graph.is_upstream(step, *after)).collect();
            prop_assert_eq!(graph.downstream(step), downstream);
        }
    }
}

#[test]
fn a_long_chain_is_no_deeper_than_a_short_one() {
    let chain: Vec<Vec<usize>> = (0..20_000_usize)
        .map(|step| step.checked_sub(1).into_iter().collect())
        .collect();
    let graph = Graph::new(&plan_of(&chain, &[]));
    assert_eq!(graph.groups().len(), chain.len());
    for step in 1..chain.len() {
        assert!(graph.is_upstream(0, step));
        assert!(!graph.is_upstream(step, 0));
    }

    let ring: Vec<Vec<usize>> = (0..20_000_usize)
        .map(|step| vec![(step + 1) % 20_000])
        .collect();
    let graph = Graph::new(&plan_of(&ring, &[]));
    assert_eq!(graph.cycles(), [(0..20_000).collect::<Vec<_>>()]);
}
