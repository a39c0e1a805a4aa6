//! Sample plans, each with the tools that it names in its documentation.

/// Four steps: `fetch` feeds `left` and `right`, which feed `join`. Every step calls the tool `work`.
pub const DIAMOND: &str = include_str!("plans/diamond.json");

/// `draft` (tool `write`), then a person approves, then `publish` (tool `publish`).
pub const APPROVAL: &str = include_str!("plans/approval.json");

/// `probe` (tool `work`), a condition on its `n`, one of two branches, and `report`, which takes whichever ran.
pub const BRANCHES: &str = include_str!("plans/branches.json");

/// All sample plans, by name.
pub const ALL: [(&str, &str); 3] = [
    ("diamond", DIAMOND),
    ("approval", APPROVAL),
    ("branches", BRANCHES),
];
