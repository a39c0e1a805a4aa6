//! Codes that are kept for rules which are not here yet, so that nothing else takes them.

use crate::finding::Code;

/// A code that is kept for a rule.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ReservedCode {
    /// The code, such as `P801`.
    pub code: Code,
    /// The name of the bad thing, such as `stale-base`.
    pub name: &'static str,
    /// What there is to say of it so far.
    pub page: &'static str,
}

/// One row: the page has the form of a rule's page, without examples.
macro_rules! reserved {
    ($code:literal, $name:literal, $finds:literal) => {
        ReservedCode {
            code: Code::new($code),
            name: $name,
            page: concat!(
                "# ", $code, " ", $name, "\n\n**What it finds.** ", $finds,
                "\n\nThis code is reserved: its rule comes with repair, and no check of this release has it.\n"
            ),
        }
    };
}

pub(super) static RESERVED: &[ReservedCode] = &[
    reserved!(
        "P801",
        "stale-base",
        "A patch or an edit that was made against another version or digest of the plan."
    ),
    reserved!(
        "P802",
        "frozen-step",
        "A patch that changes a step which succeeded, and does not name it in `reruns`."
    ),
    reserved!(
        "P803",
        "protected-field",
        "A patch of metadata, of the identity, or of a field that patches may not touch."
    ),
    reserved!(
        "P804",
        "weakened-gate",
        "A patch that removes, bypasses or loosens an approval: one consent for each."
    ),
    reserved!(
        "P805",
        "widened-grant",
        "What the patched plan may newly do: one consent for each."
    ),
    reserved!(
        "P806",
        "draft-plan",
        "A draft where only published plans may run."
    ),
];
