//! Strict schemas: whatever fits one is free of faults of shape, of tools and of arguments.
#![expect(clippy::needless_pass_by_value, reason = "a literal at every call")]

mod instance;

use plan_model::Plan;
use plan_validate::{
    Context, Finding, Policy, SchemaFor, Severity, ToolCatalog, check, planner_schema_for,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::catalogs::catalog;
use instance::instances;

/// Rules that a document which fits its schema keeps; a note that null is not sent may remain.
fn broken(text: &str, catalog: &ToolCatalog) -> Vec<String> {
    let mut policy = Policy::default();
    policy.limits.findings = 10_000;
    let findings = match check(text, &Context::new(catalog, &policy)) {
        Ok(plan) => plan.warnings().to_vec(),
        Err(rejected) => rejected.findings().to_vec(),
    };
    let about = |finding: &&Finding| {
        let code = finding.code.as_str();
        let is_null =
            finding.severity == Severity::Note && finding.message.starts_with("null is not sent");
        (code.starts_with("P1") || ("P301"..="P305").contains(&code)) && !is_null
    };
    findings.iter().filter(about).map(Finding::line).collect()
}

fn host() -> ToolCatalog {
    catalog(&json!({"planwright": 1, "tools": [
        {"name": "search", "description": "Finds pages",
         "input_schema": {"type": "object", "properties": {
            "query": {"type": "string", "description": "what to look for"}, "limit": {"type": "integer", "minimum": 1, "maximum": 50}}, "required": ["query"]},
         "output_schema": {"type": "object", "properties": {
            "hits": {"type": "array", "items": {"type": "object", "properties": {"url": {"type": "string"}, "rank": {"type": "integer"}}, "required": ["url"], "additionalProperties": false}},
            "total": {"type": "integer"}}, "additionalProperties": false}},
        {"name": "fetch page", "input_schema": {"type": "object", "properties": {"url": {"type": "string"}, "mode": {"enum": ["text", "html"]}}, "required": ["url", "mode"], "additionalProperties": false}},
        {"name": "hidden", "allowlisted": false},
        {"name": "broken", "input_schema": {"$ref": "https://example.com/x"}},
        {"name": "loose"},
    ]}))
}

/// A plan whose members are those of the strict form.
fn plan(steps: &[Value]) -> Value {
    json!({
        "metadata": {"id": "3f2a8c1e-0b7d-4e55-9c7a-0d4b6a1f2e90", "version": 1,
            "created_at": "2026-01-28T12:00:00Z", "updated_at": "2026-01-28T12:00:00Z", "intent": null},
        "name": "sample", "description": null, "inputs": null, "outputs": null, "failure_policy": null,
        "steps": steps,
    })
}

fn step(id: &str, tool: &str, arguments: Value) -> Value {
    json!({"id": id, "name": id, "description": null, "depends_on": null, "timeout_secs": null, "retry": null,
        "join": null, "on_error": null,
        "config": {"type": "TOOL_CALL", "tool": tool, "arguments": arguments}})
}

fn fits(schema: &Value, document: &Value) -> bool {
    jsonschema::draft202012::new(schema)
        .unwrap()
        .is_valid(document)
}

#[test]
fn tools_are_those_of_the_catalog_that_may_be_used() {
    let schema = Plan::schema_for(&host());
    let text = schema.to_string();
    for name in ["search", "fetch page", "loose"] {
        assert!(text.contains(&format!("[{}]", json!(name))), "{name}");
    }
    for name in ["hidden", "broken"] {
        assert!(!text.contains(name), "{name}");
    }
    let search = json!({"query": "rust", "limit": null});
    assert!(fits(
        &schema,
        &plan(&[step("search_1", "search", search.clone())])
    ));
    assert!(!fits(
        &schema,
        &plan(&[step("search_1", "hidden", json!({}))])
    ));
    assert!(!fits(
        &schema,
        &plan(&[step("search_1", "serach", search.clone())])
    ));
    let only = Policy::from_document(
        &plan_model::document::parse(br#"{"tools": ["loose"]}"#, &plan_model::Limits::default())
            .document
            .unwrap(),
    )
    .unwrap();
    let narrow = Plan::schema_under(&Context::new(&host(), &only));
    assert!(!fits(&narrow, &plan(&[step("search_1", "search", search)])));
    assert!(fits(
        &narrow,
        &plan(&[step("loose_1", "loose", json!({"a": 1}))])
    ));
}

#[test]
fn arguments_are_closed_and_all_there() {
    let schema = Plan::schema_for(&host());
    let takes = |arguments: Value| fits(&schema, &plan(&[step("search_1", "search", arguments)]));
    assert!(takes(json!({"query": "a", "limit": 3})));
    assert!(
        !takes(json!({"query": "a"})),
        "an optional argument is null"
    );
    assert!(!takes(json!({"query": "a", "limit": 0})), "out of range");
    assert!(
        !takes(json!({"query": "a", "limit": "3"})),
        "a string is no integer"
    );
    assert!(
        !takes(json!({"query": "a", "limit": 3, "page": 1})),
        "no such argument"
    );
    assert!(
        !takes(json!({"query": null, "limit": 3})),
        "a required argument"
    );
}

#[test]
fn data_flows_by_references_whose_type_is_known_to_fit() {
    let schema = Plan::schema_for(&host());
    let two = |arguments: Value| {
        plan(&[
            step("search_1", "search", json!({"query": "rust", "limit": 3})),
            step("fetch_page_1", "fetch page", arguments),
        ])
    };
    let takes = |url: &str| fits(&schema, &two(json!({"url": url, "mode": "text"})));
    assert!(takes("${step.search_1.hits[0].url}"));
    assert!(takes("${input.text_topic}"));
    assert!(takes(
        "see ${step.search_1.total} and ${step.search_1.hits}"
    ));
    assert!(takes("$100"));
    assert!(!takes("${step.search_1.hits}"), "a list is no text");
    assert!(
        !takes("${step.search_1.total}"),
        "a number would be rendered"
    );
    assert!(!takes("${secret.KEY}"));
    assert!(!takes("${env.HOME}") && !takes("at ${env.HOME}"));
    let limits = |limit: &str| {
        let arguments = json!({"query": "a", "limit": limit});
        fits(&schema, &plan(&[step("search_2", "search", arguments)]))
    };
    assert!(limits("${step.search_1.total}") && limits("${step.loose_1.n}"));
    assert!(!limits("${step.search_1.hits[0].url}") && !limits("${input.text_n}"));
    let good = two(json!({"url": "${step.search_1.hits[0].url}", "mode": "text"}));
    let (catalog, policy) = (host(), Policy::default());
    let plan = check(&good.to_string(), &Context::new(&catalog, &policy)).unwrap();
    assert_eq!(plan.warnings(), []);
}

#[test]
fn ids_of_tools_that_look_alike_are_told_apart() {
    let catalog = ToolCatalog::from_names(["a b", "a-b", "a_b_2", "approval", "9", "ü"]).unwrap();
    let schema = Plan::schema_for(&catalog);
    let takes = |id: &str, tool: &str| fits(&schema, &plan(&[step(id, tool, json!({}))]));
    assert!(takes("a_b_1", "a b") && !takes("a_b_1", "a-b"));
    assert!(takes("a_b_2_1", "a-b") && takes("a_b_2_2_1", "a_b_2"));
    assert!(takes("approval_2_1", "approval"));
    assert!(takes("tool_9_1", "9"));
    assert!(takes("tool_1", "ü"));
}

#[test]
fn a_planners_list_has_its_own() {
    let catalog = host();
    let schema = planner_schema_for(&catalog);
    let list = json!({"objective": null, "steps": [
        {"name": "search_1", "tool": "search", "args": {"query": "x", "limit": null}, "after": [], "description": null},
        {"name": "fetch_page_1", "tool": "fetch page", "args": {"url": "${step.search_1.hits[0].url}", "mode": "html"}, "after": ["search_1"], "description": null},
    ]});
    assert!(fits(&schema, &list));
    assert_eq!(broken(&list.to_string(), &catalog), Vec::<String>::new());
    let mut silent = list;
    silent["steps"][1].as_object_mut().unwrap().remove("after");
    assert!(!fits(&schema, &silent), "edges are said");
}

#[test]
fn the_same_catalog_gives_the_same_bytes() {
    assert_eq!(
        Plan::schema_for(&host()).to_string(),
        Plan::schema_for(&host()).to_string()
    );
}

/// Every object of a schema is closed and has all its members required; no keyword but these is there.
#[test]
fn the_form_is_strict() {
    const KEYWORDS: &[&str] = &[
        "$schema",
        "$defs",
        "$ref",
        "title",
        "description",
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "anyOf",
        "enum",
        "pattern",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
    ];
    fn visit(schema: &Value) {
        let keywords = schema.as_object().expect("a schema");
        for (name, value) in keywords {
            assert!(KEYWORDS.contains(&name.as_str()), "{name}");
            match name.as_str() {
                "properties" | "$defs" => value.as_object().unwrap().values().for_each(visit),
                "items" => visit(value),
                "anyOf" => value.as_array().unwrap().iter().for_each(visit),
                _ => {}
            }
        }
        if let Some(members) = keywords.get("properties") {
            assert_eq!(keywords["additionalProperties"], false);
            let names: Vec<&String> = members.as_object().unwrap().keys().collect();
            assert_eq!(keywords["required"].as_array().unwrap().len(), names.len());
        }
    }
    let catalog = catalog(&json!({"planwright": 1, "tools": [
        {"name": "search", "input_schema": {"type": "object", "properties": {
            "query": {"type": "string"}, "filters": {"type": "array", "items": {"$ref": "#/$defs/filter"}}},
            "$defs": {"filter": {"type": "object", "properties": {"key": {"type": "string"}, "more": {"type": "number"}}, "required": ["key"]}}}},
    ]}));
    for schema in [Plan::schema_for(&catalog), planner_schema_for(&catalog)] {
        assert!(schema.get("anyOf").is_none(), "the root is an object");
        visit(&schema);
    }
}

/// One document with the steps of all of them, so that references meet the steps that they name.
fn merged(documents: &[Value]) -> Option<Value> {
    let mut whole = documents.first()?.clone();
    let mut steps: Vec<Value> = Vec::new();
    for step in documents
        .iter()
        .flat_map(|it| it["steps"].as_array().unwrap())
    {
        let name = |step: &Value| step.get("id").or_else(|| step.get("name")).cloned();
        if steps.iter().all(|known| name(known) != name(step)) {
            steps.push(step.clone());
        }
    }
    whole["steps"] = steps.into();
    Some(whole)
}

#[test]
fn instances_read_what_other_steps_deliver() {
    let catalog = host();
    let schema = Plan::schema_for(&catalog);
    let mut reading = 0;
    for seed in 0..4 {
        let whole = merged(&instances(&schema, seed, 40)).unwrap();
        assert!(fits(&schema, &whole));
        assert_eq!(broken(&whole.to_string(), &catalog), Vec::<String>::new());
        let steps = whole["steps"].as_array().unwrap();
        let ids: Vec<&str> = steps
            .iter()
            .map(|step| step["id"].as_str().unwrap())
            .collect();
        let reads = |step: &&Value| {
            let text = step["config"]["arguments"].to_string();
            ids.iter()
                .any(|id| text.contains(&format!("\"${{step.{id}.")))
        };
        reading += steps.iter().filter(reads).count();
    }
    assert!(reading >= 3, "{reading}");
}

/// A schema of a value, of the keywords that tools use.
fn of_value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "integer"})),
        Just(json!({"type": "number", "minimum": 0, "maximum": 10})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "null"})),
        Just(json!({})),
        Just(json!({"type": ["string", "null"]})),
        Just(json!({"type": ["integer", "string"]})),
        Just(json!({"enum": ["a", "b", 3, null, "${x}"]})),
        Just(json!({"type": "string", "enum": ["a", "b"]})),
        Just(json!({"const": "x"})),
        Just(json!({"type": "string", "pattern": "^[a-z]{1,4}$"})),
        Just(json!({"type": "string", "pattern": "a"})),
        Just(json!({"type": "string", "minLength": 1, "maxLength": 4})),
        Just(json!({"type": "string", "format": "uri"})),
        Just(json!({"type": "object"})),
        Just(json!({"type": "integer", "not": {"const": 3}})),
        Just(json!({"$ref": "#/$defs/node"})),
        Just(json!({"oneOf": [{"type": "string"}, {"type": "integer"}]})),
        Just(json!({"oneOf": [{"type": "integer"}, {"minimum": 3}]})),
        Just(json!({"type": "integer", "multipleOf": 5})),
    ];
    scalar.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            (inner.clone(), any::<bool>()).prop_map(|(items, unique)| json!({"type": "array", "items": items, "maxItems": 3, "uniqueItems": unique})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|parts| json!({ "anyOf": parts })),
            inner.clone().prop_map(|part| json!({ "allOf": [part] })),
            of_members(inner),
        ]
    })
}

/// A schema of an object with some members.
fn of_members(member: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Value> {
    let members = prop::collection::btree_map("[a-d]", (member, any::<bool>()), 0..4);
    (members, prop::option::of(any::<bool>())).prop_map(|(members, additional)| {
        let required: Vec<&String> = members
            .iter()
            .filter(|(_, (_, required))| *required)
            .map(|(name, _)| name)
            .collect();
        let properties: serde_json::Map<String, Value> = members
            .iter()
            .map(|(name, (schema, _))| (name.clone(), schema.clone()))
            .collect();
        let mut schema =
            json!({ "type": "object", "properties": properties, "required": required });
        if let Some(additional) = additional {
            schema["additionalProperties"] = additional.into();
        }
        schema
    })
}

fn with_definitions(mut schema: Value) -> Value {
    schema["$defs"] = json!({"node": {"type": "object", "properties": {
        "value": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}, "required": ["value"]}});
    schema
}

fn catalogs() -> impl Strategy<Value = ToolCatalog> {
    let input = prop_oneof![
        6 => of_members(of_value()).prop_map(|schema| Some(with_definitions(schema))),
        1 => (of_members(of_value()), of_members(of_value())).prop_map(|(a, b)| Some(with_definitions(json!({ "anyOf": [a, b] })))),
        1 => of_members(of_value()).prop_map(|mut schema| { schema["minProperties"] = 1.into(); Some(with_definitions(schema)) }),
        1 => Just(None),
    ];
    let tool = (input, prop::option::of(of_members(of_value())));
    prop::collection::vec(tool, 1..5).prop_map(|tools| {
        let names = ["fetch", "fetch_1", "Get-It", "approval", "söt"];
        let tools: Vec<Value> = tools
            .into_iter()
            .zip(names)
            .map(|((input, output), name)| {
                let mut tool = json!({ "name": name });
                if let Some(input) = input {
                    tool["input_schema"] = input;
                }
                if let Some(output) = output {
                    tool["output_schema"] = with_definitions(output);
                }
                tool
            })
            .collect();
        catalog(&json!({ "planwright": 1, "tools": tools }))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_fits_the_schema_of_a_plan_has_no_fault_of_shape_tool_or_argument(
        catalog in catalogs(),
        seed in any::<u64>(),
    ) {
        let schema = Plan::schema_for(&catalog);
        let mut documents = instances(&schema, seed, 12);
        documents.extend(merged(&documents));
        for document in documents {
            prop_assert_eq!(broken(&document.to_string(), &catalog), Vec::<String>::new(), "{:#}", document);
        }
    }

    #[test]
    fn what_fits_the_schema_of_a_planners_list_has_no_fault_of_shape_tool_or_argument(
        catalog in catalogs(),
        seed in any::<u64>(),
    ) {
        let schema = planner_schema_for(&catalog);
        let mut documents = instances(&schema, seed, 12);
        documents.extend(merged(&documents));
        for document in documents {
            prop_assert_eq!(broken(&document.to_string(), &catalog), Vec::<String>::new(), "{:#}", document);
        }
    }
}
