//! The most that a plan can do.

use plan_validate::{Bounds, Context, Finding, Policy, ToolCatalog, check};
use serde_json::{Value, json};

use crate::catalogs::{catalog, document};
use crate::sample::{step, with};

fn tools() -> ToolCatalog {
    catalog(&json!({"planwright": 1, "tools": [
        {"name": "t", "effects": {"read_only": true}},
        {"name": "one", "effects": {"read_only": true}, "max_concurrency": 1, "timeout_secs": 60},
        {"name": "list", "effects": {"read_only": true}, "timeout_secs": 1, "output_schema": {"properties": {
            "rows": {"$ref": "#/$defs/rows"}}, "$defs": {"rows": {"type": "array", "maxItems": 4, "items": {
                "properties": {"parts": {"type": "array", "maxItems": 3}}}}}}},
    ]}))
}

fn bounds_under(members: &Value, policy: &Policy) -> Bounds {
    let (catalog, text) = (tools(), with(members.clone()).to_string());
    match check(&text, &Context::new(&catalog, policy)) {
        Ok(plan) => plan.bounds().clone(),
        Err(rejected) => panic!(
            "{:?}",
            rejected
                .findings()
                .iter()
                .map(Finding::line)
                .collect::<Vec<_>>()
        ),
    }
}

fn bounds(members: &Value) -> Bounds {
    bounds_under(members, &Policy::default())
}

fn findings(members: &Value, policy: &Policy) -> Vec<String> {
    let (catalog, text) = (tools(), with(members.clone()).to_string());
    match check(&text, &Context::new(&catalog, policy)) {
        Ok(plan) => plan.warnings().iter().map(Finding::line).collect(),
        Err(rejected) => rejected.findings().iter().map(Finding::line).collect(),
    }
}

/// The most driven time, as it is written.
fn wall(members: &Value) -> Option<String> {
    bounds(members).wall_secs.map(|span| span.to_string())
}

fn call(id: &str, tool: &str, after: &[&str], more: Value) -> Value {
    let mut more = more;
    more["depends_on"] = json!(after);
    step(
        id,
        "TOOL_CALL",
        json!({"tool": tool, "arguments": {}}),
        more,
    )
}

fn timed(id: &str, after: &[&str], secs: f64) -> Value {
    call(id, "t", after, json!({"timeout_secs": secs}))
}

fn fan(body: &[&str], over: &str, more: Value) -> Value {
    let mut config = json!({"over": over, "item_var": "row", "spawn_steps": body});
    if let Value::Object(members) = more {
        for (name, member) in members {
            config[name] = member;
        }
    }
    step("each", "FAN_OUT", config, json!({}))
}

#[test]
fn a_chain_takes_the_sum_of_its_timeouts() {
    let steps = json!([
        timed("a", &[], 60.0),
        timed("b", &["a"], 30.5),
        timed("c", &["b"], 10.0)
    ]);
    assert_eq!(wall(&json!({"steps": steps})).as_deref(), Some("100.5"));
    let serial = json!({"steps": steps, "limits": {"max_concurrency": 1}});
    assert_eq!(wall(&serial).as_deref(), Some("100.5"));
}

#[test]
fn what_runs_side_by_side_is_bounded_by_slots() {
    let steps: Vec<Value> = (0..6).map(|n| timed(&format!("s{n}"), &[], 10.0)).collect();
    let in_slots =
        |slots: u64| wall(&json!({"steps": steps, "limits": {"max_concurrency": slots}}));
    assert_eq!(in_slots(1).as_deref(), Some("60"));
    // Graham: 60/2 + 10 (1 - 1/2)
    assert_eq!(in_slots(2).as_deref(), Some("35"));
    let in_one_pool: Vec<Value> = (0..6)
        .map(|n| call(&format!("s{n}"), "one", &[], json!({"timeout_secs": 10})))
        .collect();
    assert_eq!(wall(&json!({"steps": in_one_pool})).as_deref(), Some("60"));
}

#[test]
fn the_shorter_of_two_timeouts_counts_and_none_is_no_bound() {
    let pair = |a: Value, b: Value| wall(&json!({"steps": [a, b]}));
    assert_eq!(
        pair(
            call("a", "one", &[], json!({"timeout_secs": 5})),
            timed("b", &["a"], 5.0)
        )
        .as_deref(),
        Some("10")
    );
    assert_eq!(
        pair(call("a", "one", &[], json!({})), timed("b", &["a"], 5.0)).as_deref(),
        Some("65")
    );
    assert_eq!(
        pair(call("a", "t", &[], json!({})), timed("b", &["a"], 5.0)),
        None
    );
}

#[test]
fn attempts_and_the_pauses_between_them_count() {
    let retry = json!({"max_attempts": 4, "delay_secs": 2, "backoff": true, "max_delay_secs": 5});
    let steps = json!([call(
        "a",
        "t",
        &[],
        json!({"timeout_secs": 10, "retry": retry})
    )]);
    // four attempts, and pauses of 2, 4 and 5
    assert_eq!(wall(&json!({"steps": steps})).as_deref(), Some("51"));
}

#[test]
fn people_are_waited_for_off_the_clock() {
    let steps = json!([
        timed("a", &[], 10.0),
        step(
            "ask",
            "HUMAN_INTERACTION",
            json!({"prompt": "Go on?", "response_field": "answer", "approval_required": true}),
            json!({"depends_on": ["a"]})
        ),
        timed("b", &["ask"], 10.0),
    ]);
    let bounds = bounds(&json!({"steps": steps}));
    assert_eq!(
        bounds.wall_secs.map(|span| span.to_string()).as_deref(),
        Some("20")
    );
    assert_eq!((bounds.ask_count, bounds.asks.len()), (1, 1));
}

#[test]
fn items_count_by_what_runs_side_by_side() {
    let each = |parallel: u64| {
        json!({"config": {"rows": [1, 2, 3, 4, 5]}, "steps": [
        fan(&["a", "b"], "${conf.rows}", json!({"max_parallel": parallel})), timed("a", &[], 10.0), timed("b", &["a"], 2.0)]})
    };
    assert_eq!(wall(&each(1)).as_deref(), Some("60"));
    let two = bounds(&each(2));
    assert_eq!((two.items, two.tool_calls), (5, 10));
    // three rounds of 12 s, and little for 64 slots
    let most = two.wall_secs.unwrap().as_millis();
    assert!((36_000..37_000).contains(&most), "{most}");
}

#[test]
fn a_fan_outs_own_timeout_ends_it() {
    let mut each = fan(&["a"], "list.rows", json!({}));
    each["timeout_secs"] = json!(30);
    let plan = json!({"steps": [call("list", "list", &[], json!({})), each, call("a", "t", &[], json!({}))]});
    let most = bounds(&plan).wall_secs.unwrap().as_millis();
    assert!((31_000..33_000).contains(&most), "{most}");
}

#[test]
fn of_two_branches_the_larger_one_counts() {
    let condition = step(
        "if",
        "CONDITION",
        json!({"expression": "conf.n == 1", "true_steps": ["a", "b"], "false_steps": ["c"]}),
        json!({}),
    );
    let plan = json!({"config": {"n": 1}, "limits": {"max_tool_calls": 3, "max_wall_secs": 100}, "steps": [
        condition, timed("a", &["if"], 10.0), timed("b", &["a"], 20.0), timed("c", &["if"], 25.0),
        call("d", "t", &["a", "c"], json!({"join": "any", "timeout_secs": 1})),
    ]});
    let bounds = bounds(&plan);
    assert_eq!((bounds.tool_calls, bounds.attempts), (3, 4));
    let most = bounds.wall_secs.unwrap().as_millis();
    assert!((30_000..32_000).contains(&most), "{most}");
}

#[test]
fn a_branch_inside_a_branch_counts_once() {
    let condition = |id: &str, yes: &[&str], no: &[&str], after: &[&str]| {
        step(
            id,
            "CONDITION",
            json!({"expression": "conf.n == 1", "true_steps": yes, "false_steps": no}),
            json!({"depends_on": after}),
        )
    };
    let plan = json!({"config": {"n": 1}, "steps": [
        condition("outer", &["inner"], &["c"], &[]),
        condition("inner", &["a"], &["b"], &["outer"]),
        timed("a", &["inner"], 1.0), timed("a2", &["a"], 1.0), timed("b", &["inner"], 1.0), timed("c", &["outer"], 1.0),
        timed("always", &[], 1.0),
    ]});
    assert_eq!(bounds(&plan).tool_calls, 3);
}

#[test]
fn a_list_is_as_long_as_its_schema_allows() {
    let over = |list: &str| {
        bounds(&json!({"steps": [
        call("list", "list", &[], json!({})), fan(&["a"], list, json!({})), timed("a", &[], 1.0)]}))
        .items
    };
    assert_eq!(over("list.rows"), 4);
    assert_eq!(over("${step.list.rows[0].parts}"), 3);
    assert_eq!(over("list.other"), 10_000);
}

#[test]
fn a_list_over_the_limit_of_items_is_found_by_its_schema() {
    let plan = |limit: u64| {
        json!({"limits": {"max_fan_out_items": limit}, "steps": [
        call("list", "list", &[], json!({})), fan(&["a"], "list.rows", json!({})), timed("a", &[], 1.0)]})
    };
    assert_eq!(findings(&plan(4), &Policy::default()), [""; 0]);
    assert_eq!(
        findings(&plan(3), &Policy::default()),
        ["P701 /steps/1/config/over: the list has up to 4 items, over the limit of 3"]
    );
}

#[test]
fn time_over_a_limit_is_found_under_plan_and_policy() {
    let steps = json!([timed("a", &[], 60.0), timed("b", &["a"], 60.0)]);
    let own = json!({"steps": steps, "limits": {"max_wall_secs": 119.5}});
    assert_eq!(
        findings(&own, &Policy::default()),
        ["P701 /limits/max_wall_secs: the plan takes up to 120 seconds, and allows itself 119.5"]
    );
    let policy = |secs: u64| {
        Policy::from_document(&document(&json!({"limits": {"max_wall_secs": secs}}))).unwrap()
    };
    let plan = json!({"steps": steps});
    assert_eq!(findings(&plan, &policy(120)), [""; 0]);
    assert_eq!(
        findings(&plan, &policy(100)),
        ["P701 /steps: the plan takes up to 120 seconds, and the policy allows 100"]
    );
}

#[test]
fn sums_saturate() {
    let each = |id: &str, body: &str| {
        step(
            id,
            "FAN_OUT",
            json!({"over": "list.other", "item_var": id, "spawn_steps": [body]}),
            json!({}),
        )
    };
    let mut steps = vec![call("list", "list", &[], json!({}))];
    let names: Vec<String> = (0..6).map(|n| format!("f{n}")).collect();
    for (at, name) in names.iter().enumerate() {
        steps.push(each(name, names.get(at + 1).map_or("a", String::as_str)));
    }
    steps.push(call(
        "a",
        "t",
        &[],
        json!({"timeout_secs": 9_000_000, "retry": {"max_attempts": 64, "delay_secs": 1}}),
    ));
    let bounds = bounds(&json!({"steps": steps}));
    assert_eq!(bounds.tool_calls, u64::MAX);
    assert!(bounds.wall_secs.is_some());
}

#[test]
fn bounds_are_json_with_seconds_as_a_number() {
    let json = serde_json::to_value(bounds(&json!({"steps": [timed("a", &[], 1.5)]}))).unwrap();
    assert_eq!(json["wall_secs"], json!(1.5));
    assert_eq!(json["ask_count"], json!(0));
    let open =
        serde_json::to_value(bounds(&json!({"steps": [call("a", "t", &[], json!({}))]}))).unwrap();
    assert!(open.get("wall_secs").is_none());
}
