//! The contract of plan versions.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use plan_model::PlanId;

use crate::{Page, PlanCursor, PlanHead, PlanPage, StoreError, StoredPlan, VersionSpec};

/// Keeps the versions of plans. A version never changes once it is stored.
///
/// # Guarantees
/// - A version has one content for ever, by its digest.
/// - Documents come back byte for byte.
/// - The current version is the highest one that is stored.
///
/// # Non-guarantees
/// - Documents are not read or checked: who loads a plan checks it and compares digests.
/// - Versions need not be contiguous, and an older one may be stored after a newer one.
///
/// ```
/// use plan_model::{Digest, PlanId, PlanStatus};
/// use plan_store::{MemoryStore, PlanStore, StoreError, StoredPlan, VersionSpec};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), StoreError> {
/// let store = MemoryStore::new();
/// let plan = StoredPlan {
///     id: PlanId::of_bytes(b"weekly report"),
///     version: 1,
///     digest: Digest::of_bytes(b"{}"),
///     name: "weekly report".to_owned(),
///     status: PlanStatus::Published,
///     document: "{}".to_owned(),
/// };
/// store.put(plan.clone(), None).await?;
/// store.put(plan.clone(), None).await?; // the same content: nothing to do
/// assert_eq!(store.get(plan.id, VersionSpec::Current).await?, plan);
///
/// let edited = StoredPlan { digest: Digest::of_bytes(b"{ }"), ..plan };
/// assert!(matches!(
///     store.put(edited, None).await,
///     Err(StoreError::Conflict { version: 1, .. })
/// ));
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait PlanStore: Send + Sync + Debug {
    /// Stores a version of a plan.
    ///
    /// A version that exists with the same digest is left as it is, whatever is expected.
    /// With `expected_current` a new version is taken only while that one is the current;
    /// without it the current version does not matter.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when the version exists with another digest;
    /// [`StoreError::Stale`] when another version than the expected one is current;
    /// [`StoreError::Backend`].
    async fn put(&self, plan: StoredPlan, expected_current: Option<u64>) -> Result<(), StoreError>;

    /// Loads a version of a plan.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], [`StoreError::Unreadable`], [`StoreError::Backend`].
    async fn get(&self, id: PlanId, version: VersionSpec) -> Result<StoredPlan, StoreError>;

    /// All versions of a plan, the oldest first.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when the store holds none; [`StoreError::Unreadable`],
    /// [`StoreError::Backend`].
    async fn history(&self, id: PlanId) -> Result<Vec<PlanHead>, StoreError>;

    /// Lists plans in their current version, in the order of their ids.
    ///
    /// # Errors
    /// [`StoreError::Backend`].
    async fn plans(&self, page: &Page<PlanCursor>) -> Result<PlanPage, StoreError>;
}

const _OBJECT_SAFE: Option<&dyn PlanStore> = None;

#[async_trait]
impl<S: PlanStore + ?Sized> PlanStore for Arc<S> {
    async fn put(&self, plan: StoredPlan, expected_current: Option<u64>) -> Result<(), StoreError> {
        (**self).put(plan, expected_current).await
    }

    async fn get(&self, id: PlanId, version: VersionSpec) -> Result<StoredPlan, StoreError> {
        (**self).get(id, version).await
    }

    async fn history(&self, id: PlanId) -> Result<Vec<PlanHead>, StoreError> {
        (**self).history(id).await
    }

    async fn plans(&self, page: &Page<PlanCursor>) -> Result<PlanPage, StoreError> {
        (**self).plans(page).await
    }
}
