//! What happened, a line each, with the virtual time.

use plan_model::Timestamp;

/// The lines of a trace, where one is kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trace {
    is_kept: bool,
    lines: Vec<String>,
}

impl Trace {
    pub(crate) fn new(is_kept: bool) -> Self {
        Self {
            is_kept,
            lines: Vec::new(),
        }
    }

    /// Adds a line, which is only made where the trace is kept.
    pub(crate) fn note(&mut self, at: Timestamp, what: impl FnOnce() -> String) {
        if self.is_kept {
            let millis = at.as_millis();
            self.lines.push(format!(
                "{:>5}.{:03}  {}",
                millis / 1000,
                millis % 1000,
                what()
            ));
        }
    }

    pub(crate) fn into_lines(self) -> Vec<String> {
        self.lines
    }
}
