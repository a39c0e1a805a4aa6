//! Whether what a reference names is there.

use plan_model::{Reference, Root};

use super::scope;
use crate::facts::Facts;

/// Whether the first path of a reference begins with a name of this plan, read from step `from`.
///
/// Nobody knows the host's secrets: they never count.
pub(super) fn is_known(facts: &Facts<'_>, reference: &Reference, from: Option<usize>) -> bool {
    match &reference.first().root {
        Root::Input(name) => facts.input(name.as_str()).is_some(),
        Root::Config(key) => facts.plan.config.contains_key(key),
        Root::Step(id) => facts.index_of(id).is_some(),
        Root::Item(name) => from
            .into_iter()
            .flat_map(|step| scope::item_names(facts, step, None))
            .any(|item| *name == *item),
        Root::Secret(_) => false,
    }
}
