//! What an operator does to a store.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::{StoreError, Unreadable};

/// Looks after a store as a whole. No run needs it.
#[async_trait]
pub trait Maintain: Send + Sync + Debug {
    /// Reads everything and says what cannot be read.
    ///
    /// Takes time in proportion to the size of the store, and changes nothing that
    /// can be read. What cannot is set aside: it stays reported, and nothing drives
    /// the run that it belongs to.
    ///
    /// # Errors
    /// [`StoreError::Backend`] when the store cannot be read at all. Damage is not an
    /// error here but the result.
    async fn integrity(&self) -> Result<Integrity, StoreError>;
}

const _OBJECT_SAFE: Option<&dyn Maintain> = None;

/// What a store holds, and what of it cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Integrity {
    /// Runs that were looked at.
    pub runs: u64,
    /// Records that were looked at.
    pub records: u64,
    /// Versions of plans that were looked at.
    pub plans: u64,
    /// What cannot be read: runs by id, then records, then plans.
    pub unreadable: Vec<Unreadable>,
}

impl Integrity {
    /// Whether everything can be read.
    pub fn is_sound(&self) -> bool {
        self.unreadable.is_empty()
    }
}
