//! Journals and plans in one place.

use crate::{PlanStore, RunStore};

/// A store of journals and of plan versions, as executors take it: `Arc<dyn Store>`.
///
/// Whatever is both is a `Store`; there is nothing to implement.
pub trait Store: RunStore + PlanStore {}

impl<S: RunStore + PlanStore + ?Sized> Store for S {}

const _OBJECT_SAFE: Option<&dyn Store> = None;
