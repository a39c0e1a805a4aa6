//! Claims: who drives a run, and whether it still lives.

use plan_model::Timestamp;
use plan_run::RunId;
use plan_store::{CLAIM_TTL, Claim, Fence, OwnerId, StoreError};
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::failed;
use crate::journal::not_found;
use crate::owners::{Hold, Owners};
use crate::quarantine;

/// What the file says of a run's owner.
struct Held {
    id: i64,
    fence: Fence,
    owner: Option<Owner>,
}

struct Owner {
    id: OwnerId,
    locked: bool,
    until: Timestamp,
}

/// Performs one action on the claim of a run at a time.
pub(crate) fn claim(
    connection: &Connection,
    owners: &Owners,
    run: &RunId,
    owner: &OwnerId,
    action: Claim,
    now: Timestamp,
) -> Result<Fence, StoreError> {
    const RENEW: &str = "UPDATE runs SET claim_until = ?2 WHERE id = ?1";
    const RELEASE: &str = "UPDATE runs SET owner = NULL, owner_locked = 0 WHERE id = ?1";
    let held = find(connection, run)?;
    let done = match action {
        Claim::Acquire => return acquire(connection, owners, run, owner, &held, now),
        Claim::Renew => {
            held.by(run, owner)?;
            let until = now.plus(CLAIM_TTL).as_millis();
            connection
                .prepare_cached(RENEW)
                .and_then(|mut renew| renew.execute(params![held.id, until]))
        }
        Claim::Release => {
            held.by(run, owner)?;
            connection
                .prepare_cached(RELEASE)
                .and_then(|mut release| release.execute([held.id]))
        }
    };
    done.map_err(failed)?;
    Ok(held.fence)
}

impl Held {
    fn by(&self, run: &RunId, owner: &OwnerId) -> Result<(), StoreError> {
        match &self.owner {
            Some(holder) if holder.id == *owner => Ok(()),
            _ => Err(StoreError::Fenced { run: run.clone() }),
        }
    }
}

fn find(connection: &Connection, run: &RunId) -> Result<Held, StoreError> {
    const SQL: &str = "SELECT id, fence, owner, owner_locked, claim_until FROM runs WHERE run = ?1";
    type Columns = (i64, u64, Option<String>, bool, i64);
    let (id, fence, owner, locked, until): Columns = connection
        .prepare_cached(SQL)
        .and_then(|mut statement| {
            statement
                .query_row([run.as_str()], |row| row.try_into())
                .optional()
        })
        .map_err(failed)?
        .ok_or_else(|| not_found(run))?;
    Ok(Held {
        id,
        fence: Fence::new(fence),
        // a name that is none belongs to nobody who could be asked
        owner: owner
            .and_then(|owner| OwnerId::new(owner).ok())
            .map(|id| Owner {
                id,
                locked,
                until: Timestamp::from_millis(until),
            }),
    })
}

fn acquire(
    connection: &Connection,
    owners: &Owners,
    run: &RunId,
    owner: &OwnerId,
    held: &Held,
    now: Timestamp,
) -> Result<Fence, StoreError> {
    const SQL: &str = "UPDATE runs SET fence = ?2, owner = ?3, owner_locked = ?4, \
                       claim_until = ?5 WHERE id = ?1";
    if let Some(damage) = quarantine::of_run(connection, run)? {
        return Err(StoreError::Unreadable(damage));
    }
    let fence = match &held.owner {
        Some(holder) if holder.id == *owner => held.fence,
        Some(holder) if holder.lives(owners, now) => {
            return Err(StoreError::Claimed {
                run: run.clone(),
                owner: holder.id.clone(),
                until: holder.until,
            });
        }
        _ => Fence::new(held.fence.get() + 1),
    };
    let until = now.plus(CLAIM_TTL);
    let locked = match owners.hold(owner, run) {
        Hold::Locked => true,
        Hold::Unlocked => false,
        // two that live under one name: the other one came first
        Hold::Elsewhere => {
            return Err(StoreError::Claimed {
                run: run.clone(),
                owner: owner.clone(),
                until,
            });
        }
    };
    let values = params![
        held.id,
        fence.get(),
        owner.as_str(),
        locked,
        until.as_millis()
    ];
    connection
        .prepare_cached(SQL)
        .and_then(|mut statement| statement.execute(values))
        .map_err(failed)?;
    Ok(fence)
}

impl Owner {
    fn lives(&self, owners: &Owners, now: Timestamp) -> bool {
        self.until > now && !(self.locked && owners.is_dead(&self.id))
    }
}
