//! Plan versions in memory.

use std::collections::BTreeMap;
use std::ops::Bound;

use async_trait::async_trait;
use plan_model::{PlanId, Timestamp};

use super::MemoryStore;
use crate::{
    Entity, Page, PlanCursor, PlanHead, PlanPage, PlanStore, StoreError, StoredPlan, VersionSpec,
};

/// All plans with all their versions.
#[derive(Debug, Default)]
pub(super) struct Plans(BTreeMap<PlanId, BTreeMap<u64, Version>>);

#[derive(Debug)]
struct Version {
    plan: StoredPlan,
    stored_at: Timestamp,
}

impl Version {
    fn head(&self) -> PlanHead {
        PlanHead {
            id: self.plan.id,
            version: self.plan.version,
            digest: self.plan.digest,
            name: self.plan.name.clone(),
            status: self.plan.status,
            stored_at: self.stored_at,
        }
    }
}

impl Plans {
    pub(super) fn count(&self) -> u64 {
        u64::try_from(self.0.values().map(BTreeMap::len).sum::<usize>()).unwrap_or(u64::MAX)
    }

    fn put(
        &mut self,
        plan: StoredPlan,
        expected_current: Option<u64>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let stored = self.0.get(&plan.id);
        if let Some(version) = stored.and_then(|versions| versions.get(&plan.version)) {
            return if version.plan.digest == plan.digest {
                Ok(())
            } else {
                Err(StoreError::Conflict {
                    plan: plan.id,
                    version: plan.version,
                })
            };
        }
        let actual = stored
            .and_then(BTreeMap::last_key_value)
            .map(|(version, _)| *version);
        if let Some(expected) = expected_current
            && actual != Some(expected)
        {
            return Err(StoreError::Stale {
                plan: plan.id,
                expected,
                actual,
            });
        }
        let version = Version {
            stored_at: now,
            plan,
        };
        self.0
            .entry(version.plan.id)
            .or_default()
            .insert(version.plan.version, version);
        Ok(())
    }

    fn get(&self, id: PlanId, version: VersionSpec) -> Result<&Version, StoreError> {
        let versions = self.0.get(&id).ok_or(StoreError::NotFound {
            what: Entity::Plan(id),
        })?;
        match version {
            VersionSpec::Current => versions.values().next_back().ok_or(StoreError::NotFound {
                what: Entity::Plan(id),
            }),
            VersionSpec::Exact(version) => versions.get(&version).ok_or(StoreError::NotFound {
                what: Entity::PlanVersion(id, version),
            }),
        }
    }

    fn page(&self, page: &Page<PlanCursor>) -> PlanPage {
        let start = match page.after {
            Some(PlanCursor(id)) => Bound::Excluded(id),
            None => Bound::Unbounded,
        };
        let mut current = self
            .0
            .range((start, Bound::Unbounded))
            .filter_map(|(_, versions)| versions.values().next_back());
        let heads: Vec<PlanHead> = current
            .by_ref()
            .take(page.bounded_limit())
            .map(Version::head)
            .collect();
        let next = current
            .next()
            .and_then(|_| heads.last())
            .map(|head| PlanCursor(head.id));
        PlanPage {
            heads,
            unreadable: Vec::new(),
            next,
        }
    }
}

#[async_trait]
impl PlanStore for MemoryStore {
    async fn put(&self, plan: StoredPlan, expected_current: Option<u64>) -> Result<(), StoreError> {
        let now = self.0.clock.now();
        self.all_plans().put(plan, expected_current, now)
    }

    async fn get(&self, id: PlanId, version: VersionSpec) -> Result<StoredPlan, StoreError> {
        Ok(self.all_plans().get(id, version)?.plan.clone())
    }

    async fn history(&self, id: PlanId) -> Result<Vec<PlanHead>, StoreError> {
        match self.all_plans().0.get(&id) {
            Some(versions) => Ok(versions.values().map(Version::head).collect()),
            None => Err(StoreError::NotFound {
                what: Entity::Plan(id),
            }),
        }
    }

    async fn plans(&self, page: &Page<PlanCursor>) -> Result<PlanPage, StoreError> {
        Ok(self.all_plans().page(page))
    }
}
