//! Versions of plans.

use async_trait::async_trait;
use plan_model::{Digest, PlanId, Timestamp};
use plan_store::{
    Entity, Page, Place, PlanCursor, PlanHead, PlanPage, PlanStore, StoreError, StoredPlan,
    Unreadable, VersionSpec,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::SqliteStore;
use crate::error::failed;
use crate::row::{integer, lossy, parsed, plan_status, plan_status_text, signed, text, unsigned};

#[async_trait]
impl PlanStore for SqliteStore {
    async fn put(&self, plan: StoredPlan, expected_current: Option<u64>) -> Result<(), StoreError> {
        let now = self.now();
        self.commit(move |connection| put(connection, &plan, expected_current, now))
            .await
    }

    async fn get(&self, id: PlanId, version: VersionSpec) -> Result<StoredPlan, StoreError> {
        self.look(move |connection| get(connection, id, version))
            .await
    }

    async fn history(&self, id: PlanId) -> Result<Vec<PlanHead>, StoreError> {
        self.look(move |connection| history(connection, id)).await
    }

    async fn plans(&self, page: &Page<PlanCursor>) -> Result<PlanPage, StoreError> {
        let page = page.clone();
        self.look(move |connection| list(connection, &page)).await
    }
}

fn put(
    connection: &Connection,
    plan: &StoredPlan,
    expected_current: Option<u64>,
    now: Timestamp,
) -> Result<(), StoreError> {
    const STORED: &str = "SELECT digest FROM plans WHERE plan = ?1 AND version = ?2";
    const CURRENT: &str = "SELECT max(version) FROM plans WHERE plan = ?1";
    const PUT: &str = "INSERT INTO plans (plan, version, digest, name, status, stored_at, document) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let id = plan.id.to_string();
    let version = signed(plan.version, "plan version")?;
    let stored: Option<String> = connection
        .prepare_cached(STORED)
        .and_then(|mut statement| {
            statement
                .query_row(params![id, version], |row| row.get(0))
                .optional()
        })
        .map_err(failed)?;
    if let Some(digest) = stored {
        return if digest == plan.digest.to_string() {
            Ok(())
        } else {
            Err(StoreError::Conflict {
                plan: plan.id,
                version: plan.version,
            })
        };
    }
    if let Some(expected) = expected_current {
        let actual: Option<u64> = connection
            .prepare_cached(CURRENT)
            .and_then(|mut statement| statement.query_row([&id], |row| row.get(0)))
            .map_err(failed)?;
        if actual != Some(expected) {
            return Err(StoreError::Stale {
                plan: plan.id,
                expected,
                actual,
            });
        }
    }
    let values = params![
        id,
        version,
        plan.digest.to_string(),
        plan.name,
        plan_status_text(plan.status),
        now.as_millis(),
        plan.document,
    ];
    connection
        .prepare_cached(PUT)
        .and_then(|mut statement| statement.execute(values))
        .map_err(failed)?;
    Ok(())
}

fn get(
    connection: &Connection,
    id: PlanId,
    version: VersionSpec,
) -> Result<StoredPlan, StoreError> {
    const CURRENT: &str = "SELECT plan, version, digest, name, status, stored_at, document \
                           FROM plans WHERE plan = ?1 ORDER BY version DESC LIMIT 1";
    const EXACT: &str = "SELECT plan, version, digest, name, status, stored_at, document \
                         FROM plans WHERE plan = ?1 AND version = ?2";
    let name = id.to_string();
    let found = match version {
        VersionSpec::Current => connection
            .prepare_cached(CURRENT)
            .and_then(|mut current| current.query_row([name], |row| Ok(whole(row))).optional()),
        VersionSpec::Exact(version) => {
            let version = i64::try_from(version).unwrap_or(i64::MAX);
            connection.prepare_cached(EXACT).and_then(|mut exact| {
                exact
                    .query_row(params![name, version], |row| Ok(whole(row)))
                    .optional()
            })
        }
    };
    match found.map_err(failed)? {
        Some(plan) => Ok(plan?),
        None => Err(StoreError::NotFound {
            what: missing(connection, id, version)?,
        }),
    }
}

/// Whether it is the plan that is missing or only the version.
fn missing(
    connection: &Connection,
    id: PlanId,
    version: VersionSpec,
) -> Result<Entity, StoreError> {
    const ANY: &str = "SELECT EXISTS (SELECT 1 FROM plans WHERE plan = ?1)";
    let known: bool = connection
        .prepare_cached(ANY)
        .and_then(|mut statement| statement.query_row([id.to_string()], |row| row.get(0)))
        .map_err(failed)?;
    Ok(match version {
        VersionSpec::Exact(version) if known => Entity::PlanVersion(id, version),
        _ => Entity::Plan(id),
    })
}

fn history(connection: &Connection, id: PlanId) -> Result<Vec<PlanHead>, StoreError> {
    const SQL: &str = "SELECT plan, version, digest, name, status, stored_at FROM plans \
                       WHERE plan = ?1 ORDER BY version";
    let mut statement = connection.prepare_cached(SQL).map_err(failed)?;
    let mut rows = statement.query([id.to_string()]).map_err(failed)?;
    let mut heads = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        heads.push(head(row)?);
    }
    if heads.is_empty() {
        return Err(StoreError::NotFound {
            what: Entity::Plan(id),
        });
    }
    Ok(heads)
}

fn list(connection: &Connection, page: &Page<PlanCursor>) -> Result<PlanPage, StoreError> {
    // the other columns are those of the row with the highest version, as SQLite defines
    const SQL: &str = "SELECT plan, max(version), digest, name, status, stored_at FROM plans \
                       WHERE plan > ?1 GROUP BY plan ORDER BY plan LIMIT ?2";
    let limit = page.bounded_limit();
    let after = page.after.map(|PlanCursor(id)| id.to_string());
    let more = i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(SQL).map_err(failed)?;
    let mut rows = statement
        .query(params![after.unwrap_or_default(), more])
        .map_err(failed)?;
    let mut shown = PlanPage::default();
    let mut last = None;
    let mut count = 0;
    while let Some(row) = rows.next().map_err(failed)? {
        if count == limit {
            shown.next = last;
            break;
        }
        count += 1;
        last = parsed(row, 0, PlanId::new).ok().map(PlanCursor).or(last);
        match head(row) {
            Ok(head) => shown.heads.push(head),
            Err(damage) => shown.unreadable.push(damage),
        }
    }
    Ok(shown)
}

/// A row of `plan, version, digest, name, status, stored_at`.
pub(crate) fn head(row: &Row<'_>) -> Result<PlanHead, Unreadable> {
    let read = || -> Result<PlanHead, String> {
        Ok(PlanHead {
            id: parsed(row, 0, PlanId::new)?,
            version: unsigned(row, 1)?,
            digest: parsed(row, 2, |text| Digest::try_from(text.to_owned()))?,
            name: text(row, 3)?.to_owned(),
            status: plan_status(text(row, 4)?)?,
            stored_at: Timestamp::from_millis(integer(row, 5)?),
        })
    };
    read().map_err(|reason| damage(row, reason))
}

/// A row of [`head`] with `document` behind.
pub(crate) fn whole(row: &Row<'_>) -> Result<StoredPlan, Unreadable> {
    let document = text(row, 6).map_err(|reason| damage(row, reason))?;
    let head = head(row)?;
    Ok(StoredPlan {
        id: head.id,
        version: head.version,
        digest: head.digest,
        name: head.name,
        status: head.status,
        document: document.to_owned(),
    })
}

fn damage(row: &Row<'_>, reason: String) -> Unreadable {
    Unreadable {
        place: Place::Plan(lossy(row, 0), unsigned(row, 1).unwrap_or_default()),
        reason,
    }
}
