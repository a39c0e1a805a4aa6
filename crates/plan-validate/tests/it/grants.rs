//! What a checked plan may do.

use plan_model::{Reference, StepId, ToolName};
use plan_validate::{
    Approval, ArgRule, Context, EffectKind, Narrowing, Policy, Refusal, Roots, ToolCatalog,
    ValidatedPlan, check,
};
use serde_json::{Map, Value, json};

use crate::sample;

const TOOLS: [&str; 3] = ["search", "send", "save"];

fn checked(policy: &Policy) -> ValidatedPlan {
    let catalog = ToolCatalog::from_names(TOOLS).unwrap();
    let plan = sample::with(json!({
        "inputs": [{"name": "to"}, {"name": "folder", "value_type": "string", "input_kind": "directory_path"}],
        "steps": [
            {"id": "find", "name": "Find", "config": {"type": "TOOL_CALL", "tool": "search", "arguments": {"query": "rust"}},
             "retry": {"max_attempts": 2, "delay_secs": 1}},
            {"id": "tell", "name": "Tell", "config": {"type": "TOOL_CALL", "tool": "send", "arguments": {
                "to": "${input.to}", "text": "Found: ${step.find.hits}", "copies": 2}}},
            {"id": "run", "name": "Run", "config": {"type": "CODE_CALL", "language": "bash", "inline": "ls ${folder}"}},
        ],
        "limits": {"max_tool_calls": 5},
    }));
    check(&plan.to_string(), &Context::new(&catalog, policy)).expect("a valid plan")
}

fn id(text: &str) -> StepId {
    StepId::new(text).unwrap()
}

fn tool(text: &str) -> ToolName {
    ToolName::new(text).unwrap()
}

fn map(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).unwrap()
}

fn resolve(reference: &Reference) -> Option<Value> {
    match reference.to_string().as_str() {
        "${input.to}" => Some(json!("alice")),
        "${step.find.hits}" => Some(json!([1, 2])),
        _ => None,
    }
}

#[test]
fn a_grant_reads_as_words() {
    insta::assert_snapshot!(checked(&Policy::default()).grant().to_string(), @r#"
        This plan may
          use the tool `search` in step `find`, in up to 2 attempts
            query = "rust"
          use the language `bash` in step `run`
            inline = "ls ${folder}"
          use the tool `send` in step `tell`
            copies = 2
            text = "Found: ${step.find.hits}" with its values filled in
            to = the value of ${input.to}
          reach the run's own scratch folder
          reach the folder of the input `folder`
          use at most 5 tool calls
        and nothing else.
        "#);
}

#[test]
fn case_23_the_call_in_the_plan_is_permitted_and_no_other() {
    let plan = checked(&Policy::default());
    let permits = |step: &str, name: &str, arguments: Value| {
        plan.grant()
            .permits_call(&id(step), &tool(name), &map(arguments), &resolve)
    };
    let planned = json!({"to": "alice", "text": "Found: [1,2]", "copies": 2});
    assert_eq!(permits("tell", "send", planned.clone()), Ok(()));
    let with = |name: &str, value: Value| {
        let mut other = planned.clone();
        other[name] = value;
        other
    };
    for other in [
        with("to", json!("mallory")),
        with("copies", json!(3)),
        with("text", json!("Found: []")),
        with("bcc", json!("mallory")),
        json!({"to": "alice", "copies": 2}),
    ] {
        assert!(permits("tell", "send", other.clone()).is_err(), "{other}");
    }
    assert!(matches!(
        permits("tell", "search", planned.clone()),
        Err(Refusal::OtherTarget { .. })
    ));
    assert!(matches!(
        permits("ask", "send", planned),
        Err(Refusal::NoSite { .. })
    ));
    assert_eq!(plan.grant().permits_attempt(&id("find"), 2), Ok(()));
    assert!(plan.grant().permits_attempt(&id("find"), 3).is_err());
    assert!(plan.grant().permits_attempt(&id("tell"), 2).is_err());
}

#[test]
fn case_24_an_argument_that_the_policy_constrains_must_be_given() {
    let rule = ArgRule::Range {
        min: None,
        max: Some(3.into()),
    };
    let plan = checked(&Policy::default().argument(tool("send"), "copies", rule));
    let refused = plan.grant().permits_call(
        &id("tell"),
        &tool("send"),
        &map(json!({"to": "alice", "text": "Found: [1,2]"})),
        &resolve,
    );
    assert!(
        matches!(refused, Err(Refusal::MissingArgument { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_value_outside_the_policys_rule_is_refused_at_the_call() {
    let rule = ArgRule::OneOf(vec![json!("bob"), json!("carol")]);
    let plan = checked(&Policy::default().argument(tool("send"), "to", rule));
    let refused = plan.grant().permits_call(
        &id("tell"),
        &tool("send"),
        &map(json!({"to": "alice", "text": "Found: [1,2]", "copies": 2})),
        &resolve,
    );
    assert!(
        matches!(refused, Err(Refusal::Argument { .. })),
        "{refused:?}"
    );
}

#[test]
fn policy_asks_at_the_call_and_the_bounds_say_so() {
    let plan = checked(
        &Policy::default()
            .require_approval_of(tool("send"))
            .require_approval_for(EffectKind::Code),
    );
    let asks: Vec<&str> = plan
        .bounds()
        .asks
        .iter()
        .map(|ask| ask.step.as_str())
        .collect();
    assert_eq!(asks, ["tell", "run"]);
    let approval = |step: &str| plan.grant().site(&id(step)).unwrap().approval.clone();
    assert_eq!(approval("find"), Approval::NotNeeded);
    assert!(matches!(approval("tell"), Approval::AskAtCall(_)));
}

#[test]
fn bounds_count_retries() {
    let plan = checked(&Policy::default());
    assert_eq!(plan.bounds().steps, 3);
    assert_eq!(plan.bounds().tool_calls, 3);
    assert_eq!(plan.bounds().attempts, 4);
    assert_eq!(plan.bounds().tokens, Some(0));
}

#[test]
fn a_grants_digest_changes_with_what_it_allows() {
    let digest = |policy: &Policy| checked(policy).grant().digest();
    let plain = digest(&Policy::default());
    assert_eq!(plain, digest(&Policy::default()));
    assert_ne!(plain, digest(&Policy::default().roots(Roots::Unrestricted)));
    assert_ne!(
        plain,
        digest(&Policy::default().require_approval_of(tool("send")))
    );
}

#[test]
fn the_digest_of_a_grant_is_that_of_its_json() {
    let is_of_json = |grant: &plan_validate::Grant| {
        let json = serde_json::to_value(grant).unwrap();
        assert_eq!(
            grant.digest(),
            plan_model::Digest::of_json(&json),
            "{json:#}"
        );
    };
    is_of_json(checked(&Policy::default()).grant());
    is_of_json(checked(&Policy::default().require_approval_of(tool("send"))).grant());
    // names whose order by bytes is not that of canonical JSON
    let catalog = ToolCatalog::from_names(TOOLS).unwrap();
    let args =
        json!({"\u{e000}": 1, "\u{1f600}": {"b": "${step.f.x}", "a": 2}, "é": "x ${step.f.x}"});
    let text = json!({"steps": [{"name": "f", "tool": "send"}, {"name": "s", "tool": "send", "args": args, "after": ["f"]}]}).to_string();
    let policy = Policy::default();
    let plan = check(&text, &Context::new(&catalog, &policy)).unwrap();
    is_of_json(plan.grant());
}

#[test]
fn what_a_narrowed_grant_allows_its_parent_allows() {
    let plan = checked(&Policy::default());
    let mut narrowing = Narrowing::default();
    narrowing.tools = Some([tool("send")].into());
    narrowing
        .arguments
        .entry(id("tell"))
        .or_default()
        .insert("to".to_owned(), ArgRule::OneOf(vec![json!("bob")]));
    narrowing.budgets.max_tool_calls = Some(1);
    let narrowed = plan.grant().narrow(&narrowing);
    assert!(narrowed.site(&id("find")).is_none());
    assert!(narrowed.site(&id("run")).is_some());
    assert_eq!(narrowed.budgets().max_tool_calls, Some(1));
    for to in ["alice", "bob"] {
        let read = |reference: &Reference| match reference.to_string().as_str() {
            "${input.to}" => Some(json!(to)),
            _ => resolve(reference),
        };
        let call = map(json!({"to": to, "text": "Found: [1,2]", "copies": 2}));
        let child = narrowed
            .permits_call(&id("tell"), &tool("send"), &call, &read)
            .is_ok();
        let parent = plan
            .grant()
            .permits_call(&id("tell"), &tool("send"), &call, &read)
            .is_ok();
        assert_eq!((to, child, parent), (to, to == "bob", true));
    }
    let wider = Narrowing::default();
    assert_eq!(plan.grant().narrow(&wider).digest(), plan.grant().digest());
}

#[test]
fn secrets_are_granted_only_where_the_policy_lists_them() {
    let catalog = ToolCatalog::from_names(TOOLS).unwrap();
    let text =
        json!({"steps": [{"name": "s", "tool": "send", "args": {"token": "${secret.KEY}"}}]})
            .to_string();
    let none = Policy::default();
    let rejected = check(&text, &Context::new(&catalog, &none)).unwrap_err();
    assert_eq!(rejected.findings()[0].code, "P302");
    let key = plan_model::SecretName::new("KEY").unwrap();
    let listed = Policy::default().allow_secrets([key.clone()]);
    let plan = check(&text, &Context::new(&catalog, &listed)).unwrap();
    assert_eq!(plan.grant().permits_secret(&key), Ok(()));
    let other = plan_model::SecretName::new("OTHER").unwrap();
    assert!(plan.grant().permits_secret(&other).is_err());
}
