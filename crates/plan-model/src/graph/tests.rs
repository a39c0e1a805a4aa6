//! The graph of small plans.

use super::*;
use crate::{
    Condition, Expression, FailurePolicy, FanIn, FanOut, ItemName, Join, Limits, Metadata, OnError,
    OnItemError, OutputName, PlanId, PlanLimits, PlanStatus, Reference, Step, StepConfig, Template,
    Timestamp, ToolCall, ToolName,
};
use serde_json::json;

fn id(text: &str) -> StepId {
    StepId::new(text).unwrap()
}

fn ids(text: &str) -> Vec<StepId> {
    text.split_whitespace().map(id).collect()
}

/// A tool call that waits for `after` and reads `reads`.
fn call(name: &str, after: &str, reads: &str) -> Step {
    let reads: Vec<String> = reads
        .split_whitespace()
        .map(|id| format!("${{step.{id}.x}}"))
        .collect();
    let config = StepConfig::ToolCall(ToolCall {
        tool: ToolName::new("t").unwrap(),
        arguments: [("a".to_owned(), Template::parse(json!(reads)).unwrap())].into(),
    });
    step(name, after, config)
}

fn fan_out(name: &str, after: &str, over: &str, body: &str) -> Step {
    let config = StepConfig::FanOut(FanOut {
        over: Reference::parse_list_source(over, &mut ()).unwrap(),
        item_var: ItemName::new("row").unwrap(),
        spawn_steps: ids(body),
        until: None,
        max_parallel: 1,
        on_item_error: OnItemError::Fail,
    });
    step(name, after, config)
}

fn fan_in(name: &str, from: &str) -> Step {
    let config = StepConfig::FanIn(FanIn {
        from_steps: ids(from),
        collect_field: OutputName::new("all").unwrap(),
    });
    step(name, "", config)
}

fn condition(name: &str, expression: &str, yes: &str, no: &str) -> Step {
    let config = StepConfig::Condition(Condition {
        expression: Expression::parse(expression, &Limits::default()).unwrap(),
        true_steps: ids(yes),
        false_steps: ids(no),
    });
    step(name, "", config)
}

fn step(name: &str, after: &str, config: StepConfig) -> Step {
    Step {
        id: id(name),
        name: name.to_owned(),
        description: None,
        config,
        depends_on: ids(after),
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
            id: PlanId::of_bytes(b"test"),
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
        name: "test".to_owned(),
        description: None,
        inputs: Vec::new(),
        config: std::collections::BTreeMap::new(),
        steps,
        outputs: Vec::new(),
        limits: PlanLimits::default(),
        failure_policy: FailurePolicy::Stop,
    }
}

fn graph(steps: Vec<Step>) -> Graph {
    Graph::new(&plan(steps))
}

#[test]
fn edges_come_from_every_origin() {
    use EdgeOrigin::{Declared, Reference};
    let graph = graph(vec![
        call("a", "", ""),
        call("b", "a", "a"),
        call("c", "b", "a"),
        fan_in("d", "c a"),
    ]);
    assert_eq!(graph.dependencies(1), [0]);
    assert_eq!(graph.dependencies(2), [0, 1]);
    assert_eq!(graph.dependencies(3), [0, 2]);
    assert_eq!(graph.dependents(0), [1, 2, 3]);
    assert_eq!(graph.origins(1, 0), [Declared, Reference]);
    assert_eq!(graph.origins(2, 0), [Reference]);
    assert_eq!(graph.origins(2, 1), [Declared]);
    assert_eq!(graph.origins(3, 0), [Reference]);
    assert_eq!(graph.origins(0, 3), []);
    assert_eq!(graph.groups(), [vec![0], vec![1], vec![2], vec![3]]);
}

#[test]
fn case_01_a_repeated_dependency_changes_nothing() {
    let graph = graph(vec![call("late", "early early", ""), call("early", "", "")]);
    assert_eq!(graph.dependencies(0), [1]);
    assert_eq!(graph.order(), Some([1, 0].as_slice()));
}

#[test]
fn case_02_a_repeated_id_means_its_first_step() {
    let graph = graph(vec![
        call("a", "", ""),
        call("twin", "a", ""),
        call("twin", "b", ""),
        call("b", "twin", ""),
    ]);
    assert_eq!(graph.index_of(&id("twin")), Some(1));
    assert_eq!(graph.dependencies(3), [1]);
    assert!(graph.cycles().is_empty());
    assert_eq!(graph.order(), Some([0, 1, 3, 2].as_slice()));
}

#[test]
fn case_03_a_cycle_has_only_its_members() {
    let steps = || {
        vec![
            call("x", "", ""),
            call("a", "b x", ""),
            call("b", "a", ""),
            call("innocent", "b", ""),
            call("self", "self", ""),
        ]
    };
    let graph = graph(steps());
    assert_eq!(graph.cycles(), [vec![1, 2], vec![4]]);
    assert_eq!(graph.cycle_members(), [vec![1, 2], vec![4]]);
    assert_eq!(graph.order(), None);
    assert!(graph.groups().is_empty());
    assert_eq!(super::Graph::new(&plan(steps())).cycles(), graph.cycles());
}

#[test]
fn a_walk_goes_from_each_step_to_one_that_it_waits_for() {
    let graph = graph(vec![
        call("a", "c", ""),
        call("b", "a", ""),
        call("c", "b d", ""),
        call("d", "e", ""),
        call("e", "a", ""),
    ]);
    assert_eq!(graph.cycles(), [vec![0, 2, 1]]);
    assert_eq!(graph.cycle_members(), [vec![0, 1, 2, 3, 4]]);
}

#[test]
fn case_13_a_forward_reference_is_put_in_order() {
    let graph = graph(vec![
        call("a", "", "c"),
        call("b", "", ""),
        call("c", "b", ""),
    ]);
    assert_eq!(graph.order(), Some([1, 2, 0].as_slice()));
}

#[test]
fn unknown_names_add_nothing() {
    let graph = graph(vec![call("a", "ghost", "phantom"), fan_in("b", "spirit a")]);
    assert!(graph.dependencies(0).is_empty());
    assert_eq!(graph.dependencies(1), [0]);
}

#[test]
fn ties_are_in_document_order() {
    let graph = graph(vec![
        call("d", "z", ""),
        call("b", "", ""),
        call("a", "", ""),
        call("z", "", ""),
        call("c", "b", ""),
    ]);
    assert_eq!(graph.order(), Some([1, 2, 3, 0, 4].as_slice()));
    assert_eq!(graph.groups(), [vec![1, 2, 3], vec![0, 4]]);
}

#[test]
fn a_body_gives_its_outside_edges_to_its_owner() {
    use EdgeOrigin::{Body, Reference};
    let graph = graph(vec![
        call("list", "", ""),
        call("config", "", ""),
        fan_out("each", "", "list.rows", "fetch store"),
        call("fetch", "", "config"),
        call("store", "", "fetch list"),
        call("after", "each", ""),
    ]);
    assert_eq!(graph.dependencies(2), [0, 1]);
    assert_eq!(graph.origins(2, 0), [Reference, Body]);
    assert_eq!(graph.origins(2, 1), [Body]);
    // inside the body
    assert!(graph.dependencies(3).is_empty());
    assert_eq!(graph.dependencies(4), [3]);
    assert_eq!(graph.raw_dependencies(4), [0, 3]);
    assert_eq!(graph.raw_origins(4, 0), [Reference]);
    assert_eq!(graph.owner(4), Some(2));
    assert_eq!(graph.body(2), [3, 4]);
    assert!(graph.is_inside(4, 2));
    // the owner ends after its body
    assert_eq!(graph.order(), Some([0, 1, 3, 4, 2, 5].as_slice()));
    assert_eq!(graph.groups(), [vec![0, 1], vec![2], vec![5]]);

    assert!(graph.is_upstream(1, 4), "what the owner waits for");
    assert!(graph.is_upstream(3, 4), "a sibling");
    assert!(graph.is_upstream(3, 5), "the body of what is waited for");
    assert!(!graph.is_upstream(3, 2), "the owner starts before its body");
    assert!(!graph.is_upstream(2, 3), "the owner ends after its body");
    assert!(!graph.is_upstream(5, 0));
    assert_eq!(graph.downstream(1), [2, 3, 4, 5]);
    assert_eq!(graph.downstream(3), [4, 5]);
    assert_eq!(graph.upstream(4), [0, 1, 3]);
    assert_eq!(graph.upstream(5), [0, 1, 2, 3, 4]);
}

#[test]
fn an_outside_reader_of_a_body_step_waits_for_the_owner() {
    let graph = graph(vec![
        fan_out("each", "", "input.rows", "inner"),
        call("inner", "", ""),
        call("peek", "", "inner"),
    ]);
    assert_eq!(graph.dependencies(2), [0]);
    assert_eq!(graph.raw_dependencies(2), [1]);
}

#[test]
fn a_cycle_within_a_body_is_a_cycle() {
    let graph = graph(vec![
        fan_out("each", "", "input.rows", "a b"),
        call("a", "b", ""),
        call("b", "a", ""),
    ]);
    assert_eq!(graph.cycles(), [vec![1, 2]]);
}

#[test]
fn a_body_that_waits_for_what_waits_for_its_owner_is_a_cycle_of_the_owner() {
    let graph = graph(vec![
        fan_out("each", "", "input.rows", "a"),
        call("a", "after", ""),
        call("after", "each", ""),
    ]);
    assert_eq!(graph.cycles(), [vec![0, 2]]);
}

#[test]
fn an_edge_between_a_body_and_its_own_owner_is_none_of_the_effective_graph() {
    let graph = graph(vec![
        fan_out("each", "", "input.rows", "a"),
        call("a", "each", ""),
    ]);
    assert!(graph.dependencies(0).is_empty());
    assert!(graph.dependencies(1).is_empty());
    assert_eq!(graph.raw_dependencies(1), [0]);
    assert!(graph.order().is_some());
}

#[test]
fn case_08_fan_outs_that_own_each_other_are_taken_apart() {
    let graph = graph(vec![
        fan_out("f", "", "input.rows", "g"),
        fan_out("g", "", "input.rows", "f a"),
        call("a", "", "f"),
        fan_out("own", "", "input.rows", "own"),
    ]);
    assert_eq!(graph.owner(0), Some(1));
    assert_eq!(graph.owner(1), Some(0));
    assert_eq!(graph.owner(3), None);
    assert_eq!(graph.order(), Some([0, 2, 1, 3].as_slice()));
}

#[test]
fn a_search_finds_what_no_spanning_tree_holds() {
    // two diamonds one after the other
    let graph = graph(vec![
        call("a", "", ""),
        call("b", "a", ""),
        call("c", "a", ""),
        call("d", "b c", ""),
        call("e", "d", ""),
        call("f", "d", ""),
        call("g", "e f", ""),
        call("other", "", ""),
    ]);
    for ancestor in 0..6 {
        assert!(graph.is_upstream(ancestor, 6), "{ancestor}");
    }
    assert!(!graph.is_upstream(1, 2));
    assert!(!graph.is_upstream(7, 6));
    assert!(!graph.is_upstream(6, 6));
    assert!(!graph.is_upstream(99, 6));
}

#[test]
fn branches_know_their_conditions_and_are_no_edges() {
    let graph = graph(vec![
        condition(
            "ask",
            "step.judge.score > 1",
            "good both ghost",
            "bad both both",
        ),
        call("judge", "", ""),
        call("good", "", ""),
        call("bad", "", ""),
        call("both", "", ""),
    ]);
    assert_eq!(graph.dependencies(0), [1]);
    assert!(graph.dependencies(2).is_empty());
    assert_eq!(graph.branch_of(2), [(0, true)]);
    assert_eq!(graph.branch_of(3), [(0, false)]);
    assert_eq!(graph.branch_of(4), [(0, false), (0, true)]);
    assert!(graph.branch_of(1).is_empty());
}
