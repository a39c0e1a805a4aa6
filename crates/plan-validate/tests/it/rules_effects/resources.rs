//! Paths that unordered steps share, and calls that are made twice.

use super::*;

fn file_tools() -> ToolCatalog {
    let path = |kind: &str| json!({"properties": {"path": {"type": "string", "x-path-kind": kind}, "n": {}}});
    tools(json!([
        {"name": "write", "input_schema": path("output_file_path")},
        {"name": "read", "input_schema": path("file_path")},
        {"name": "delete", "effects": {"destructive": true, "open_world": false}, "input_schema": path("file_path")},
        {"name": "list", "input_schema": path("directory_path")},
        {"name": "put", "effects": {"read_only": false, "open_world": false}},
        {"name": "get", "effects": {"read_only": true, "open_world": false}},
        {"name": "post", "effects": {"read_only": false, "open_world": true}, "timeout_secs": 5},
        {"name": "unknown"},
    ]))
}

fn at(id: &str, tool: &str, path: &str, after: &[&str]) -> Value {
    call(
        id,
        tool,
        json!({"path": path, "n": id}),
        json!({"depends_on": after}),
    )
}

#[expect(clippy::needless_pass_by_value, reason = "a literal at every call")]
fn shared(steps: Value) -> Vec<String> {
    of(
        "P612",
        &found(
            &with(json!({"config": {"out": "/x"}, "steps": steps})),
            &file_tools(),
            &Policy::default(),
        ),
    )
}

#[test]
fn two_unordered_steps_at_one_path_are_found_once() {
    let steps = json!([
        at("a", "write", "/x", &[]),
        at("b", "read", "/./x", &[]),
        at("c", "read", "/x/", &[])
    ]);
    assert_eq!(
        shared(steps.clone()),
        [
            "/steps/1/config/arguments/path: `b` reads `/x` and `a` writes it, and nothing says which comes first"
        ]
    );
    let found = found(&plan(steps), &file_tools(), &Policy::default());
    let shared = found.iter().find(|finding| finding.code == "P612").unwrap();
    assert_eq!(
        related(shared),
        [
            "/steps/0/config/arguments/path: writes",
            "/steps/2/config/arguments/path: reads"
        ]
    );
    assert!(
        matches!(&shared.suggestions[0].edit, Some(Edit::Set { pointer, value })
        if pointer.as_str() == "/steps/1/depends_on" && *value == json!(["a"]))
    );
    for (one, other) in [
        ("put", "get"),
        ("get", "put"),
        ("delete", "read"),
        ("write", "put"),
    ] {
        assert_eq!(shared_count(one, "/x", other, "/x"), 1, "{one} {other}");
    }
    assert_eq!(shared_count("write", "/x", "read", "${conf.out}"), 1);
}

fn shared_count(one: &str, path: &str, other: &str, other_path: &str) -> usize {
    shared(json!([
        at("a", one, path, &[]),
        at("b", other, other_path, &[])
    ]))
    .len()
}

#[test]
fn what_is_ordered_or_only_read_or_elsewhere_is_not_shared() {
    for (one, other) in [
        ("read", "read"),
        ("get", "read"),
        ("list", "write"),
        ("post", "post"),
        ("unknown", "unknown"),
        ("read", "post"),
    ] {
        assert_eq!(shared_count(one, "/x", other, "/x"), 0, "{one} {other}");
    }
    assert_eq!(shared_count("write", "/x", "read", "/y"), 0);
    assert_eq!(shared_count("put", "plain words", "put", "plain words"), 0);
    let ordered = json!([
        at("a", "write", "/x", &[]),
        at("between", "list", "/", &["a"]),
        at("b", "read", "/x", &["between"]),
        at("c", "read", "/x", &["a"]),
        at("d", "write", "/x", &["b", "c"]),
    ]);
    assert_eq!(shared(ordered), [""; 0]);
    let late = json!([
        at("a", "write", "/x", &[]),
        at("b", "read", "/x", &["a"]),
        at("c", "read", "/x", &["a"]),
        at("d", "write", "/x", &["b"])
    ]);
    assert_eq!(shared(late).len(), 1);
}

#[test]
fn steps_of_opposite_branches_share_nothing() {
    let condition = step(
        "if",
        "CONDITION",
        json!({"expression": "conf.out == '/x'", "true_steps": ["a"], "false_steps": ["b"]}),
        json!({}),
    );
    let steps = json!([
        condition,
        at("a", "write", "/x", &[]),
        at("b", "write", "/y", &[]),
        at("c", "write", "/x", &["b"])
    ]);
    assert_eq!(shared(steps), [""; 0]);
}

#[test]
fn items_side_by_side_share_a_path_with_themselves() {
    let fan = |parallel: u64| {
        step(
            "each",
            "FAN_OUT",
            json!({"over": "${conf.rows}", "item_var": "row", "spawn_steps": ["a", "b"], "max_parallel": parallel}),
            json!({}),
        )
    };
    let steps = |parallel| {
        with(
            json!({"config": {"rows": [1, 2]}, "steps": [fan(parallel), at("a", "write", "/x", &[]), at("b", "read", "/x", &[])]}),
        )
    };
    let found = |parallel| {
        of(
            "P612",
            &found(&steps(parallel), &file_tools(), &Policy::default()),
        )
    };
    assert_eq!(found(1), [""; 0]);
    assert_eq!(
        found(2),
        ["/steps/1/config/arguments/path: `a` writes `/x` for several items at one time"]
    );
}

#[test]
fn a_script_reads_its_own_file() {
    let steps = json!([
        at("a", "write", "run.sh", &[]),
        step(
            "b",
            "CODE_CALL",
            json!({"language": "bash", "file": "run.sh"}),
            json!({})
        )
    ]);
    assert_eq!(shared(steps).len(), 1);
}

#[test]
fn many_steps_at_one_path_are_looked_at_in_linear_time() {
    let steps: Vec<Value> = (0..3_000)
        .map(|n| at(&format!("s{n}"), "read", "/x", &[]))
        .chain([at("w", "write", "/x", &[])])
        .collect();
    assert_eq!(shared(json!(steps)).len(), 1);
}

// P613

#[test]
fn the_same_call_twice_is_found_whatever_the_order_of_its_arguments() {
    let repeated = |tool: &str, one: Value, other: Value| {
        let steps = json!([
            call("a", tool, one, json!({})),
            call("b", tool, other, json!({}))
        ]);
        of("P613", &found(&plan(steps), &acting(), &Policy::default()))
    };
    let (one, other) = (json!({"to": "x", "n": 1}), json!({"n": 1, "to": "x"}));
    assert_eq!(
        repeated("send", one.clone(), other.clone()),
        ["/steps/1/config/tool: `b` makes the same call of `send` as `a`, which acts twice"]
    );
    for tool in ["set", "get", "unknown"] {
        assert_eq!(
            repeated(tool, one.clone(), other.clone()),
            [""; 0],
            "{tool}"
        );
    }
    assert_eq!(
        repeated("send", one.clone(), json!({"to": "y", "n": 1})),
        [""; 0]
    );
    assert_eq!(repeated("send", json!({}), json!({})), [""; 0]);
    assert_eq!(
        repeated("send", json!({"to": "${step.b}"}), json!({"to": "x"})),
        [""; 0]
    );
}

#[test]
fn calls_of_opposite_branches_are_one_call() {
    let same = |id: &str, after: &[&str]| {
        call(id, "send", json!({"to": "x"}), json!({"depends_on": after}))
    };
    let condition = step(
        "if",
        "CONDITION",
        json!({"expression": "conf.n == 1", "true_steps": ["a"], "false_steps": ["b"]}),
        json!({}),
    );
    let plan = |more: Value| {
        with(
            json!({"config": {"n": 1}, "steps": [condition, same("a", &[]), same("b", &[]), more]}),
        )
    };
    let found = |plan: &Value| of("P613", &found(plan, &acting(), &Policy::default()));
    assert_eq!(
        found(&plan(call("c", "get", json!({}), json!({})))),
        [""; 0]
    );
    assert_eq!(
        found(&plan(same("c", &["b"]))),
        ["/steps/3/config/tool: `c` makes the same call of `send` as `b`, which acts twice"]
    );
}

// P702
