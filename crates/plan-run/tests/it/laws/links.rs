//! What generated steps wait for: steps before them, and perhaps the side of a condition.

use proptest::sample::Index;
use serde_json::{Value, json};

/// The dependencies of step `index`: those that `after` chooses, and of the conditions before it the one that `branch`
/// chooses, on whose side it is put.
pub(super) fn wire(
    index: usize,
    after: &[Index],
    branch: Option<(Index, bool)>,
    conditions: &[usize],
    steps: &mut [Value],
) -> Vec<String> {
    let mut waited: Vec<String> = Vec::new();
    if index > 0 {
        waited.extend(after.iter().map(|of| format!("s{}", of.index(index))));
    }
    if let Some((of, side)) = branch
        && !conditions.is_empty()
    {
        let condition = conditions[of.index(conditions.len())];
        let side = if side { "true_steps" } else { "false_steps" };
        let targets = steps[condition]["config"][side].as_array_mut().unwrap();
        targets.push(json!(format!("s{index}")));
        waited.push(format!("s{condition}"));
    }
    waited.sort();
    waited.dedup();
    waited
}
