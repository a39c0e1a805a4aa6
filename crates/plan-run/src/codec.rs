//! Events as bytes: one JSON object each, versioned.
//!
//! `{"v":1,"at":"2026-01-31T12:00:00Z","event":{"step_skipped":{…}}}`. Readers
//! ignore members that they do not know. A record that a reader of version 1
//! would misunderstand has a higher version, and is refused by it.

use plan_model::Timestamp;
use serde::{Deserialize, Serialize};

use crate::event::{Budget, StopReason};
use crate::{Event, EventKind, SkipReason};

/// The newest version that [`encode`] writes and [`decode`] reads.
pub const VERSION: u32 = 2;

/// The version that has been there from the beginning.
const FIRST: u32 = 1;

/// The version with items of fan-outs, models, agents and forks.
const ITEMS: u32 = 2;

/// The version in which an event of this kind was first written.
fn version_of(event: &EventKind) -> u32 {
    match event {
        EventKind::ItemsExpanded(_)
        | EventKind::UntilEvaluated { .. }
        | EventKind::ItemsStopped { .. }
        | EventKind::ListCollected { .. }
        | EventKind::FanOutDropped { .. }
        | EventKind::ModelAnswered { .. }
        | EventKind::AgentCalled(_)
        | EventKind::AgentCallEnded { .. }
        | EventKind::RunForked(_)
        | EventKind::BudgetCrossed {
            budget: Budget::ModelTokens | Budget::OutputBytes,
            ..
        }
        | EventKind::StepSkipped {
            reason: SkipReason::ItemFailed | SkipReason::OutOfTime,
            ..
        }
        | EventKind::RetryDropped {
            reason: StopReason::OutOfTime,
            ..
        }
        | EventKind::RequestWithdrawn {
            reason: StopReason::OutOfTime,
            ..
        } => ITEMS,
        _ => FIRST,
    }
}

/// Why bytes are not an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// A newer release wrote the record.
    #[error("the record has version {found}, and this release reads versions up to {supported}")]
    Newer {
        /// The record's version.
        found: u32,
        /// The newest that is understood.
        supported: u32,
    },
    /// The record is damaged.
    #[error("the record cannot be read: {message}")]
    Unreadable {
        /// What is wrong, as a clause.
        message: String,
    },
}

#[derive(Serialize)]
struct RecordRef<'a> {
    v: u32,
    at: Timestamp,
    event: &'a EventKind,
}

#[derive(Deserialize)]
struct Record {
    v: u32,
    at: Timestamp,
    event: EventKind,
}

#[derive(Deserialize)]
struct Head {
    v: u32,
}

/// Writes one event as one JSON object on one line.
///
/// The bytes hold no line break.
pub fn encode(event: &Event) -> Vec<u8> {
    let record = RecordRef {
        v: version_of(&event.kind),
        at: event.at,
        event: &event.kind,
    };
    // writing strings, numbers and maps with text keys into memory does not fail
    serde_json::to_vec(&record).unwrap_or_default()
}

/// Reads what [`encode`] wrote, in this release or an earlier one.
///
/// # Errors
/// [`DecodeError::Newer`] for a record of a later version, [`DecodeError::Unreadable`]
/// for anything else that is not an event.
pub fn decode(bytes: &[u8]) -> Result<Event, DecodeError> {
    match serde_json::from_slice::<Record>(bytes) {
        Ok(record) if record.v <= VERSION => Ok(Event {
            at: record.at,
            kind: record.event,
        }),
        Ok(record) => Err(newer(record.v)),
        Err(error) => Err(match serde_json::from_slice::<Head>(bytes) {
            Ok(head) if head.v > VERSION => newer(head.v),
            _ => DecodeError::Unreadable {
                message: error.to_string(),
            },
        }),
    }
}

fn newer(found: u32) -> DecodeError {
    DecodeError::Newer {
        found,
        supported: VERSION,
    }
}
