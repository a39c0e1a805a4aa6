//! Objects of the format: their fields are known, and some must be there.

use super::close::{close_names, distance};
use super::{Decoder, Place};
use crate::document::ProblemKind;
use crate::document::problem::capped;
use crate::document::tree::NodeRef;

/// A field that the format has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    name: &'static str,
    presence: Presence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Required,
    /// `null` leaves it out.
    Optional,
    /// `null` is a value.
    Nullable,
}

impl Field {
    /// A field that must be there.
    pub(crate) const fn required(name: &'static str) -> Self {
        Self {
            name,
            presence: Presence::Required,
        }
    }

    /// A field that may be left out; `null` leaves it out.
    pub(crate) const fn optional(name: &'static str) -> Self {
        Self {
            name,
            presence: Presence::Optional,
        }
    }

    /// A field that may be left out, but in which `null` is a value.
    pub(crate) const fn nullable(name: &'static str) -> Self {
        Self {
            name,
            presence: Presence::Nullable,
        }
    }

    fn is_required(self) -> bool {
        self.presence == Presence::Required
    }
}

impl Decoder {
    /// The fields of an object, in the order of `fields`.
    ///
    /// Reports unknown and missing ones; a missing one whose name is close to
    /// an unknown one is reported together with it. All are absent when the
    /// value is no object.
    pub(crate) fn object<'d, 'a, const N: usize>(
        &mut self,
        at: &'a Place<'d, 'a>,
        what: &str,
        fields: [Field; N],
    ) -> [Option<Place<'d, 'a>>; N] {
        let mut found = [None; N];
        if !at.is_object() {
            self.wrong_shape(at, what, &[]);
            return found;
        }
        let mut unknown = Vec::new();
        for (key, place) in at.members() {
            match fields.iter().position(|field| field.name == key.text()) {
                Some(index) => {
                    if let Some(slot @ None) = found.get_mut(index) {
                        *slot = Some(place);
                    }
                }
                None => unknown.push(key),
            }
        }
        let mut expected = fields.iter().zip(&found);
        let is_complete = expected.all(|(field, place)| place.is_some() || !field.is_required());
        if !is_complete || !unknown.is_empty() {
            self.report_fields(at, &fields, &found, unknown);
        }
        for (slot, field) in found.iter_mut().zip(fields) {
            if field.presence == Presence::Optional
                && slot.is_some_and(|place| place.node.is_null())
            {
                *slot = None;
            }
        }
        found
    }

    fn report_fields(
        &mut self,
        at: &Place<'_, '_>,
        fields: &[Field],
        found: &[Option<Place<'_, '_>>],
        mut unknown: Vec<NodeRef<'_>>,
    ) {
        let absent: Vec<Field> = fields
            .iter()
            .zip(found)
            .filter(|(_, place)| place.is_none())
            .map(|(field, _)| *field)
            .collect();
        for field in absent.iter().filter(|field| field.is_required()) {
            self.stand_in_at(&at.pointer().join(field.name));
            let closest = unknown
                .iter()
                .enumerate()
                // an object with more of them was not meant as one of the format
                .take(64)
                .filter_map(|(index, key)| Some((distance(key.text(), field.name)?, index)))
                .min();
            if let Some((_, index)) = closest {
                let key = unknown.remove(index);
                self.report_unknown(at, key, vec![field.name], Some(field.name));
            } else {
                let kind = ProblemKind::MissingField {
                    field: field.name.to_owned(),
                };
                self.report(at, kind);
            }
        }
        let absent: Vec<&str> = absent.iter().map(|field| field.name).collect();
        for key in unknown {
            let candidates = if self.problems.is_full() {
                Vec::new()
            } else {
                let close = close_names(key.text(), fields.iter().map(|field| field.name));
                if close.is_empty() {
                    absent.clone()
                } else {
                    close
                }
            };
            self.report_unknown(at, key, candidates, None);
        }
    }

    fn report_unknown(
        &mut self,
        at: &Place<'_, '_>,
        key: NodeRef<'_>,
        candidates: Vec<&str>,
        instead_of: Option<&str>,
    ) {
        let kind = ProblemKind::UnknownField {
            field: capped(key.text()),
            candidates: candidates.into_iter().map(str::to_owned).collect(),
            instead_of: instead_of.map(str::to_owned),
        };
        self.problems
            .add(kind, key.span(), || at.pointer().join(key.text()));
    }
}
