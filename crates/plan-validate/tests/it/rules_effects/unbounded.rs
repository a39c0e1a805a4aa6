//! Lists without a length, and calls without a timeout.

use super::*;

fn fan(over: &str, more: Value) -> Value {
    let mut members = more;
    members["steps"] = json!([
        call(
            "find",
            "get",
            json!({}),
            json!({"outputs": [
                {"name": "rows", "value_type": "array"},
                {"name": "few", "value_type": "array", "schema": {"maxItems": 5, "items": {"type": "object", "properties": {"parts": {"maxItems": 2}}}}},
            ]})
        ),
        step(
            "each",
            "FAN_OUT",
            json!({"over": over, "item_var": "row", "spawn_steps": ["tell"]}),
            json!({})
        ),
        call("tell", "send", json!({"to": "${item.row}"}), json!({})),
    ]);
    with(members)
}

#[test]
fn a_list_of_unknown_length_without_a_limit_is_a_warning() {
    let found = |plan: &Value, policy: &Policy| of("P702", &found(plan, &acting(), policy));
    let plain = Policy::default();
    assert_eq!(
        found(&fan("find.rows", json!({})), &plain),
        [
            "/steps/1/config/over: nothing bounds how often `tell` acts: the list of `each` has no known length, and there is no limit"
        ]
    );
    assert_eq!(found(&fan("find.few", json!({})), &plain), [""; 0]);
    assert_eq!(
        found(
            &fan("${conf.rows}", json!({"config": {"rows": [1]}})),
            &plain
        ),
        [""; 0]
    );
    for limits in [
        json!({"max_fan_out_items": 9}),
        json!({"max_tool_calls": 9}),
    ] {
        assert_eq!(
            found(&fan("find.rows", json!({"limits": limits.clone()})), &plain),
            [""; 0]
        );
        assert_eq!(
            found(
                &fan("find.rows", json!({})),
                &policy(&json!({"limits": limits}))
            ),
            [""; 0]
        );
    }
    assert_eq!(
        found(
            &fan("find.rows", json!({"limits": {"max_steps": 9}})),
            &plain
        )
        .len(),
        1
    );
}

// P703

#[test]
fn a_call_that_others_answer_needs_a_timeout_somewhere() {
    let catalog = tools(json!([
        {"name": "web", "effects": {"open_world": true, "read_only": true}},
        {"name": "timed", "effects": {"open_world": true}, "timeout_secs": 5},
        {"name": "http", "effects": {"open_world": true}, "config": {"kind": "http", "base_url": "https://a.test", "timeout_secs": 5}},
        {"name": "local", "effects": {"open_world": false}},
        {"name": "unknown"},
    ]));
    let steps = json!([
        call("a", "web", json!({}), json!({})),
        call("b", "web", json!({}), json!({})),
        call("c", "web", json!({}), json!({"timeout_secs": 5})),
        call("d", "timed", json!({}), json!({})),
        call("e", "http", json!({}), json!({})),
        call("f", "local", json!({}), json!({})),
        call("g", "unknown", json!({}), json!({})),
        step(
            "h",
            "AGENT_CALL",
            json!({"objective": "x", "working_dir": "${input.folder}"}),
            json!({})
        ),
    ]);
    let plan = |more: Value| {
        let mut members = json!({"inputs": folder(), "steps": steps});
        members["limits"] = more;
        with(members)
    };
    let missing = found(&plan(json!({})), &catalog, &Policy::default());
    assert_eq!(
        of("P703", &missing),
        [
            "/steps/0/config/tool: the tool `web` reaches the open world, and nothing says how long a call may take",
            "/steps/7/config/objective: nothing says how long the agent may work",
        ]
    );
    let first = missing
        .iter()
        .find(|finding| finding.code == "P703")
        .unwrap();
    assert_eq!(related(first), ["/steps/1/config/tool: nor here"]);
    let bounded = plan(json!({"max_wall_secs": 60}));
    assert_eq!(
        of("P703", &found(&bounded, &catalog, &Policy::default())),
        [""; 0]
    );
}

#[test]
fn a_fan_outs_timeout_bounds_its_body() {
    let catalog =
        tools(json!([{"name": "web", "effects": {"open_world": true, "read_only": true}}]));
    let plan = with(json!({"config": {"rows": [1]}, "steps": [
        step("each", "FAN_OUT", json!({"over": "${conf.rows}", "item_var": "row", "spawn_steps": ["a"]}), json!({"timeout_secs": 60})),
        call("a", "web", json!({}), json!({})),
    ]}));
    assert_eq!(lines(&plan, &catalog, &Policy::default()), [""; 0]);
}
