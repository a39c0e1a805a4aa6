//! Untrusted values that reach arguments which their tool calls sensitive.

use super::Cause;
use crate::facts::{Facts, Site, Use};
use crate::text::quoted;

/// An untrusted value that reaches a sensitive argument.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inflow<'f, 'a> {
    /// The reference that reads it.
    pub(crate) read: &'f Use<'a>,
    /// The argument.
    pub(crate) argument: &'a str,
    /// Why it is not trusted.
    pub(crate) cause: Cause,
}

impl Inflow<'_, '_> {
    /// What happens, as a clause that names the source and the argument.
    pub(crate) fn words(&self, facts: &Facts<'_>) -> String {
        format!(
            "an untrusted value from {} reaches the sensitive argument {}",
            facts.source_of(self.cause),
            quoted(self.argument)
        )
    }
}

impl<'a> Facts<'a> {
    /// What reaches the sensitive arguments of a call, in the order of the plan.
    pub(crate) fn inflows(&self, step: usize) -> impl Iterator<Item = Inflow<'_, 'a>> {
        let sensitive = self
            .tool(step)
            .map_or(&[][..], |tool| &tool.spec.sensitive_arguments);
        let uses = if sensitive.is_empty() {
            &[]
        } else {
            self.uses_of(step)
        };
        uses.iter().filter_map(move |read| {
            let Site::Argument(argument) = read.site else {
                return None;
            };
            if !sensitive.iter().any(|name| name == argument) {
                return None;
            }
            let cause = self.cause_of_distrust(step, read.reference)?;
            Some(Inflow {
                read,
                argument,
                cause,
            })
        })
    }
}
