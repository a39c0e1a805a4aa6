//! Versions of plans as a store keeps them.

use plan_model::{Digest, PlanId, PlanStatus, Timestamp};

use crate::Unreadable;

/// One version of a plan.
///
/// A store does not read the document. Whoever loads a plan checks it again and
/// compares its digest with `digest`, so an edited row runs nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPlan {
    /// The identity over all versions.
    pub id: PlanId,
    /// The version, from 1.
    pub version: u64,
    /// The digest of the plan in the document.
    pub digest: Digest,
    /// What a person calls the plan.
    pub name: String,
    /// Whether it is published. Kept beside the document, not digested.
    pub status: PlanStatus,
    /// The plan as canonical text.
    pub document: String,
}

/// A version of a plan without its document, as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanHead {
    /// The identity over all versions.
    pub id: PlanId,
    /// The version, from 1.
    pub version: u64,
    /// The digest of the plan.
    pub digest: Digest,
    /// What a person calls the plan.
    pub name: String,
    /// Whether it is published.
    pub status: PlanStatus,
    /// When the store took this version, by the store's clock.
    pub stored_at: Timestamp,
}

/// Which version of a plan is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VersionSpec {
    /// The highest version that the store holds.
    Current,
    /// This version.
    Exact(u64),
}

/// A place in the list of plans, which is ordered by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlanCursor(pub PlanId);

/// One page of plans, each in its current version, in the order of their ids.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanPage {
    /// The plans.
    pub heads: Vec<PlanHead>,
    /// Plans that belong on this page and cannot be read.
    pub unreadable: Vec<Unreadable>,
    /// Where the next page starts; absent: this was the last.
    pub next: Option<PlanCursor>,
}
