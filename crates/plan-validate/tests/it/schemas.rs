//! The JSON Schemas of catalog and policy files agree with their readers.

use plan_model::Limits;
use plan_validate::{CompiledSchema, Policy, ToolCatalog, schemas};
use serde_json::{Value, json};

use crate::catalogs::document;

fn compiled(schema: &Value) -> CompiledSchema {
    CompiledSchema::compile(schema, &Limits::default()).expect("a usable schema")
}

#[test]
fn catalog_files_are_read_where_the_schema_takes_them() {
    let schema = compiled(&schemas::catalog());
    let tool = |members: Value| {
        let mut tool = json!({"name": "a"});
        tool.as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        json!({"planwright": 1, "tools": [tool]})
    };
    let files = [
        json!({}),
        json!({"planwright": 2}),
        json!({"tools": null}),
        json!({"tools": {}}),
        json!({"tool": []}),
        json!({"tools": [{}]}),
        json!({"tools": [{"name": 1}]}),
        json!({"models": [{"name": "m", "provider": "p", "base_url": "u"}]}),
        json!({"models": ["m"]}),
        json!({"languages": {"ruby": {"command": "ruby", "args": ["-w"], "env_pass": ["PATH"], "read_roots": ["/usr"], "network": true, "limits": {"cpu_secs": 1}}}}),
        json!({"languages": {"ruby": {"command": "ruby", "limits": {"memory_mib": 0}}}}),
        json!({"languages": {"ruby": {}}}),
        json!({"agents": {"a": {"kind": "loop", "model": "m"}}}),
        json!({"agents": {"a": {"kind": "robot"}}}),
        json!({"agents": {"a": {"kind": "subprocess", "command": "c", "env_pass": ["HOME"], "read_roots": ["/r"], "write_roots": ["/w"], "network": true, "limits": {"processes": 9}}}}),
        json!({"agents": {"a": {"kind": "subprocess", "command": "c", "write_roots": "/w"}}}),
        tool(json!({"description": "d", "input_schema": {}, "output_schema": true})),
        tool(json!({"input_schema": 5})),
        tool(
            json!({"effects": {"read_only": true, "idempotent": false, "destructive": false, "open_world": true}}),
        ),
        tool(json!({"effects": {"reads": true}})),
        tool(json!({"idempotency_key": "env"})),
        tool(json!({"idempotency_key": {"header": "K"}})),
        tool(json!({"idempotency_key": {"head": "K"}})),
        tool(json!({"output_trust": "trusted"})),
        tool(json!({"output_trust": "high"})),
        tool(
            json!({"sensitive_arguments": ["x"], "code_arguments": [], "secret_arguments": ["y"]}),
        ),
        tool(json!({"sensitive_arguments": "x"})),
        tool(json!({"max_concurrency": 1, "timeout_secs": 0.5, "allowlisted": false})),
        tool(json!({"max_concurrency": 0})),
        tool(json!({"timeout_secs": -1})),
        tool(
            json!({"config": {"kind": "subprocess", "command": "x", "args": ["a"], "env": {"A": "b"}, "working_dir": "w", "pass_arguments": "stdin", "capture_status": true}}),
        ),
        tool(json!({"config": {"kind": "subprocess"}})),
        tool(json!({"config": {"kind": "subprocess", "command": "x", "shell": true}})),
        tool(
            json!({"config": {"kind": "http", "base_url": "u", "method": "GET", "path_template": "p", "headers": {"A": "b"}, "timeout_secs": 1}}),
        ),
        tool(json!({"config": {"kind": "http", "method": "get"}})),
        tool(
            json!({"config": {"kind": "http", "url": "u", "query": {"q": "{q}"}, "body": "form", "output": "response", "capture_status": true, "max_response_bytes": 5, "max_redirects": 0, "redirect_hosts": ["h"], "allow_downgrade": false, "allow_private": true, "retry_statuses": [409]}}),
        ),
        tool(json!({"config": {"kind": "http", "body": {"json": {"a": ["{b}", 1]}}}})),
        tool(json!({"config": {"kind": "http", "body": {"json": null}}})),
        tool(json!({"config": {"kind": "http", "body": {"form": {"a": "{b}"}}}})),
        tool(json!({"config": {"kind": "http", "body": {"text": "{b}"}}})),
        tool(json!({"config": {"kind": "http", "body": {"text": "{b}", "form": {}}}})),
        tool(json!({"config": {"kind": "http", "body": {}}})),
        tool(json!({"config": {"kind": "http", "body": {"xml": "x"}}})),
        tool(json!({"config": {"kind": "http", "body": "xml"}})),
        tool(json!({"config": {"kind": "http", "output": "xml"}})),
        tool(json!({"config": {"kind": "http", "max_response_bytes": 0}})),
        tool(json!({"config": {"kind": "http", "max_redirects": 21}})),
        tool(json!({"config": {"kind": "http", "retry_statuses": [200]}})),
        tool(json!({"config": {"kind": "http", "allow_private": "yes"}})),
        tool(json!({"config": {"kind": "http", "query": {"a": 1}}})),
        tool(json!({"config": {"kind": "mcp", "server_command": "npx"}})),
        tool(json!({"config": {"kind": "soap"}})),
    ];
    for file in files {
        let taken = schema.accepts(&file);
        assert_eq!(
            taken,
            ToolCatalog::from_document(&document(&file)).is_ok(),
            "{file}"
        );
    }
}

#[test]
fn policy_files_are_read_where_the_schema_takes_them() {
    let schema = compiled(&schemas::policy());
    let rule = |rule: Value| json!({"arguments": {"send": {"to": rule}}});
    let files = [
        json!({}),
        json!({"planwright": 1}),
        json!({"planwright": 2}),
        json!({"tools": ["a"], "models": [], "languages": ["py"], "agents": ["x"], "secrets": ["S"], "roots": ["/data"]}),
        json!({"tools": "a"}),
        json!({"tool": ["a"]}),
        json!({"tools": null}),
        json!({"secrets": null}),
        json!({"roots": null}),
        json!({"limits": null}),
        json!({"limits": {"max_concurrency": 0}}),
        json!({"roots": [5]}),
        json!({"limits": {"max_tool_calls": 1, "max_model_tokens": 2, "max_wall_secs": 1.5, "max_concurrency": 3, "max_fan_out_items": 4, "max_steps": 5}}),
        json!({"limits": {"max_tool_calls": -1}}),
        json!({"limits": {"max_calls": 1}}),
        json!({"severities": {"P206": "off", "unused-input": "warning"}}),
        json!({"severities": {"P206": "fatal"}}),
        json!({"require_approval": {"effects": ["write", "destructive", "open_world", "code"], "tools": ["send"]}}),
        json!({"require_approval": {"effects": ["magic"]}}),
        json!({"require_approval": {"effects": ["write"], "without": "deny"}}),
        json!({"require_approval": {"without": "refuse"}}),
        json!({"require_approval": ["send"]}),
        json!({"untrusted": "deny"}),
        json!({"untrusted": "never"}),
        json!({"untrusted_sources": ["inputs", "answers"]}),
        json!({"untrusted_sources": ["tools"]}),
        json!({"untrusted_sources": "inputs"}),
        json!({"sandbox": {"mode": "best_effort"}}),
        json!({"sandbox": "off"}),
        json!({"sandbox": {"limits": {"cpu_secs": 1, "memory_mib": 2, "file_mib": 3, "open_files": 4, "processes": 5}}}),
        json!({"sandbox": {"mode": "off", "limits": {}}}),
        json!({"sandbox": {"limits": {"cpu_secs": 0}}}),
        json!({"sandbox": {"limits": {"cpu_secs": 1.5}}}),
        json!({"sandbox": {"limits": {"memory_gib": 1}}}),
        json!({"sandbox": {"limits": [1]}}),
        rule(json!("any")),
        rule(json!("all")),
        rule(json!({"exact": null})),
        rule(json!({"one_of": [1, "a"]})),
        rule(json!({"one_of": 1})),
        rule(json!({"one_of": []})),
        rule(json!({"url": {"schemes": [], "hosts": ["a.test"]}})),
        rule(json!({"url": {"schemes": ["https://"], "hosts": ["a.test"]}})),
        rule(json!({"url": {"schemes": ["https"], "hosts": ["https://a.test"]}})),
        rule(json!({"url": {"schemes": ["https"], "hosts": ["a.test:443"]}})),
        rule(json!({"url": {"schemes": ["https"], "hosts": ["*"]}})),
        rule(json!({"url": {"schemes": ["https"], "hosts": ["localhost", "10.0.0.1"]}})),
        rule(json!(null)),
        rule(json!({"range": {"min": 1, "max": 2.5}})),
        rule(json!({"range": {"least": 1}})),
        rule(json!({"subpath": "/data"})),
        rule(json!({"url": {"schemes": ["https"], "hosts": ["*.example.com"]}})),
        rule(json!({"url": {"schemes": ["https"]}})),
        rule(json!({"schema": {"type": "string"}})),
        rule(json!({"exact": 1, "range": {}})),
        rule(json!({"regex": "x"})),
    ];
    for file in files {
        let taken = schema.accepts(&file);
        assert_eq!(
            taken,
            Policy::from_document(&document(&file)).is_ok(),
            "{file}"
        );
    }
}

#[test]
fn what_a_schema_cannot_say_the_reader_says() {
    for file in [
        json!({"roots": ["data"]}),
        json!({"roots": ["/data/../etc"]}),
        json!({"severities": {"P999": "off"}}),
        json!({"severities": {"P203": "warning"}}),
        json!({"arguments": {"send": {"to": {"subpath": "../x"}}}}),
        json!({"arguments": {"send": {"to": {"schema": {"$ref": "https://example.com"}}}}}),
    ] {
        assert!(Policy::from_document(&document(&file)).is_err(), "{file}");
    }
}
