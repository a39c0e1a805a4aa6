//! Every rule's page is its test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use plan_model::Limits;
use plan_model::document::{Document, DocumentKind, ReadOptions, parse, read};
use plan_validate::{
    Applicability, Context, Finding, PlanRejected, Policy, ToolCatalog, ValidatedPlan, check,
    check_answer, check_inputs, check_plan, explain, reserved_codes, rules,
};

use crate::page;

/// Tools of which only the names are known: pages whose rule is not about tools use these.
const SAMPLE_TOOLS: [&str; 6] = ["search", "fetch", "summarise", "send", "save", "list"];

fn document(text: &str) -> Document {
    parse(text.as_bytes(), &Limits::default())
        .document
        .expect("a block of a page is JSON")
}

/// What a side of a page is checked under; its findings where that itself is refused.
fn host(blocks: &BTreeMap<String, String>) -> Result<(ToolCatalog, Policy), Vec<Finding>> {
    let catalog = match blocks.get("json catalog") {
        Some(text) => ToolCatalog::from_document(&document(text))
            .map_err(|rejected| rejected.findings().to_vec())?,
        None => ToolCatalog::from_names(SAMPLE_TOOLS).expect("the sample names are names"),
    };
    let policy = match blocks.get("json policy") {
        Some(text) => Policy::from_document(&document(text))
            .map_err(|rejected| rejected.findings().to_vec())?,
        None => Policy::default(),
    };
    Ok((catalog, policy))
}

/// Every finding of one side of a page.
pub(crate) fn findings(blocks: &BTreeMap<String, String>) -> Vec<Finding> {
    let (catalog, policy) = match host(blocks) {
        Ok(host) => host,
        Err(findings) => return findings,
    };
    let cx = Context::new(&catalog, &policy);
    let checked = match (blocks.get("json"), blocks.get("json answer")) {
        (Some(text), None) => check(text, &cx),
        (None, Some(answer)) => check_answer(answer, &cx),
        (None, None) => return policy.findings_against(&catalog),
        (Some(_), Some(_)) => panic!("a page shows a plan or an answer"),
    };
    let plan = match checked {
        Ok(plan) => plan,
        Err(rejected) => return rejected.findings().to_vec(),
    };
    if let Some(text) = blocks.get("json inputs") {
        let inputs = serde_json::from_str(text).expect("inputs are a JSON object");
        if let Err(findings) = check_inputs(&plan, inputs) {
            return findings;
        }
    }
    plan.warnings().to_vec()
}

#[test]
fn every_page_gets_what_it_shows() {
    let mut wrong = Vec::new();
    for rule in rules() {
        let page = page::parse(rule.page);
        let title = format!("{} {}", rule.code, rule.name);
        assert_eq!(page.title, title, "the title of {title}");
        for part in ["**What it finds.**", "**Why it matters.**"] {
            assert!(page.prose.contains(part), "`{part}` is missing in {title}");
        }
        let expected = page.rejected.get("text").map_or("", String::as_str);
        if !expected
            .lines()
            .any(|line| line.starts_with(rule.code.as_str()))
        {
            wrong.push(format!("--- {title} shows no finding of its own"));
        }
        let lines: Vec<String> = findings(&page.rejected).iter().map(Finding::line).collect();
        if lines.join("\n") != expected {
            wrong.push(format!("--- {title}, rejected\n{}", lines.join("\n")));
        }
        let left: Vec<String> = findings(&page.mended)
            .iter()
            .filter(|finding| {
                finding.code == rule.code || finding.severity == plan_validate::Severity::Error
            })
            .map(Finding::line)
            .collect();
        if !left.is_empty() {
            wrong.push(format!("--- {title}, mended\n{}", left.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_rule_has_a_page_and_every_page_a_rule() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let pages: BTreeSet<String> = fs::read_dir(folder)
        .expect("the folder of pages")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let expected: BTreeSet<String> = rules()
        .iter()
        .map(|rule| format!("{}-{}.md", rule.code, rule.name))
        .collect();
    assert_eq!(pages, expected);
}

#[test]
fn codes_ascend_and_names_are_unique() {
    let codes: Vec<&str> = rules().iter().map(|rule| rule.code.as_str()).collect();
    assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
    let names: BTreeSet<&str> = rules().iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), codes.len());
}

#[test]
fn reserved_codes_are_nobodys() {
    let reserved: Vec<(&str, &str)> = reserved_codes()
        .iter()
        .map(|reserved| (reserved.code.as_str(), reserved.name))
        .collect();
    assert_eq!(
        reserved,
        [
            ("P801", "stale-base"),
            ("P802", "frozen-step"),
            ("P803", "protected-field"),
            ("P804", "weakened-gate"),
            ("P805", "widened-grant"),
            ("P806", "draft-plan"),
        ]
    );
    for (code, name) in reserved {
        assert!(
            rules()
                .iter()
                .all(|rule| rule.code != code && rule.name != name)
        );
        let page = explain(code).expect("a page");
        assert!(page.starts_with(&format!("# {code} {name}\n")), "{page}");
        assert!(page.contains("comes with repair"), "{page}");
        assert_eq!(explain(&name.to_ascii_uppercase()), Some(page));
    }
    let p8 = rules()
        .iter()
        .filter(|rule| rule.code.as_str().starts_with("P8"));
    assert_eq!(p8.count(), 0);
}

/// Codes and places of what a check says.
fn said(checked: &Result<ValidatedPlan, PlanRejected>) -> Vec<String> {
    let findings = match checked {
        Ok(plan) => plan.warnings(),
        Err(rejected) => rejected.findings(),
    };
    let place = |finding: &Finding| format!("{} {}", finding.code, finding.pointer);
    findings.iter().map(place).collect()
}

#[test]
fn a_plan_as_data_gets_what_its_text_gets() {
    let mut compared = 0;
    for rule in rules() {
        let page = page::parse(rule.page);
        for blocks in [&page.rejected, &page.mended] {
            let (Some(text), Ok((catalog, policy))) = (blocks.get("json"), host(blocks)) else {
                continue;
            };
            let parsed = parse(text.as_bytes(), &Limits::default());
            let Some(document) = parsed.document.filter(|_| parsed.problems.is_empty()) else {
                continue;
            };
            let read = read(&document, &ReadOptions::default());
            let Some(plan) = read
                .plan
                .filter(|_| read.kind == DocumentKind::Plan && read.problems.is_empty())
            else {
                continue;
            };
            let cx = Context::new(&catalog, &policy);
            assert_eq!(
                said(&check_plan(plan, &cx)),
                said(&check(text, &cx)),
                "{}",
                rule.code
            );
            compared += 1;
        }
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn what_a_machine_may_apply_mends_its_finding_and_breaks_nothing() {
    let mut applied = 0;
    for rule in rules() {
        let page = page::parse(rule.page);
        let before = findings(&page.rejected);
        let Some(text) = page.rejected.get("json") else {
            continue;
        };
        for finding in &before {
            let suggestions = finding.suggestions.iter();
            let edits = suggestions
                .filter(|it| it.applicability == Applicability::MachineApplicable)
                .filter_map(|it| it.edit.clone());
            for edit in edits {
                let mut value = document(text).to_value();
                edit.apply(&mut value).expect("the place is there");
                let mut mended = page.rejected.clone();
                mended.insert("json".to_owned(), value.to_string());
                let after = findings(&mended);
                let has = |all: &[Finding], one: &Finding| {
                    all.iter()
                        .any(|it| it.code == one.code && it.message == one.message)
                };
                assert!(!has(&after, finding), "{} stays", finding.line());
                for new in &after {
                    assert!(
                        has(&before, new),
                        "{} brings {}",
                        finding.line(),
                        new.line()
                    );
                }
                applied += 1;
            }
        }
    }
    assert!(applied > 0);
}
