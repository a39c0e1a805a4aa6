//! How a document is to be read.

use crate::Limits;

/// What a document is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum DocumentKind {
    /// What its members say: `plan` is a bundle, `metadata` or `config` in steps a plan, `tool` in steps a planner's list.
    #[default]
    Auto,
    /// A native plan.
    Plan,
    /// A plan with the tools it was exported with.
    Bundle,
    /// What an agent's planner emits.
    Planner,
}

/// Where a silent step of a planner's list gets its edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum EdgePolicy {
    /// From the step before it.
    #[default]
    Position,
    /// From its references alone, when it has any.
    DataFlow,
}

/// How long the ids and names of a document may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum NameLength {
    /// 64 bytes in a native plan, 256 in a bundle.
    #[default]
    ByKind,
    /// 256 bytes: for a plan that was read before, perhaps from a bundle, and comes back from a store.
    Imported,
}

/// How to read a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// What the document is.
    pub kind: DocumentKind,
    /// Where silent steps of a planner's list get their edges.
    pub edges: EdgePolicy,
    /// How long names may be.
    pub names: NameLength,
    /// The bounds.
    pub limits: Limits,
}
