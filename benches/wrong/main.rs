//! What the plans of real models get wrong: how many plans of each model each rule refuses.
//!
//! `PLANWRIGHT_CORPORA=../shared/corpora cargo bench --bench wrong` prints one table. A plan
//! with errors of two rules counts in both columns, and once under `refused`.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    dead_code,
    reason = "a bench prints and stops at the first surprise; it shares what the corpus tests read"
)]

#[path = "../../tests/corpora/rows.rs"]
mod rows;
#[path = "../../tests/corpora/taskbench.rs"]
mod taskbench;
#[path = "../../tests/corpora/workbench.rs"]
mod workbench;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use rows::Corpora;

/// The plans of one model.
#[derive(Debug, Default)]
struct Row {
    plans: usize,
    refused: usize,
    by_rule: BTreeMap<String, usize>,
}

fn main() {
    let Some(folder) = std::env::var_os("PLANWRIGHT_CORPORA").map(PathBuf::from) else {
        println!("PLANWRIGHT_CORPORA is unset: there are no plans to look at");
        return;
    };
    let corpora = Corpora::new(folder);
    let mut rows: BTreeMap<(&str, String), Row> = BTreeMap::new();
    for (corpus, plans) in [
        ("taskbench", taskbench::errors_by_model(&corpora)),
        ("workbench", workbench::errors_by_model(&corpora)),
    ] {
        for (model, codes) in plans {
            let row = rows.entry((corpus, model)).or_default();
            row.plans += 1;
            row.refused += usize::from(!codes.is_empty());
            for code in codes {
                *row.by_rule.entry(code).or_default() += 1;
            }
        }
    }
    print(&rows);
}

fn print(rows: &BTreeMap<(&str, String), Row>) {
    let codes: BTreeSet<&String> = rows.values().flat_map(|row| row.by_rule.keys()).collect();
    let heads: Vec<String> = codes
        .iter()
        .map(|code| {
            let rule = planwright::validate::rules()
                .iter()
                .find(|rule| rule.code == code.as_str());
            format!("{code} {}", rule.map_or("", |rule| rule.name))
        })
        .collect();
    println!(
        "| corpus | model | plans | refused | {} |",
        heads.join(" | ")
    );
    println!("|---|---|--:|--:|{}", "--:|".repeat(codes.len()));
    for ((corpus, model), row) in rows {
        let counts: Vec<String> = codes
            .iter()
            .map(|code| {
                row.by_rule
                    .get(*code)
                    .map_or(String::new(), usize::to_string)
            })
            .collect();
        let (plans, refused) = (row.plans, row.refused);
        println!(
            "| {corpus} | {model} | {plans} | {refused} | {} |",
            counts.join(" | ")
        );
    }
}
