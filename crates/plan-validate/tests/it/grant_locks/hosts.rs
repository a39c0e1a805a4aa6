//! What the host means by a name, how long a call may take, and what conditions send.

use super::*;

/// A plan that leaves to the host what its names mean.
fn hosted() -> Value {
    sample::with(json!({
        "inputs": [{"name": "folder", "value_type": "string", "input_kind": "directory_path"}],
        "steps": [
            sample::step("run", "CODE_CALL", json!({"language": "python", "inline": "print(1)", "timeout_secs": 5}), json!({})),
            sample::step("ask", "PROMPT_CALL", json!({"model": "small", "user_prompt": "Why?", "output_field": "text"}), json!({"timeout_secs": 20})),
            sample::step("work", "AGENT_CALL", json!({"objective": "Tidy up", "working_dir": "${input.folder}", "agent": "helper", "tools": ["save"]}), json!({})),
        ],
    }))
}

fn hosts() -> Value {
    json!({
        "planwright": 1,
        "tools": [{"name": "save"}, {"name": "send", "timeout_secs": 10}],
        "models": [{"name": "small", "base_url": "https://models.example.com"}, {"name": "large"}],
        "languages": {"python": {"command": "python3"}},
        "agents": {"helper": {"kind": "loop", "model": "large"}},
    })
}

#[track_caller]
fn hosted_by(document: &Value, hosts: &Value, policy: &Policy) -> ValidatedPlan {
    let parsed = parse(hosts.to_string().as_bytes(), &Limits::default());
    let catalog = ToolCatalog::from_document(&parsed.document.unwrap()).unwrap();
    check(&document.to_string(), &Context::new(&catalog, policy)).unwrap()
}

type Edit = fn(&mut Value);

/// What the plan may newly do where the host is another.
#[track_caller]
fn newly_by(edit: impl FnOnce(&mut Value), policy: &Policy) -> String {
    let before = hosted_by(&hosted(), &hosts(), &Policy::default());
    let mut after = hosts();
    edit(&mut after);
    let after = hosted_by(&hosted(), &after, policy);
    messages(&after.grant().compare(&before.grant().lock()).unwrap())
}

#[test]
fn another_language_model_or_agent_of_the_same_name_is_new() {
    let edits: [(&str, Edit); 9] = [
        ("python", |host| {
            host["languages"]["python"]["command"] = json!("other");
        }),
        ("python", |host| {
            host["languages"]["python"]["network"] = json!(true);
        }),
        ("python", |host| {
            host["languages"]["python"]["env_pass"] = json!(["TOKEN"]);
        }),
        ("python", |host| {
            host["languages"]["python"]["read_roots"] = json!(["/etc"]);
        }),
        ("python", |host| {
            host["languages"]["python"]["limits"] = json!({"memory_mib": 9_000});
        }),
        ("helper", |host| {
            host["agents"]["helper"]["write_roots"] = json!(["/etc"]);
        }),
        ("small", |host| {
            host["models"][0]["base_url"] = json!("https://evil.example.com");
        }),
        ("helper", |host| {
            host["agents"]["helper"]["network"] = json!(true);
        }),
        ("helper", |host| {
            host["models"][1]["base_url"] = json!("https://evil.example.com");
        }),
    ];
    for (name, edit) in edits {
        assert_eq!(
            newly_by(edit, &Policy::default()),
            format!(
                "`{name}` may newly do something else: what the host runs by this name has changed"
            )
        );
    }
    assert_eq!(newly_by(|_| {}, &Policy::default()), "");
}

#[test]
fn another_language_of_the_same_name_is_another_grant() {
    let digest = |hosts: &Value| {
        let plan = hosted_by(&hosted(), hosts, &Policy::default());
        plan.grant().digest()
    };
    let mut other = hosts();
    other["languages"]["python"]["command"] = json!("other");
    assert_ne!(digest(&hosts()), digest(&other));
}

#[test]
fn a_run_without_a_sandbox_is_new_and_the_same_grant() {
    let under = |mode| hosted_by(&hosted(), &hosts(), &Policy::default().sandbox(mode));
    let [required, best_effort, off] = [
        SandboxMode::Required,
        SandboxMode::BestEffort,
        SandboxMode::Off,
    ]
    .map(under);
    let said = |new: &ValidatedPlan, old: &ValidatedPlan| {
        messages(&new.grant().compare(&old.grant().lock()).unwrap())
    };
    assert_eq!(
        said(&off, &required),
        "scripts may newly run without a sandbox"
    );
    assert_eq!(
        said(&off, &best_effort),
        "scripts may newly run without a sandbox"
    );
    assert_eq!(
        said(&best_effort, &required),
        "scripts may newly run where there is no sandbox"
    );
    for (new, old) in [
        (&required, &off),
        (&best_effort, &off),
        (&required, &best_effort),
    ] {
        assert_eq!(said(new, old), "");
    }
    // a run may be resumed under another sandbox
    assert_eq!(required.grant().digest(), off.grant().digest());
}

#[test]
fn a_rule_that_the_tools_of_an_agent_lose_is_new() {
    let save = || plan_model::ToolName::new("save").unwrap();
    let allowed = |names: &[&str]| {
        let names = names.iter().map(|name| json!(name)).collect();
        let policy = Policy::default().argument(save(), "file", ArgRule::OneOf(names));
        hosted_by(&hosted(), &hosts(), &policy)
    };
    let before = allowed(&["a"]).grant().lock();
    let newly = |plan: &ValidatedPlan| messages(&plan.grant().compare(&before).unwrap());
    assert_eq!(
        newly(&hosted_by(&hosted(), &hosts(), &Policy::default())),
        "step `work` may newly use the agent `helper` with `save` without `tools.save.file`"
    );
    assert_eq!(
        newly(&allowed(&["a", "b"])),
        "step `work` may newly use the agent `helper` with `save` with `tools.save.file` = one of \"a\", \"b\""
    );
    assert_eq!(newly(&allowed(&["a"])), "");
}

#[test]
fn a_longer_time_is_new() {
    let said = |edit: fn(&mut Value)| {
        let before = hosted_by(&hosted(), &hosts(), &Policy::default());
        let mut document = hosted();
        edit(&mut document);
        let after = hosted_by(&document, &hosts(), &Policy::default());
        messages(&after.grant().compare(&before.grant().lock()).unwrap())
    };
    assert_eq!(
        said(|plan| config(plan, "run")["timeout_secs"] = json!(6)),
        "step `run` may newly act for 6 s, not 5 s"
    );
    assert_eq!(
        said(|plan| plan["steps"][1]["timeout_secs"] = json!(null)),
        "step `ask` may newly act for any time, not 20 s"
    );
    // the shorter one of two counts
    assert_eq!(
        said(|plan| plan["steps"][0]["timeout_secs"] = json!(4.5)),
        ""
    );
    assert_eq!(
        said(|plan| plan["steps"][0]["timeout_secs"] = json!(99)),
        ""
    );
}

#[test]
fn a_condition_whose_result_is_sent_is_part_of_the_grant() {
    let document = |expression: &str, limit: u64| {
        let decide = |id: &str, expression: &str| {
            let config = json!({"expression": expression, "true_steps": [], "false_steps": []});
            sample::step(id, "CONDITION", config, json!({}))
        };
        sample::with(json!({
            "inputs": [{"name": "amount", "value_type": "integer"}],
            "config": {"limit": limit},
            "steps": [
                decide("low", expression),
                decide("really", "${step.low.result}"),
                decide("apart", "${input.amount} > 7"),
                sample::step("mail", "TOOL_CALL", json!({"tool": "send", "arguments": {"pay": "${step.really.result}"}}), json!({})),
            ],
        }))
    };
    let before = document("${input.amount} < ${conf.limit}", 5);
    let locked = lock(&before);
    assert!(!locked.contains("apart"), "{locked}");
    assert_eq!(
        messages(&compared(
            &document("true || ${input.amount} < ${conf.limit}", 5),
            &locked
        )),
        r#"step `low` may newly decide by "true || ${input.amount} < ${conf.limit}""#
    );
    assert_eq!(
        messages(&compared(
            &document("${input.amount} < ${conf.limit}", 500),
            &locked
        )),
        "`${conf.limit}` may newly be 500"
    );
}

#[test]
fn another_result_of_a_fan_out_is_new() {
    let document = |members: Value, bodies: [&str; 2]| {
        let mut config = json!({"over": "${input.all}", "item_var": "one", "spawn_steps": bodies});
        config
            .as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        let body = |id: &str, tool: &str| {
            sample::step(
                id,
                "TOOL_CALL",
                json!({"tool": tool, "arguments": {"x": "${item.one}"}}),
                json!({}),
            )
        };
        sample::with(json!({
            "inputs": [{"name": "all", "value_type": "array"}],
            "steps": [
                sample::step("each", "FAN_OUT", config, json!({})),
                body("public", "save"),
                body("private", "search"),
                sample::step("mail", "TOOL_CALL", json!({"tool": "send", "arguments": {"body": "${step.each.results}"}}), json!({})),
            ],
        }))
    };
    let locked = lock(&document(json!({}), ["private", "public"]));
    let newly = |members, bodies| messages(&compared(&document(members, bodies), &locked));
    assert_eq!(newly(json!({}), ["private", "public"]), "");
    assert_eq!(
        newly(json!({}), ["public", "private"]),
        "step `each` may newly give what step `private` gives for each item"
    );
    assert_eq!(
        newly(json!({"on_item_error": "collect"}), ["private", "public"]),
        "step `each` may newly go on after an item that failed"
    );
}

#[test]
fn a_value_that_is_no_longer_sensitive_is_new() {
    let document = edited(|plan| plan["inputs"][1]["sensitive"] = json!(true));
    assert_eq!(
        messages(&compared(&plan(), &lock(&document))),
        "the value of the input `folder` may newly be shown"
    );
    assert_eq!(messages(&compared(&document, &lock(&plan()))), "");
}
