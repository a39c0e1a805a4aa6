//! Policy files, and what policies mean.

use plan_model::{AgentName, LanguageName, ModelName, SecretName, ToolName};
use plan_validate::{
    EffectKind, Expected, Finding, Policy, Roots, SandboxLimits, SandboxMode, Severity, Untrusted,
};
use serde_json::{Value, json};

use crate::catalogs::{catalog, document, lines};

fn policy(value: &Value) -> Policy {
    match Policy::from_document(&document(value)) {
        Ok(policy) => policy,
        Err(rejected) => panic!("{:?}", lines(rejected.findings())),
    }
}

fn refused(value: &Value) -> Vec<Finding> {
    let rejected = Policy::from_document(&document(value)).expect_err("a finding");
    assert!(
        rejected
            .findings()
            .iter()
            .all(|finding| finding.code == "P902")
    );
    rejected.findings().to_vec()
}

#[test]
fn without_a_file_little_is_allowed_and_a_file_restricts_what_it_names() {
    let (none, silent) = (Policy::default(), policy(&json!({})));
    assert_eq!(none.secrets, Some([].into()));
    assert_eq!(none.roots, Roots::RunOnly);
    assert_eq!(
        (&silent.secrets, &silent.roots),
        (&None, &Roots::Unrestricted)
    );
    for policy in [&none, &silent] {
        assert_eq!((&policy.tools, &policy.models), (&None, &None));
        assert_eq!((&policy.languages, &policy.agents), (&None, &None));
        assert_eq!(policy.untrusted, Untrusted::Ask);
        assert_eq!(policy.sandbox, SandboxMode::Required);
        assert!(policy.require_approval.effects.is_empty());
    }
    let nothing = policy(&json!({"tools": [], "roots": []}));
    assert_eq!(nothing.tools, Some([].into()));
    assert_eq!(nothing.roots, Roots::Listed(Vec::new()));
}

#[test]
fn a_file_and_the_builder_make_the_same_policy() {
    let file = policy(&json!({
        "tools": ["send"], "models": ["m"], "languages": ["py"], "agents": ["a"], "secrets": ["KEY"],
        "roots": ["/data"], "untrusted": "deny", "sandbox": {"mode": "best_effort", "limits": {"memory_mib": 512, "processes": 9}},
        "require_approval": {"effects": ["destructive"], "tools": ["send"]},
        "arguments": {"send": {"to": {"one_of": ["alice"]}}},
        "severities": {"unused-input": "warning", "P206": "off"},
    }));
    let send = || ToolName::new("send").unwrap();
    let mut limits = SandboxLimits::default();
    limits.memory_mib = Some(512);
    limits.processes = Some(9);
    let built = Policy::default()
        .allow_tools([send()])
        .allow_models([ModelName::new("m").unwrap()])
        .allow_languages([LanguageName::new("py").unwrap()])
        .allow_agents([AgentName::new("a").unwrap()])
        .allow_secrets([SecretName::new("KEY").unwrap()])
        .roots(Roots::Listed(vec!["/data".to_owned()]))
        .untrusted(Untrusted::Deny)
        .sandbox(SandboxMode::BestEffort)
        .sandbox_limits(limits)
        .require_approval_for(EffectKind::Destructive)
        .require_approval_of(send())
        .argument(
            send(),
            "to",
            plan_validate::ArgRule::OneOf(vec![json!("alice")]),
        )
        .severity("P210", Some(Severity::Warning))
        .severity("P206", None);
    assert_eq!(file, built);
}

#[test]
fn every_fault_of_a_file_is_found_at_once_with_its_place() {
    let found = refused(&json!({
        "planwright": 3,
        "tool": ["a"],
        "tools": [1, ""],
        "secrets": null,
        "roots": ["data", "/a/../b"],
        "untrusted": "never",
        "sandbox": "off",
        "limits": {"max_concurrency": 0, "max_wall_secs": -1, "max_calls": 2},
        "severities": {"P999": "off", "P203": "off", "unused-inputs": "note", "P206": "fatal", "P804": "off"},
        "require_approval": {"effects": ["writes"], "tool": []},
        "arguments": {
            "a": {"kind": {"oneof": [1]}, "both": {"exact": 1, "range": {}}, "none": null, "text": "all"},
            "b": {"empty": {"one_of": []}, "range": {"range": {"min": 3, "max": 1}}, "path": {"subpath": "data"},
                  "url": {"url": {"schemes": ["https://"], "hosts": ["*", "a.test/x"]}}, "half": {"url": {"schemes": []}},
                  "schema": {"schema": {"type": "nothing"}}},
            "c": 5,
        },
    }));
    insta::assert_snapshot!(lines(&found).join("\n"), @r#"
        P902 /arguments/a/both: `{"exact":1,"range":{}}` is not `any` or an object with one of `exact`, `one_of`, `range`, `subpath`, `url`, `schema`
        P902 /arguments/a/kind/oneof: the field `oneof` is not known here, `one_of` is
        P902 /arguments/a/none: `null` is not `any` or an object with one of `exact`, `one_of`, `range`, `subpath`, `url`, `schema`
        P902 /arguments/a/text: `"all"` is not `any` or an object with one of `exact`, `one_of`, `range`, `subpath`, `url`, `schema`
        P902 /arguments/b/empty/one_of: the list takes no value at all
        P902 /arguments/b/half/url: the field `hosts` is missing
        P902 /arguments/b/half/url/schemes: without schemes no URL is allowed
        P902 /arguments/b/path/subpath: the folder is not an absolute path without `..`
        P902 /arguments/b/range/range: the range from 3 to 1 takes no number at all
        P902 /arguments/b/schema/schema: the schema is invalid at `/type`: `"nothing"` fits none of the alternatives of the schema
        P902 /arguments/b/url/url/hosts/0: `*` is no host, such as `example.com`, or `*.example.com` for all below it
        P902 /arguments/b/url/url/hosts/1: `a.test/x` is no host, such as `example.com`, or `*.example.com` for all below it
        P902 /arguments/b/url/url/schemes/0: `https://` is no scheme, such as `https`
        P902 /arguments/c: `5` is not an object
        P902 /limits/max_calls: the field `max_calls` is not known here
        P902 /limits/max_concurrency: `0` is not a whole number from 1
        P902 /limits/max_wall_secs: `-1` is not a number of seconds from 0
        P902 /planwright: `3` is not `1`, the version of this format
        P902 /require_approval/effects/0: `writes` is none of `write`, `destructive`, `open_world`, `code`
        P902 /require_approval/tool: the field `tool` is not known here, `tools` is
        P902 /roots/0: the root `data` is not an absolute path without `..`
        P902 /roots/1: the root `/a/../b` is not an absolute path without `..`
        P902 /sandbox: `off` is not an object
        P902 /secrets: the list `secrets` has no value
        P902 /severities/P203: the rule P203 guards a promise, and its errors stay errors
        P902 /severities/P206: `fatal` is none of `error`, `warning`, `note`, `off`
        P902 /severities/P804: the code P804 is kept for a rule that comes with repair
        P902 /severities/P999: there is no rule `P999`
        P902 /severities/unused-inputs: there is no rule `unused-inputs`
        P902 /tool: the field `tool` is not known here, `tools` is
        P902 /tools/0: `1` is not a string
        P902 /tools/1: the tool name `` is empty
        P902 /untrusted: `never` is none of `ask`, `deny`, `allow`
        "#);
}

#[test]
fn every_fault_of_the_bounds_of_a_sandbox_is_found() {
    let found = refused(&json!({"sandbox": {
        "mode": "on",
        "limit": {},
        "limits": {"cpu_secs": 0, "memory_mib": -1, "file_mib": 1.5, "open_files": "many", "process": 4},
    }}));
    insta::assert_snapshot!(lines(&found).join("\n"), @r#"
    P902 /sandbox/limit: the field `limit` is not known here, `limits` is
    P902 /sandbox/limits/cpu_secs: `0` is not a whole number from 1
    P902 /sandbox/limits/file_mib: `1.5` is not a whole number from 1
    P902 /sandbox/limits/memory_mib: `-1` is not a whole number from 1
    P902 /sandbox/limits/open_files: `"many"` is not a whole number from 1
    P902 /sandbox/limits/process: the field `process` is not known here, `processes` is
    P902 /sandbox/mode: `on` is none of `required`, `best_effort`, `off`
    "#);
    let none = policy(&json!({"sandbox": {"limits": null}}));
    assert!(none.sandbox_limits.is_empty());
}

#[test]
fn the_way_out_is_named() {
    let help = |value: &Value| refused(value)[0].suggestions[0].title.clone();
    assert_eq!(
        help(&json!({"tools": null})),
        "write `[]` for nothing, or leave `tools` out for no restriction"
    );
    assert_eq!(
        help(&json!({"sandbox": "off"})),
        "write `sandbox: {mode: off}`"
    );
    assert_eq!(
        help(&json!({"severities": {"P203": "off"}})),
        "take the line out"
    );
    let close = refused(&json!({"severities": {"unused-inputs": "note"}}))[0]
        .expected
        .clone();
    assert_eq!(
        close,
        Some(Expected::OneOf(vec![
            "unused-input".to_owned(),
            "unused-output".to_owned()
        ]))
    );
}

#[test]
fn a_rule_has_one_severity() {
    let twice = json!({"severities": {"P210": "off", "unused-input": "warning"}});
    assert_eq!(
        lines(&refused(&twice)),
        ["P902 /severities/unused-input: the rule P210 has a severity already"]
    );
}

#[test]
fn names_that_the_catalog_does_not_have_are_warnings_at_their_places() {
    let catalog = catalog(
        &json!({"planwright": 1, "models": [{"name": "m"}], "tools": [
            {"name": "send", "input_schema": {"properties": {"to": {}, "text": {}}}},
            {"name": "open"},
        ]}),
    );
    let policy = policy(&json!({
        "tools": ["send", "sned"], "models": ["n"], "languages": ["perl"], "agents": ["x"],
        "require_approval": {"tools": ["gone"]},
        "arguments": {"send": {"too": "any"}, "open": {"whatever": "any"}, "gone": {"a": "any"}},
    }));
    let found = policy.findings_against(&catalog);
    assert!(
        found
            .iter()
            .all(|finding| finding.severity == Severity::Warning)
    );
    insta::assert_snapshot!(lines(&found).join("\n"), @r"
        P902 /tools: the catalog has no tool `sned`
        P902 /arguments/gone: the catalog has no tool `gone`
        P902 /arguments/send/too: the tool `send` has no argument `too`
        P902 /require_approval/tools: the catalog has no tool `gone`
        P902 /languages: the catalog has no language `perl`
        P902 /agents: the catalog has no agent `x`
        P902 /models: the catalog has no model `n`
        ");
}
