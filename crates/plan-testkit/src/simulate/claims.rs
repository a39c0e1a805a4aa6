//! Who drives the run: one claim, under a fence that grows with each.

use std::time::Duration;

use plan_model::Timestamp;

/// How long a claim holds that nobody renews.
pub(crate) const TTL: Duration = Duration::from_secs(15);

/// The claim on the run.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    holder: Option<Holder>,
}

#[derive(Debug)]
struct Holder {
    life: u64,
    /// When it runs out; `None` while it is renewed.
    until: Option<Timestamp>,
}

impl Claims {
    /// From when on another may take the run; `None` while it is driven.
    pub(crate) fn free_from(&self, now: Timestamp) -> Option<Timestamp> {
        match &self.holder {
            None => Some(now),
            Some(Holder { until, .. }) => *until,
        }
    }

    /// A process has it, and renews it.
    pub(crate) fn take(&mut self, life: u64) {
        self.holder = Some(Holder { life, until: None });
    }

    /// The process, if it has it, renews it no more.
    pub(crate) fn expires(&mut self, life: u64, at: Timestamp) {
        if let Some(holder) = self.of(life) {
            holder.until = Some(at);
        }
    }

    /// The process renews it again; says whether it still has it.
    pub(crate) fn renew(&mut self, life: u64) -> bool {
        self.of(life).map(|holder| holder.until = None).is_some()
    }

    /// The process gives it up.
    pub(crate) fn release(&mut self, life: u64) {
        if self.of(life).is_some() {
            self.holder = None;
        }
    }

    fn of(&mut self, life: u64) -> Option<&mut Holder> {
        self.holder.as_mut().filter(|holder| holder.life == life)
    }
}
