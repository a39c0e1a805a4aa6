//! The most memory that a check takes beside the parse of the same bytes.
//!
//! Each is measured in a process of its own, whose peak the kernel knows.
//! Elsewhere than on Linux there is no such row.

use std::hint::black_box;
use std::process::Command;

use planwright::{Context, Policy, check};
use serde_json::Value;
use tempfile::TempDir;

use super::check::catalog;
use super::measure::Table;
use super::plans;

/// How a process is asked to measure itself: this, what it does, and the file it does it to.
pub(crate) const ASKED: &str = "peak-of";

const CHECK: &str = "check";
const PARSE: &str = "parse";

pub(crate) fn rows(table: &mut Table) {
    let name = "check 10000 steps, peak memory";
    if !cfg!(target_os = "linux") || !table.wants(name) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("plan.json");
    std::fs::write(&path, plans::mixed(10_000)).unwrap();
    let of = |what: &str| -> u64 {
        let output = Command::new(std::env::current_exe().unwrap())
            .args([ASKED, what])
            .arg(&path)
            .output()
            .unwrap();
        String::from_utf8(output.stdout)
            .unwrap()
            .trim()
            .parse()
            .unwrap()
    };
    table.kib(name, of(CHECK), ("serde_json::Value", of(PARSE)), "2x");
}

/// Prints the KiB by which the peak of this process grew.
pub(crate) fn answer(arguments: &[String]) {
    let [what, path] = arguments else {
        panic!("{ASKED} takes what and a file")
    };
    let text = std::fs::read_to_string(path).unwrap();
    let (catalog, policy) = (catalog(), Policy::default());
    let before = kib("VmRSS:");
    match what.as_str() {
        CHECK => drop(black_box(
            check(&text, &Context::new(&catalog, &policy)).unwrap(),
        )),
        PARSE => drop(black_box(
            serde_json::from_slice::<Value>(text.as_bytes()).unwrap(),
        )),
        other => panic!("{other} is not measured"),
    }
    println!("{}", kib("VmHWM:").saturating_sub(before));
}

fn kib(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|found| found.strip_prefix(line))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
