//! SARIF: what the published schema asks, said over the findings of every page.
//!
//! The schema itself is not in the tree, since its licence does not let it be; its closed objects,
//! required members and words are below.

use plan_model::Limits;
use plan_model::document::parse;
use plan_validate::render::sarif;
use plan_validate::{Finding, rules};
use serde_json::{Map, Value, json};

use crate::page;
use crate::pages;
use crate::sample;

/// An object that has no members but these, and all that are required.
fn object<'v>(value: &'v Value, required: &[&str], optional: &[&str]) -> &'v Map<String, Value> {
    let members = value.as_object().expect("an object");
    for name in required {
        assert!(
            members.contains_key(*name),
            "`{name}` is missing in {value}"
        );
    }
    for name in members.keys() {
        let known = required.contains(&name.as_str()) || optional.contains(&name.as_str());
        assert!(
            known,
            "`{name}` is not a member of {required:?} {optional:?}"
        );
    }
    members
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> &str {
    let text = value.as_str().expect("a text");
    assert!(!text.is_empty());
    text
}

fn word<'v>(value: &'v Value, words: &[&str]) -> &'v str {
    let word = text(value);
    assert!(words.contains(&word), "`{word}` is none of {words:?}");
    word
}

const LEVELS: [&str; 4] = ["none", "note", "warning", "error"];

fn message(value: &Value) {
    let members = object(
        value,
        &["text"],
        &["markdown", "id", "arguments", "properties"],
    );
    // a brace that is not doubled would be a placeholder
    let plain = text(&members["text"]).replace("{{", "").replace("}}", "");
    assert!(!plain.contains(['{', '}']), "{value}");
}

fn uri(value: &Value) {
    let uri = text(value);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/%:".contains(c);
    assert!(uri.chars().all(plain), "`{uri}` is no URI reference");
}

fn artifact(value: &Value) {
    let members = object(
        value,
        &["uri", "index"],
        &["uriBaseId", "description", "properties"],
    );
    uri(&members["uri"]);
    assert_eq!(members["index"], 0);
}

/// A region says its place twice, in lines and columns and in bytes: they are the same place.
fn region(value: &Value, source: &str) -> String {
    let names = [
        "startLine",
        "startColumn",
        "endLine",
        "endColumn",
        "byteOffset",
        "byteLength",
    ];
    let members = object(value, &names, &["snippet", "message", "properties"]);
    let [line, column, end_line, end_column, offset, length] =
        names.map(|name| usize::try_from(members[name].as_u64().unwrap()).unwrap());
    assert!(
        line >= 1 && column >= 1 && end_column >= 1 && end_line >= line,
        "{value}"
    );
    let byte_of = |line: usize, column: usize| {
        let start: usize = source
            .split_inclusive('\n')
            .take(line - 1)
            .map(str::len)
            .sum();
        let rest = source.get(start..).unwrap();
        let within = rest.char_indices().map(|(at, _)| at).nth(column - 1);
        start + within.unwrap_or(rest.len())
    };
    assert_eq!(byte_of(line, column), offset, "{value}");
    assert_eq!(byte_of(end_line, end_column), offset + length, "{value}");
    source.get(offset..offset + length).unwrap().to_owned()
}

fn location(value: &Value, source: &str) {
    let members = object(
        value,
        &["physicalLocation", "logicalLocations"],
        &[
            "id",
            "message",
            "annotations",
            "relationships",
            "properties",
        ],
    );
    let physical = object(
        &members["physicalLocation"],
        &["artifactLocation"],
        &["region", "contextRegion", "address", "properties"],
    );
    artifact(&physical["artifactLocation"]);
    if let Some(part) = physical.get("region") {
        region(part, source);
    }
    for logical in list(&members["logicalLocations"]) {
        let members = object(
            logical,
            &["fullyQualifiedName"],
            &[
                "name",
                "index",
                "decoratedName",
                "parentIndex",
                "kind",
                "properties",
            ],
        );
        assert!(members["fullyQualifiedName"].is_string());
    }
    if let Some(told) = members.get("message") {
        message(told);
    }
}

fn rule(value: &Value) {
    let members = object(
        value,
        &[
            "id",
            "name",
            "shortDescription",
            "fullDescription",
            "helpUri",
            "help",
            "defaultConfiguration",
        ],
        &[
            "guid",
            "deprecatedIds",
            "messageStrings",
            "relationships",
            "properties",
        ],
    );
    text(&members["id"]);
    text(&members["name"]);
    uri(&members["helpUri"]);
    for name in ["shortDescription", "fullDescription", "help"] {
        let described = object(&members[name], &["text"], &["markdown", "properties"]);
        text(&described["text"]);
    }
    let page = text(&members["help"]["markdown"]);
    assert!(page.starts_with(&format!("# {}", text(&members["id"]))));
    let level = object(
        &members["defaultConfiguration"],
        &["level"],
        &["enabled", "rank"],
    );
    word(&level["level"], &LEVELS);
}

fn fix(value: &Value, source: &str) {
    let members = object(value, &["artifactChanges", "description"], &["properties"]);
    message(&members["description"]);
    for change in list(&members["artifactChanges"]) {
        let change = object(
            change,
            &["artifactLocation", "replacements"],
            &["properties"],
        );
        artifact(&change["artifactLocation"]);
        let mut mended = source.to_owned();
        assert!(!list(&change["replacements"]).is_empty());
        for replacement in list(&change["replacements"]).iter().rev() {
            let names = ["insertedContent", "properties"];
            let replacement = object(replacement, &["deletedRegion"], &names);
            let deleted = &replacement["deletedRegion"];
            let part = region(deleted, source);
            let at = usize::try_from(deleted["byteOffset"].as_u64().unwrap()).unwrap();
            let inserted = replacement.get("insertedContent");
            let inserted = inserted.map_or("", |content| text(&content["text"]));
            mended.replace_range(at..at + part.len(), inserted);
        }
        let parsed = parse(mended.as_bytes(), &Limits::default());
        assert!(parsed.document.is_some(), "the fix leaves JSON: {mended}");
    }
}

fn result(value: &Value, rules: &[Value], source: &str) {
    let members = object(
        value,
        &[
            "ruleId",
            "ruleIndex",
            "level",
            "message",
            "locations",
            "partialFingerprints",
        ],
        &["relatedLocations", "fixes", "properties", "kind", "rank"],
    );
    let index = usize::try_from(members["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(rules[index]["id"], members["ruleId"]);
    word(&members["level"], &LEVELS);
    message(&members["message"]);
    assert_eq!(list(&members["locations"]).len(), 1);
    location(&members["locations"][0], source);
    for (id, related) in members
        .get("relatedLocations")
        .map_or(&vec![], list)
        .iter()
        .enumerate()
    {
        location(related, source);
        assert_eq!(related["id"], id);
    }
    for each in members.get("fixes").map_or(&vec![], list) {
        fix(each, source);
    }
    for fingerprint in members["partialFingerprints"].as_object().unwrap().values() {
        text(fingerprint);
    }
}

/// Checks a log, and gives its results.
fn check(log: &Value, source: &str) -> Vec<Value> {
    let members = object(log, &["version", "runs", "$schema"], &["properties"]);
    assert_eq!(members["version"], "2.1.0");
    let [run] = list(&members["runs"]).as_slice() else {
        panic!("one run");
    };
    let run = object(
        run,
        &[
            "tool",
            "columnKind",
            "results",
            "invocations",
            "artifacts",
            "properties",
        ],
        &[],
    );
    word(&run["columnKind"], &["utf16CodeUnits", "unicodeCodePoints"]);
    let tool = object(&run["tool"], &["driver"], &["extensions", "properties"]);
    let driver = object(
        &tool["driver"],
        &["name", "semanticVersion", "informationUri", "rules"],
        &[],
    );
    uri(&driver["informationUri"]);
    let rules = list(&driver["rules"]);
    rules.iter().for_each(rule);
    let invocation = &list(&run["invocations"])[0];
    assert!(object(invocation, &["executionSuccessful"], &[])["executionSuccessful"].is_boolean());
    for artifact in list(&run["artifacts"]) {
        let names = ["location", "length", "mimeType", "encoding"];
        assert_eq!(object(artifact, &names, &[])["length"], source.len());
    }
    assert!(run["properties"]["truncated"].is_u64());
    let results = list(&run["results"]);
    for each in results {
        result(each, rules, source);
    }
    let mut used: Vec<&str> = results.iter().map(|it| text(&it["ruleId"])).collect();
    used.sort_unstable();
    used.dedup();
    let described: Vec<&str> = rules.iter().map(|rule| text(&rule["id"])).collect();
    assert_eq!(described, used, "each rule that is used, once, in order");
    results.clone()
}

#[test]
fn the_log_of_every_page_is_as_the_standard_asks() {
    let mut fixes = 0;
    for rule in rules() {
        let blocks = page::parse(rule.page).rejected;
        let Some(source) = blocks.get("json").or_else(|| blocks.get("json answer")) else {
            continue;
        };
        let of_plan = !blocks.contains_key("json inputs") && !rule.code.as_str().starts_with("P9");
        let findings: Vec<Finding> = if of_plan {
            pages::findings(&blocks)
        } else {
            Vec::new()
        };
        let results = check(&sarif(&findings, 0, "plan.json", source), source);
        assert_eq!(results.len(), findings.len());
        fixes += results
            .iter()
            .filter(|it| it.get("fixes").is_some())
            .count();
    }
    assert!(fixes > 0);
}

#[test]
fn columns_count_code_points() {
    let source = "{\"steps\": [\n  {\"name\": \"größe😀\", \"tool\": \"nöwhere\"}\n]}";
    let document: Value = serde_json::from_str(source).unwrap();
    assert_eq!(sample::codes(&document), ["P301"]);
    let findings = sample::findings_in(source);
    let results = check(&sarif(&findings, 7, "a b.json", source), source);
    let region = &results[0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(
        (&region["startLine"], &region["startColumn"]),
        (&json!(2), &json!(30))
    );
}

#[test]
fn what_was_left_out_is_counted() {
    let log = sarif(&[], 42, "plan.json", "{}");
    assert!(check(&log, "{}").is_empty());
    assert_eq!(log["runs"][0]["properties"]["truncated"], 42);
}

#[test]
fn a_fingerprint_stays_when_steps_before_it_come_and_go() {
    let fingerprints = |document: &Value| {
        let source = format!("{document:#}");
        let findings = sample::findings_in(&source);
        let results = check(&sarif(&findings, 0, "plan.json", &source), &source);
        let mut all: Vec<String> = results
            .iter()
            .map(|it| it["partialFingerprints"]["planwrightFinding/v1"].to_string())
            .collect();
        all.sort();
        all
    };
    let broken = sample::after("b", &["nobody"]);
    let one = fingerprints(&sample::plan(json!([broken])));
    let other = fingerprints(&sample::plan(json!([sample::after("a", &[]), broken])));
    assert_eq!(one, other);
    let elsewhere = fingerprints(&sample::plan(json!([sample::after("c", &["nobody"])])));
    assert_ne!(one, elsewhere);
}
