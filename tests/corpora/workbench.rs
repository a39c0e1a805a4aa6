//! `WorkBench`: what models called when asked to do office work.
//!
//! A list of calls becomes a planner's list of the same calls, each after the one before. The
//! names of tools and of their arguments are known, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use planwright::model::Schema;
use planwright::{Finding, ToolCatalog, ToolName, ToolSpec};
use serde_json::{Map, Value, json};

use super::rows::{Corpora, CorpusTest, ErrorsByModel, Verdict, assert_counted, errors_of};

pub(crate) const TESTS: &[CorpusTest] = &[
    CorpusTest {
        name: "workbench::every_unknown_tool_and_argument_is_found_and_nothing_else",
        run: unknown_names,
    },
    CorpusTest {
        name: "workbench::each_plan_has_its_model_and_its_errors",
        run: models_and_errors,
    },
];

fn unknown_names(corpora: &Corpora) {
    let (mut tools, mut arguments) = (0, 0);
    for prediction in Prediction::all(corpora) {
        let verdict = Verdict::of(&prediction.document, &prediction.catalog);
        assert_eq!(
            places(&verdict.findings, "P301"),
            prediction.unknown_tools,
            "{}: {:#?}",
            prediction.query,
            verdict.findings
        );
        assert_eq!(
            places(&verdict.findings, "P304"),
            prediction.unknown_arguments,
            "{}: {:#?}",
            prediction.query,
            verdict.findings
        );
        let others = verdict.errors();
        let others: Vec<&&str> = others
            .iter()
            .filter(|code| !["P301", "P304"].contains(*code))
            .collect();
        assert!(
            others.is_empty(),
            "{}: {:#?}",
            prediction.query,
            verdict.findings
        );
        tools += prediction.unknown_tools.len();
        arguments += prediction.unknown_arguments.len();
    }
    assert!(
        tools > 0 && arguments > 0,
        "{tools} unknown tools, {arguments} unknown arguments"
    );
}

/// Every place of which findings of a rule speak.
fn places(findings: &[Finding], code: &str) -> BTreeSet<String> {
    let findings = findings
        .iter()
        .filter(|finding| finding.code.as_str() == code);
    findings
        .flat_map(|finding| {
            let related = finding.related.iter().map(|related| &related.pointer);
            std::iter::once(&finding.pointer).chain(related)
        })
        .map(ToString::to_string)
        .collect()
}

fn models_and_errors(corpora: &Corpora) {
    assert_counted(&errors_by_model(corpora), Prediction::all(corpora).len());
}

/// What each model gets wrong.
pub(crate) fn errors_by_model(corpora: &Corpora) -> ErrorsByModel {
    let all = Prediction::all(corpora);
    let rows = all.iter();
    rows.map(|it| errors_of(&it.model, &it.document, &it.catalog))
        .collect()
}

struct Prediction {
    model: String,
    query: String,
    document: Value,
    catalog: ToolCatalog,
    unknown_tools: BTreeSet<String>,
    unknown_arguments: BTreeSet<String>,
}

impl Prediction {
    fn all(corpora: &Corpora) -> Vec<Self> {
        let signatures = signatures(&corpora.document("workbench/signatures.json"));
        let catalog = catalog(&signatures);
        let rows = corpora.rows("workbench/predictions_sample.jsonl");
        // a list without a call is no plan
        let rows = rows.iter().filter(|row| row["steps"] != json!([]));
        rows.map(|row| Self::convert(row, &catalog, &signatures))
            .collect()
    }

    fn convert(
        row: &Value,
        catalog: &ToolCatalog,
        signatures: &BTreeMap<String, Vec<String>>,
    ) -> Self {
        let (mut unknown_tools, mut unknown_arguments) = (BTreeSet::new(), BTreeSet::new());
        let mut steps = Vec::new();
        for (index, call) in row["steps"].as_array().unwrap().iter().enumerate() {
            let tool = call["tool"].as_str().unwrap();
            match signatures.get(tool) {
                None => {
                    unknown_tools.insert(format!("/steps/{index}/tool"));
                }
                Some(known) => {
                    let names = call["args"].as_object().unwrap().keys();
                    let unknown = names.filter(|name| !known.contains(*name));
                    unknown_arguments
                        .extend(unknown.map(|name| format!("/steps/{index}/args/{name}")));
                }
            }
            steps.push(json!({
                "name": call["id"], "tool": tool, "args": call["args"],
            }));
        }
        Self {
            model: row["model"].as_str().unwrap().to_owned(),
            query: row["query"].as_str().unwrap().to_owned(),
            document: json!({"objective": row["query"], "steps": steps}),
            catalog: catalog.clone(),
            unknown_tools,
            unknown_arguments,
        }
    }
}

fn signatures(document: &Value) -> BTreeMap<String, Vec<String>> {
    serde_json::from_value(document.clone()).unwrap()
}

/// Tools whose arguments have names and no types.
fn catalog(signatures: &BTreeMap<String, Vec<String>>) -> ToolCatalog {
    let mut builder = ToolCatalog::builder();
    for (tool, arguments) in signatures {
        let properties: Map<String, Value> = arguments
            .iter()
            .map(|name| (name.clone(), json!({})))
            .collect();
        let mut spec = ToolSpec::named(ToolName::new(tool.as_str()).unwrap());
        spec.input_schema = Some(Schema(json!({"type": "object", "properties": properties})));
        builder = builder.tool(spec);
    }
    builder.build().unwrap()
}
