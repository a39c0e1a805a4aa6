//! The JSON form of a run record. Steps are written in plan order.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::{AgentCallRecord, AttemptRecord, Cancelled, ItemRecord, RunRecord, StepRecord};
use crate::{Request, StepStatus};

impl Serialize for RunRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("run_id", &self.run)?;
        map.serialize_entry("status", &self.status)?;
        map.serialize_entry("plan", &self.plan)?;
        map.serialize_entry("created_at", &self.created_at)?;
        entry(&mut map, "ended_at", self.ended_at.as_ref())?;
        map.serialize_entry("generation", &self.generation)?;
        entry(&mut map, "forked_from", self.forked_from.as_ref())?;
        entry(&mut map, "principal", self.principal.as_ref())?;
        if !self.tags.is_empty() {
            map.serialize_entry("tags", &self.tags)?;
        }
        map.serialize_entry("inputs", &self.inputs)?;
        map.serialize_entry("steps", &Steps(&self.steps))?;
        map.serialize_entry("outputs", &self.outputs)?;
        entry(&mut map, "usage", self.usage.as_ref())?;
        let waiting: Vec<Waiting<'_>> = self.waiting.iter().map(Waiting).collect();
        map.serialize_entry("waiting", &waiting)?;
        entry(&mut map, "failure", self.failure.as_ref())?;
        entry(&mut map, "cancelled", self.cancelled.as_ref())?;
        map.end()
    }
}

struct Steps<'a>(&'a [StepRecord]);

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|step| (&step.id, step)))
    }
}

impl Serialize for StepRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("status", self.status.as_str())?;
        if let StepStatus::Skipped(reason) = self.status {
            map.serialize_entry("skipped_reason", &reason)?;
        }
        map.serialize_entry("attempts", &self.attempts)?;
        map.serialize_entry("outputs", &self.outputs)?;
        entry(&mut map, "stdout", self.stdout.as_ref())?;
        entry(&mut map, "stderr", self.stderr.as_ref())?;
        entry(&mut map, "usage", self.usage.as_ref())?;
        entry(&mut map, "answered_by", self.answered_by.as_ref())?;
        entry(&mut map, "failure", self.failure.as_ref())?;
        if !self.items.is_empty() {
            map.serialize_entry("items", &self.items)?;
        }
        map.end()
    }
}

impl Serialize for ItemRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("index", &self.index)?;
        map.serialize_entry("status", self.status.as_str())?;
        map.serialize_entry("steps", &Steps(&self.steps))?;
        map.end()
    }
}

impl Serialize for AttemptRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("attempt", &self.attempt)?;
        map.serialize_entry("started_at", &self.started_at)?;
        if let Some(end) = &self.end {
            map.serialize_entry("ended_at", &end.at)?;
            map.serialize_entry("outcome", end.result.as_str())?;
            entry(&mut map, "decided_by", end.decided_by.as_ref())?;
        }
        map.serialize_entry("arguments", &self.arguments)?;
        entry(
            &mut map,
            "failure",
            self.end.as_ref().and_then(|end| end.failure.as_ref()),
        )?;
        entry(
            &mut map,
            "confinement",
            self.end.as_ref().and_then(|end| end.confinement.as_ref()),
        )?;
        entry(&mut map, "late_result", self.late.as_ref())?;
        entry(&mut map, "usage", self.usage.as_ref())?;
        if !self.calls.is_empty() {
            map.serialize_entry("calls", &self.calls)?;
        }
        map.end()
    }
}

impl Serialize for AgentCallRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("call", &self.call)?;
        map.serialize_entry("tool", &self.tool)?;
        map.serialize_entry("arguments", &self.arguments)?;
        map.serialize_entry("started_at", &self.started_at)?;
        entry(&mut map, "ended_at", self.ended_at.as_ref())?;
        entry(&mut map, "refused", self.refusal.as_ref())?;
        entry(&mut map, "failure", self.failure.as_ref())?;
        map.end()
    }
}

struct Waiting<'a>(&'a Request);

impl Serialize for Waiting<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let request = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("request_id", &request.id)?;
        map.serialize_entry("kind", &request.kind)?;
        map.serialize_entry("step", &request.step)?;
        map.serialize_entry("prompt", &request.prompt)?;
        map.serialize_entry("schema", &request.schema)?;
        entry(&mut map, "call", request.call.as_ref())?;
        entry(&mut map, "expires_at", request.expires_at.as_ref())?;
        map.end()
    }
}

impl Serialize for Cancelled {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("by", &self.by)?;
        entry(&mut map, "reason", self.reason.as_ref())?;
        map.end()
    }
}

/// Writes a member that may be absent.
fn entry<M: SerializeMap, T: Serialize>(
    map: &mut M,
    name: &str,
    value: Option<&T>,
) -> Result<(), M::Error> {
    match value {
        Some(value) => map.serialize_entry(name, value),
        None => Ok(()),
    }
}
