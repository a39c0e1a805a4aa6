//! Runs in the made-up world of the kit.

use std::hint::black_box;
use std::time::Instant;

use plan_testkit::simulate::subject;

use super::measure::Table;

/// Subjects of one figure; each is two runs.
const SUBJECTS: u64 = 500;

pub(crate) fn rows(table: &mut Table) {
    let name = "simulated runs on one core";
    if !table.wants(name) {
        return;
    }
    let begin = Instant::now();
    for seed in 0..SUBJECTS {
        assert_eq!(black_box(subject(seed).verdict()), None);
    }
    let rate = (SUBJECTS * 2) as f64 / begin.elapsed().as_secs_f64();
    // 20,000 in three minutes
    table.figure(name, format!("{rate:.0}/s"), "at least 112/s");
}
