//! JSON written piece by piece: as a value, or straight into a digest.
//!
//! What writes itself once through an [`Outlet`] has a digest that is that of its JSON form, and no
//! value is built for it.

mod canonical;
mod tree;

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use crate::Digest;

pub(crate) use canonical::Canonical;
use tree::Tree;

/// What takes JSON piece by piece.
///
/// Objects and arrays are closed in the order in which they were opened, and in an object each value follows
/// its key. Keys come in the order of canonical JSON, by their UTF-16 code units: [`each_member`] brings
/// them so.
pub trait Outlet {
    /// An object begins.
    fn open_object(&mut self);
    /// The innermost object ends.
    fn close_object(&mut self);
    /// An array begins.
    fn open_array(&mut self);
    /// The innermost array ends.
    fn close_array(&mut self);
    /// The key of the value that comes next.
    fn key(&mut self, key: &str);
    /// A text.
    fn text(&mut self, text: &str);
    /// A text that is written as it comes into being.
    fn shown(&mut self, text: &dyn fmt::Display);
    /// A whole value, whose members may be in any order.
    fn value(&mut self, value: &Value);
}

/// The value that is written.
pub fn value_of(write: impl FnOnce(&mut dyn Outlet)) -> Value {
    let mut tree = Tree::default();
    write(&mut tree);
    tree.finish()
}

/// The digest of what is written: that of its value, by [`Digest::of_json`].
///
/// ```
/// use plan_model::Digest;
/// use plan_model::json::{Outlet, digest_of, value_of};
///
/// let write = |out: &mut dyn Outlet| {
///     out.open_object();
///     out.key("tool");
///     out.text("search");
///     out.close_object();
/// };
/// assert_eq!(digest_of(write), Digest::of_json(&value_of(write)));
/// ```
pub fn digest_of(write: impl FnOnce(&mut dyn Outlet)) -> Digest {
    let mut canonical = Canonical::hashed();
    write(&mut canonical);
    canonical.digest()
}

/// Brings the members of a map in the order of canonical JSON.
pub fn each_member<'m, V>(members: &'m BTreeMap<String, V>, mut each: impl FnMut(&'m str, &'m V)) {
    // the order of bytes differs only where a surrogate meets a higher unit of the basic plane
    if members.keys().all(|name| name.is_ascii()) {
        for (name, value) in members {
            each(name, value);
        }
        return;
    }
    let mut in_order: Vec<_> = members.iter().collect();
    in_order.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    for (name, value) in in_order {
        each(name, value);
    }
}
