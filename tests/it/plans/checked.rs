//! What a check says of each: no error, and no warning but those that are meant.

use plan_validate::Severity;

use super::stage::{Stage, World};
use super::{data_migration, incident_report, release_train};

/// Every large example with its world.
pub(crate) fn all() -> [(&'static str, World); 3] {
    [
        ("release-train", release_train::world()),
        ("incident-report", incident_report::world()),
        ("data-migration", data_migration::world()),
    ]
}

#[test]
fn each_has_as_many_steps_as_plans_in_use_have_and_most_kinds() {
    for (example, world) in all() {
        let stage = Stage::new(example, world);
        let steps = &stage.plan.plan().steps;
        assert!(
            (26..=29).contains(&steps.len()),
            "{example}: {}",
            steps.len()
        );
        let mut kinds: Vec<&str> = steps
            .iter()
            .map(|step| step.config.kind().as_str())
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert!(kinds.len() >= 7, "{example}: {kinds:?}");
    }
}

#[test]
fn each_is_checked_with_no_warning_but_that_an_approval_stands_for_a_whole_list() {
    for (example, world) in all() {
        let stage = Stage::new(example, world);
        let warnings: Vec<&str> = stage
            .plan
            .warnings()
            .iter()
            .filter(|finding| finding.severity == Severity::Warning)
            .map(|finding| finding.code.as_str())
            .collect();
        assert_eq!(warnings, ["P611"], "{example}");
    }
}
