//! How often what goes wrong in a simulated world.

/// Chances in a hundred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chances {
    /// A call fails.
    pub fails: usize,
    /// A call takes longer than it may, where it has a limit.
    pub hangs: usize,
    /// A call panics.
    pub panics: usize,
    /// A result arrives a second time; that of a call that timed out arrives late.
    pub repeats: usize,
    /// A process dies before or after an append.
    pub dies_at_append: usize,
    /// A process dies between two turns, with calls in flight.
    pub dies_in_flight: usize,
    /// A process stops for a while, perhaps past its claim, and goes on.
    pub sleeps: usize,
    /// An append is taken, and the process is told that it failed.
    pub lost_reply: usize,
    /// What people say goes past the process into the journal.
    pub external: usize,
    /// A person says something twice, too late or to the wrong request.
    pub misspeaks: usize,
    /// A person rejects, or does not answer in time, where there is a limit.
    pub rejects: usize,
    /// Somebody cancels the run.
    pub cancels: usize,
    /// What made a failed run fail is put right, and the run resumed.
    pub fixes: usize,
}

impl Default for Chances {
    /// Everything goes wrong now and then.
    fn default() -> Self {
        Self {
            fails: 15,
            hangs: 6,
            panics: 2,
            repeats: 15,
            dies_at_append: 4,
            dies_in_flight: 5,
            sleeps: 5,
            lost_reply: 4,
            external: 60,
            misspeaks: 30,
            rejects: 12,
            cancels: 8,
            fixes: 70,
        }
    }
}

impl Chances {
    /// Nothing goes wrong: calls succeed, people approve, processes live.
    pub fn none() -> Self {
        Self {
            fails: 0,
            hangs: 0,
            panics: 0,
            repeats: 0,
            dies_at_append: 0,
            dies_in_flight: 0,
            sleeps: 0,
            lost_reply: 0,
            external: 0,
            misspeaks: 0,
            rejects: 0,
            cancels: 0,
            fixes: 0,
        }
    }

    /// Calls and people fail as they may; processes, claims and the journal do not.
    pub fn steady() -> Self {
        Self {
            dies_at_append: 0,
            dies_in_flight: 0,
            sleeps: 0,
            lost_reply: 0,
            cancels: 0,
            ..Self::default()
        }
    }

    /// Processes die and lose their claims far more often.
    pub fn rough() -> Self {
        Self {
            dies_at_append: 15,
            dies_in_flight: 20,
            sleeps: 15,
            lost_reply: 10,
            ..Self::default()
        }
    }
}
