//! Secrets and credentials: where they may stand, and that no finding tells of them.

use plan_model::SecretName;
use plan_validate::render::{Colour, json, pretty};
use plan_validate::{Context, Finding, Policy, Severity, check, check_inputs};
use serde_json::{Value, json};

use crate::catalogs::catalog;
use crate::sample::{self, step};

const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

fn found(document: &Value) -> Vec<Finding> {
    let tools = catalog(&json!({
        "planwright": 1,
        "tools": [
            {"name": "named"},
            {"name": "login", "secret_arguments": ["key"]},
            {"name": "post", "input_schema": {"type": "object", "properties": {"text": {}}}},
        ],
        "agents": {"helper": {"kind": "loop", "model": "m"}},
    }));
    let policy = Policy::default().allow_secrets(["K", "L"].map(|it| SecretName::new(it).unwrap()));
    let mut findings = match check(&document.to_string(), &Context::new(&tools, &policy)) {
        Ok(plan) => plan.warnings().to_vec(),
        Err(rejected) => rejected.findings().to_vec(),
    };
    findings.retain(|it| it.severity == Severity::Error || it.code == "P606");
    findings
}

fn lines(document: &Value) -> String {
    let lines: Vec<String> = found(document)
        .iter()
        .map(|it| format!("{} {}", it.severity, it.line()))
        .collect();
    lines.join("\n")
}

fn one(kind: &str, config: Value) -> Value {
    sample::with(json!({"steps": [step("s", kind, config, json!({}))]}))
}

#[test]
fn a_secret_is_told_to_nobody_and_kept_nowhere() {
    let k = "${secret.K}";
    let plans = [
        one(
            "PROMPT_CALL",
            json!({"model": "m", "system_prompt": k, "user_prompt": "x ${secret.L} ${secret.K} ${secret.L}", "output_field": "o"}),
        ),
        one(
            "AGENT_CALL",
            json!({"objective": k, "working_dir": "${input.dir}", "agent": "helper"}),
        ),
        one(
            "HUMAN_INTERACTION",
            json!({"prompt": "Is it ${input.a ?? secret.K}?", "response_field": "o"}),
        ),
        one(
            "CONDITION",
            json!({"expression": "secret.K == \"x\"", "true_steps": [], "false_steps": []}),
        ),
        one(
            "CODE_CALL",
            json!({"language": "bash", "inline": "x", "args": [k], "working_dir": "a/${secret.K}"}),
        ),
        one(
            "TOOL_CALL",
            json!({"tool": "login", "arguments": {"user": {"name": ["${secret.K}"]}}}),
        ),
        one(
            "TOOL_CALL",
            json!({"tool": "post", "arguments": {"text": k}}),
        ),
        one(
            "TOOL_CALL",
            json!({"tool": "named", "arguments": {"text": k}}),
        ),
    ];
    let mut with_input = plans.to_vec();
    with_input[1]["inputs"] =
        json!([{"name": "dir", "value_type": "string", "input_kind": "directory_path"}]);
    with_input[2]["inputs"] = json!([{"name": "a", "required": false}]);
    let all: Vec<String> = with_input.iter().map(lines).collect();
    insta::assert_snapshot!(all.join("\n"), @"
    error P606 /steps/0/config/system_prompt: the secret `K` would be told to a model
    error P606 /steps/0/config/user_prompt: the secrets `L`, `K` would be told to a model
    error P606 /steps/0/config/objective: the secret `K` would be told to an agent
    error P606 /steps/0/config/prompt: the secret `K` would be shown to a person
    error P606 /steps/0/config/expression: the secret `K` would be read by an expression, which decides in the open
    warning P606 /steps/0/config/args/0: the secret `K` would stand on a command line, which other processes can read
    error P606 /steps/0/config/working_dir: the secret `K` would become a path
    error P606 /steps/0/config/arguments/user/name/0: the argument `user` of the tool `login` takes no secrets, and would get `K`
    error P606 /steps/0/config/arguments/text: the argument `text` of the tool `post` takes no secrets, and would get `K`
    ");
}

#[test]
fn a_secret_in_a_list_or_an_output_is_one_finding() {
    let plan = sample::with(json!({
        "steps": [
            step("f", "FAN_OUT", json!({"over": "${secret.K}", "item_var": "i", "spawn_steps": ["b"]}), json!({})),
            step("b", "TOOL_CALL", json!({"tool": "post", "arguments": {"text": "${item.i}"}}), json!({})),
        ],
        "outputs": [{"name": "o", "source": "${secret.K}"}],
    }));
    insta::assert_snapshot!(lines(&plan), @"
    error P606 /outputs/0/source: the secret `K` would be published
    error P606 /steps/0/config/over: the secret `K` would become the items of a fan-out
    ");
}

#[test]
fn tools_and_scripts_may_have_what_they_ask_for() {
    let plan = sample::with(json!({"steps": [
        step("a", "TOOL_CALL", json!({"tool": "login", "arguments": {"key": "Bearer ${secret.K}"}}), json!({})),
        step("b", "CODE_CALL", json!({"language": "bash", "inline": "x", "env": {"K": "${secret.K}"}, "stdin": "${secret.L}"}), json!({})),
    ]}));
    assert_eq!(lines(&plan), "");
}

#[test]
fn an_argument_that_takes_none_names_those_that_do() {
    let plan = one(
        "TOOL_CALL",
        json!({"tool": "login", "arguments": {"user": "${secret.K}"}}),
    );
    let found = found(&plan);
    assert_eq!(
        found[0].expected,
        Some(plan_validate::Expected::OneOf(vec!["key".to_owned()]))
    );
}

#[test]
fn a_credential_in_the_plan_is_a_warning_wherever_it_stands() {
    let plan = sample::with(json!({
        "inputs": [{"name": "key", "default": {"deep": [TOKEN]}, "sensitive": true}],
        "config": {"aws": "AKIAIOSFODNN7EXAMPLE"},
        "steps": [
            step("a", "TOOL_CALL", json!({"tool": "post", "arguments": {"text": ["x", format!("token {TOKEN} for ${{conf.aws}}")]}}), json!({})),
            step("b", "CODE_CALL", json!({"language": "bash", "inline": format!("curl -H 'X: {TOKEN}'"), "env": {"T": "xoxb-123456789012-abcdefABCDEF"}}), json!({})),
            step("c", "PROMPT_CALL", json!({"model": "m", "user_prompt": "Use sk-1234567890abcdefABCDEF", "output_field": "o"}), json!({})),
        ],
    }));
    let told: Vec<String> = found(&plan)
        .iter()
        .map(|it| format!("{} ({})", it.line(), it.actual.as_deref().unwrap_or("-")))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @"
    P606 /config/aws: the text looks as if it held an AWS access key (AKIA***)
    P606 /inputs/0/default/deep/0: the text looks as if it held a GitHub token (ghp_***)
    P606 /steps/0/config/arguments/text/1: the text looks as if it held a GitHub token (ghp_***)
    P606 /steps/1/config/env/T: the text looks as if it held a Slack token (xoxb-***)
    P606 /steps/1/config/inline: the text looks as if it held a GitHub token (ghp_***)
    P606 /steps/2/config/user_prompt: the text looks as if it held an API key (sk-***)
    ");
}

#[test]
fn no_finding_and_no_report_repeats_a_credential() {
    let secret = "C7e42F292c69";
    let mut documents = vec![
        // wrong in ways that quote what stands there
        json!({"steps": [{"tool": TOKEN, "args": {}}]}),
        json!({"steps": [{"tool": "post", "args": {"text": TOKEN, "more": TOKEN}, "after": [TOKEN]}]}),
        one(
            "TOOL_CALL",
            json!({"tool": "post", "arguments": {"text": format!("${{step.{TOKEN}.x}}")}}),
        ),
        one(
            "TOOL_CALL",
            json!({"tool": "post", "arguments": {"text": format!("{{{{{TOKEN}}}}}")}}),
        ),
        one(
            "CODE_CALL",
            json!({"language": "bash", "inline": "x", "working_dir": format!("../{TOKEN}")}),
        ),
        one("CODE_CALL", json!({"language": TOKEN, "inline": "x"})),
        one(
            "CONDITION",
            json!({"expression": format!("{TOKEN} == 1"), "true_steps": [TOKEN], "false_steps": []}),
        ),
    ];
    let mut misplaced = one("TOOL_CALL", json!({"tool": "post", "arguments": {}}));
    misplaced["steps"][0]["depends_on"] = json!(TOKEN);
    misplaced["outputs"] = json!([{"name": "o", "source": TOKEN}]);
    documents.push(misplaced);
    let tools = catalog(&json!({"planwright": 1, "tools": [
        {"name": "post", "input_schema": {"type": "object", "properties": {"text": {"type": "string", "maxLength": 5}}}}
    ]}));
    let policy = Policy::default();
    for document in documents {
        let text = document.to_string();
        let result = check(&text, &Context::new(&tools, &policy));
        let findings = match &result {
            Ok(plan) => plan.warnings(),
            Err(rejected) => rejected.findings(),
        };
        assert!(!findings.is_empty(), "{text}");
        let shown = pretty(findings, "plan.json", &text, Colour::Never);
        assert!(!shown.contains(secret), "{shown}");
        for finding in findings {
            let told = serde_json::to_string(finding).unwrap();
            // the name of a place is told as it is, or nobody could find it
            let told = told.replace(finding.pointer.as_str(), "");
            assert!(!told.contains(secret), "{told}");
        }
        if let Err(rejected) = &result {
            assert!(!rejected.to_string().contains(secret));
            assert_eq!(json(result.as_ref())["valid"], false);
        }
    }
}

#[test]
fn a_sensitive_default_is_in_no_finding_and_no_report() {
    let canary = "31337.000000000000012345";
    let input = |default: &str, more: &str| {
        format!(
            r#"{{"name": "pin", "sensitive": true, "value_type": "number", "default": {default}{more}}}"#
        )
    };
    let plan = |input: &str| {
        sample::with(json!({"inputs": [], "steps": [sample::call("a", json!({"q": "${input.pin}"}), json!({}))]}))
            .to_string()
            .replace(r#""inputs":[]"#, &format!(r#""inputs":[{input}]"#))
    };
    let tools = catalog(&json!({"planwright": 1, "tools": [{"name": "search"}]}));
    let policy = Policy::default();
    for (text, code) in [
        (plan(&input(canary, "")), "P105"),
        (plan(&input("\"canary\"", "")), "P409"),
        (
            plan(&input("4242", r#", "schema": {"maximum": 5}"#)),
            "P409",
        ),
        (plan(&input("{\"a\": {\"canary\": 4242}}", "")), "P409"),
    ] {
        let rejected = check(&text, &Context::new(&tools, &policy)).unwrap_err();
        let findings = rejected.findings();
        assert_eq!(findings[0].code, code, "{rejected}");
        let shown = pretty(findings, "plan.json", &text, Colour::Never);
        let told = serde_json::to_string(findings).unwrap();
        for canary in [canary, "canary", "4242"] {
            assert!(!shown.contains(canary), "{shown}");
            assert!(!told.contains(canary), "{told}");
        }
    }
}

#[test]
fn an_input_that_holds_a_credential_is_told_without_it() {
    let tools = catalog(&json!({"planwright": 1, "tools": [{"name": "search"}]}));
    let policy = Policy::default();
    let plan = sample::with(json!({
        "inputs": [{"name": "n", "value_type": "integer"}],
        "steps": [sample::call("a", json!({"q": "${input.n}"}), json!({}))],
    }));
    let plan = check(&plan.to_string(), &Context::new(&tools, &policy)).unwrap();
    let supplied = serde_json::from_value(json!({"n": TOKEN})).unwrap();
    let findings = check_inputs(&plan, supplied).unwrap_err();
    assert_eq!(findings[0].actual.as_deref(), Some("\"ghp_***\""));
}
