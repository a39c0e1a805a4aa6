//! Where runs and plan versions are kept: the contracts, and a store in memory.
//!
//! A store knows nothing of plans or events. It keeps *records* (bytes that
//! `plan-run` encoded) in the order of their run, a small [`RunHead`] for each
//! run so that runs can be listed, and the versions of plans as text.
//!
//! - [`RunStore`]: the journals. Append-only, one owner at a time.
//! - [`PlanStore`]: the versions of plans. Immutable once written.
//! - [`Store`]: both, as executors take them: `Arc<dyn Store>`.
//! - [`Maintain`]: what an operator does to a store, not a run.
//! - [`MemoryStore`]: all of it in memory, with the full semantics.
//! - [`Clock`]: the only source of time of a store or an executor.
//!
//! Every adapter passes the conformance suite of `plan-testkit`.

mod claim;
mod clock;
mod error;
mod head;
mod list;
mod maintain;
mod memory;
mod plan;
mod plan_store;
mod record;
mod run_store;
mod store;

pub use claim::{CLAIM_RENEW, CLAIM_TTL, Claim, Fence, OwnerId, OwnerIdError, Writer};
pub use clock::{Clock, ManualClock, SystemClock};
pub use error::{Entity, Place, StoreError, Unreadable};
pub use head::{HeadUpdate, RunHead};
pub use list::{MAX_PAGE, Page, RunCursor, RunFilter, RunPage};
pub use maintain::{Integrity, Maintain};
pub use memory::MemoryStore;
pub use plan::{PlanCursor, PlanHead, PlanPage, StoredPlan, VersionSpec};
pub use plan_store::PlanStore;
pub use record::{JournalPage, Record, Sequence};
pub use run_store::{RunStore, RunStoreExt};
pub use store::Store;
