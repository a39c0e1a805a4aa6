//! Memory, measured in processes of their own, whose peak the kernel knows.
//!
//! Elsewhere than on Linux there are no such rows.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use planwright::{Context, Policy, check};
use serde_json::Value;
use tempfile::TempDir;

use super::check::catalog;
use super::growth;
use super::measure::Table;
use super::plans;
use super::reopen;

/// How a process is asked to measure itself: this, what it does, and what it does it to.
pub(crate) const ASKED: &str = "peak-of";

const CHECK: &str = "check";
const PARSE: &str = "parse";
/// A run of so many items in memory.
pub(crate) const ITEMS: &str = "items";
/// Taking up the run of a file.
pub(crate) const REOPEN: &str = "reopen";

pub(crate) fn rows(table: &mut Table) {
    let name = "check 10000 steps, peak memory";
    if !cfg!(target_os = "linux") || !table.wants(name) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("plan.json");
    std::fs::write(&path, plans::mixed(10_000)).unwrap();
    let of = |what| of(what, path.as_os_str());
    table.kib(name, of(CHECK), ("serde_json::Value", of(PARSE)), "2x");
}

/// The KiB by which the peak of a fresh process grew when it did this.
pub(crate) fn of(what: &str, to: impl AsRef<std::ffi::OsStr>) -> u64 {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([ASKED, what])
        .arg(to)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    said.trim()
        .parse()
        .unwrap_or_else(|_| panic!("{what}: {error}"))
}

/// Does what a process was asked for, and prints the KiB by which its peak grew.
pub(crate) fn answer(arguments: &[String]) {
    let [what, to] = arguments else {
        panic!("{ASKED} takes what, and to what")
    };
    let grown = match what.as_str() {
        CHECK => {
            let (catalog, policy) = (catalog(), Policy::default());
            let text = std::fs::read_to_string(to).unwrap();
            grown(|| {
                let plan = check(&text, &Context::new(&catalog, &policy)).unwrap();
                drop(black_box(plan));
            })
        }
        PARSE => {
            let text = std::fs::read_to_string(to).unwrap();
            grown(|| {
                drop(black_box(
                    serde_json::from_slice::<Value>(text.as_bytes()).unwrap(),
                ));
            })
        }
        ITEMS => {
            // what a first run needs is no part of what a step does
            growth::run_items(10);
            let items = to.parse().unwrap();
            grown(|| growth::run_items(items))
        }
        REOPEN => reopen::measured(Path::new(to), |work| grown(work)),
        other => panic!("{other} is not measured"),
    };
    println!("{grown}");
}

/// The KiB by which the peak of this process grows.
fn grown(work: impl FnOnce()) -> u64 {
    let before = kib("VmRSS:");
    work();
    kib("VmHWM:").saturating_sub(before)
}

fn kib(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|found| found.strip_prefix(line))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
