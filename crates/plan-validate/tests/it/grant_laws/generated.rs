//! Random plans, policies and argument rules.

use super::*;

/// Few values, so that calls come near what is permitted, and some that are nearly another.
pub(super) fn value() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!("alice"),
        json!("Alice"),
        json!("alice "),
        json!("bob"),
        json!(1),
        json!(2),
        json!("1"),
        json!(null),
        json!(true),
        json!(["alice"]),
        json!({"a": 1}),
        json!("/srv/a"),
        json!("/srv/a/../b"),
        json!("/srvx"),
        json!("https://example.org/x"),
        json!("https://example.org.evil.test/"),
        json!("http://a.example.org"),
    ])
}

/// What a plan gives for an argument.
pub(super) fn template() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => value(),
        2 => prop::sample::select(vec![
            json!("${input.p}"), json!("${input.q}"), json!("${conf.k}"), json!("to ${input.p}"),
            json!(["${input.p}", 1]), json!("${secret.KEY}"), json!("${input.p ?? input.q}"),
        ]),
    ]
}

pub(super) fn rule() -> impl Strategy<Value = ArgRule> {
    let number = || prop::option::of((0_i64..4).prop_map(Into::into));
    let texts = |all: &'static [&'static str]| {
        prop::collection::vec(prop::sample::select(all).prop_map(str::to_owned), 1..3)
    };
    prop_oneof![
        Just(ArgRule::Any),
        value().prop_map(ArgRule::Exact),
        prop::collection::vec(value(), 0..4).prop_map(ArgRule::OneOf),
        (number(), number()).prop_map(|(min, max)| ArgRule::Range { min, max }),
        prop::sample::select(vec!["/", "/srv", "/srv/a"])
            .prop_map(|root| ArgRule::Subpath(root.to_owned())),
        (
            texts(&["https", "http"]),
            texts(&["example.org", "*.example.org", "a.example.org"])
        )
            .prop_map(|(schemes, hosts)| ArgRule::Url { schemes, hosts }),
        prop::sample::select(vec![
            json!({"type": "string"}),
            json!({"enum": ["alice", 1]})
        ])
        .prop_map(|schema| ArgRule::Schema(plan_model::Schema(schema))),
    ]
}

/// A step that calls a tool, runs a script, asks a model, or is an agent's.
pub(super) fn step(id: &'static str) -> impl Strategy<Value = Value> {
    let arguments = prop::collection::btree_map(prop::sample::select(&NAMES[..]), template(), 0..3);
    let config = prop_oneof![
        6 => (prop::sample::select(&TOOLS[..]), arguments)
            .prop_map(|(tool, arguments)| json!({"type": "TOOL_CALL", "tool": tool, "arguments": arguments})),
        1 => prop::sample::select(vec!["bash", "python"])
            .prop_map(|language| json!({"type": "CODE_CALL", "language": language, "inline": "ls"})),
        1 => prop::sample::select(vec!["small", "large"])
            .prop_map(|model| json!({"type": "PROMPT_CALL", "model": model, "user_prompt": "hi", "output_field": "text"})),
        1 => prop::collection::btree_set(prop::sample::select(&TOOLS[..]), 0..3)
            .prop_map(|tools| json!({"type": "AGENT_CALL", "objective": "hi", "working_dir": "${input.d}", "tools": tools})),
    ];
    (config, 1_u64..4).prop_map(move |(config, attempts)| {
        let kind = config["type"].as_str().unwrap().to_owned();
        let retry = json!({"retry": {"max_attempts": attempts, "delay_secs": 0}});
        let more = if attempts == 1 { json!({}) } else { retry };
        sample::step(id, &kind, config, more)
    })
}

pub(super) fn plan() -> impl Strategy<Value = Value> {
    let steps = STEPS.map(|id| prop::option::weighted(0.8, step(id)));
    let budget = prop::option::of(1_u64..5);
    (steps, budget, prop::sample::select(vec!["x", "y"])).prop_map(|(steps, budget, k)| {
        let mut steps: Vec<Value> = steps.into_iter().flatten().collect();
        if steps.is_empty() {
            steps.push(sample::call("a", json!({}), json!({})));
            steps[0]["config"]["tool"] = json!("send");
        }
        sample::with(json!({
            "inputs": [{"name": "p", "required": false}, {"name": "q", "required": false},
                {"name": "d", "value_type": "string", "input_kind": "directory_path"}],
            "config": {"k": k},
            "steps": steps,
            "limits": {"max_tool_calls": budget},
        }))
    })
}

pub(super) fn policy() -> impl Strategy<Value = Policy> {
    let rules = prop::collection::vec(
        (
            prop::sample::select(&TOOLS[..]),
            prop::sample::select(&NAMES[..]),
            rule(),
        ),
        0..3,
    );
    (rules, any::<bool>(), any::<bool>()).prop_map(|(rules, asks, roots)| {
        let names = SECRETS.map(|name| SecretName::new(name).unwrap());
        let mut policy = Policy::default().allow_secrets(names);
        for (of, name, rule) in rules {
            policy = policy.argument(tool(of), name, rule);
        }
        if asks {
            policy = policy.require_approval_of(tool("send"));
        }
        if roots {
            policy = policy.roots(Roots::Listed(vec!["/srv".to_owned()]));
        }
        policy
    })
}

/// The grant of a plan, unless the policy refuses it or the plan has a fault.
pub(super) fn grant(plan: &Value, policy: &Policy) -> Option<Grant> {
    let catalog = ToolCatalog::from_names(TOOLS).unwrap();
    let checked = check(&plan.to_string(), &Context::new(&catalog, policy));
    Some(checked.ok()?.grant().clone())
}
