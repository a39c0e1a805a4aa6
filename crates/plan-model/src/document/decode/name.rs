//! Names: declared ones follow a grammar, used ones need only be text.

use super::{Decoder, Place};
use crate::document::ProblemKind;
use crate::document::problem::capped;
use crate::document::tree::NodeRef;
use crate::id::{HOST_NAME, IDENTIFIER, Name, check_identifier};
use crate::reference::{Spelling, plan_references};
use crate::{IdError, StepId};

/// Whether a text holds a plan reference in braces.
pub(crate) fn holds_reference(text: &str) -> bool {
    plan_references(text).any(|found| found.spelling == Spelling::Braced)
}

impl Decoder {
    /// The name that something is given here: an identifier. A bad one is reported and kept as it is.
    pub(crate) fn identifier<T: Name>(
        &mut self,
        at: Option<Place<'_, '_>>,
        what: &'static str,
    ) -> Option<T> {
        let text = self.name_text(at, what)?;
        let at = at?;
        if let Err(error) = check_identifier(text, self.name_bytes) {
            self.invalid_name(&at, what, text, (error, IDENTIFIER));
        }
        Some(self.names.name(text))
    }

    /// The name that a member of an open object has: an identifier.
    pub(crate) fn member_name<T: Name>(
        &mut self,
        member: &Place<'_, '_>,
        key: NodeRef<'_>,
        what: &'static str,
    ) -> T {
        let text = key.text();
        let kind = if holds_reference(text) {
            ProblemKind::MisplacedReference { place: what }
        } else if let Err(error) = check_identifier(text, self.name_bytes) {
            ProblemKind::InvalidId {
                what,
                text: capped(text),
                error,
                grammar: IDENTIFIER,
            }
        } else {
            return self.names.name(text);
        };
        self.report_within(member, key.span(), kind);
        self.stand_in(member);
        self.names.name(text)
    }

    /// A name that a host chose, or that what a tool returns chose. A bad one is reported and kept as it is.
    pub(crate) fn host_name<T: Name>(
        &mut self,
        at: Option<Place<'_, '_>>,
        what: &'static str,
    ) -> Option<T> {
        let text = self.name_text(at, what)?;
        let at = at?;
        if let Err(error) = T::check(text) {
            self.invalid_name(&at, what, text, (error, HOST_NAME));
        }
        Some(self.names.name(text))
    }

    /// The id of a step that is declared elsewhere. Whether it exists is not asked here.
    pub(crate) fn step_use(&mut self, at: &Place<'_, '_>) -> StepId {
        let text = self.name_text(Some(*at), "a step id");
        self.names.name(text.unwrap_or_default())
    }

    fn name_text<'d>(&mut self, at: Option<Place<'d, '_>>, what: &'static str) -> Option<&'d str> {
        let at = at?;
        let Some(text) = at.node.as_text() else {
            self.wrong_shape(&at, what, &[]);
            return None;
        };
        (!self.refuse_reference(&at, text, what)).then_some(text)
    }

    /// Reports a reference in a name. Whether there was one.
    pub(crate) fn refuse_reference(
        &mut self,
        at: &Place<'_, '_>,
        text: &str,
        what: &'static str,
    ) -> bool {
        let found = holds_reference(text);
        if found {
            self.stand_in(at);
            self.report(at, ProblemKind::MisplacedReference { place: what });
        }
        found
    }

    pub(crate) fn invalid_name(
        &mut self,
        at: &Place<'_, '_>,
        what: &'static str,
        text: &str,
        (error, grammar): (IdError, &'static str),
    ) {
        self.stand_in(at);
        let kind = ProblemKind::InvalidId {
            what,
            text: capped(text),
            error,
            grammar,
        };
        self.report(at, kind);
    }
}
