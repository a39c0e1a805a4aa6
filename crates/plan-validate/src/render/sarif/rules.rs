//! The rules that the findings are of, each with its page.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::level;
use crate::finding::{Code, Finding};
use crate::rules;

/// The rules of some findings in the order of their codes, and where each finding's rule is among them.
pub(super) fn of(findings: &[Finding]) -> (Vec<Value>, impl Fn(&Finding) -> usize) {
    let used: BTreeMap<Code, &Finding> = findings
        .iter()
        .map(|finding| (finding.code, finding))
        .collect();
    let described = used.values().map(|finding| describe(finding)).collect();
    let places: BTreeMap<Code, usize> = used.keys().copied().zip(0..).collect();
    let index_of = move |finding: &Finding| places.get(&finding.code).copied().unwrap_or(0);
    (described, index_of)
}

fn describe(finding: &Finding) -> Value {
    let rule = rules::rule(finding.code.as_str());
    let page = rule.map_or("", |rule| rule.page);
    let severity = rule.map_or(finding.severity, |rule| rule.severity);
    let finds = paragraph(page, "**What it finds.**");
    let why = paragraph(page, "**Why it matters.**");
    let (short, _) = finds.split_once(". ").unwrap_or((&finds, ""));
    json!({
        "id": finding.code.as_str(),
        "name": finding.name,
        "shortDescription": { "text": format!("{}.", short.trim_end_matches('.')) },
        "fullDescription": { "text": finds },
        "helpUri": finding.url,
        "help": { "text": format!("{finds}\n\n{why}"), "markdown": page },
        "defaultConfiguration": { "level": level(severity) },
    })
}

/// The paragraph of a page that begins with these words, without them and in one line.
fn paragraph(page: &str, words: &str) -> String {
    let mut lines = page.lines().skip_while(|line| !line.starts_with(words));
    let first = lines.next().and_then(|line| line.strip_prefix(words));
    let rest = lines.take_while(|line| !line.is_empty());
    let all: Vec<&str> = first.into_iter().chain(rest).map(str::trim).collect();
    all.join(" ").trim().to_owned()
}
