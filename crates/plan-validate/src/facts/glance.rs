//! What a reference reads, without following it.

use plan_model::{Path, Reference, Root};

/// Which kinds of things the paths of a reference read. Rules that look for one kind look here first: the
/// references themselves lie all over the memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Glance(u8);

const INPUT: u8 = 1;
const CONFIG: u8 = 2;
const SECRET: u8 = 4;
const INSIDE: u8 = 8;

impl Glance {
    pub(super) fn of(reference: &Reference) -> Self {
        Self(reference.paths().fold(0, |bits, path| bits | bits_of(path)))
    }

    /// Whether some path reads an input.
    pub(crate) fn input(self) -> bool {
        self.0 & INPUT != 0
    }

    /// Whether some path reads a config value.
    pub(crate) fn config(self) -> bool {
        self.0 & CONFIG != 0
    }

    /// Whether some path reads a secret.
    pub(crate) fn secret(self) -> bool {
        self.0 & SECRET != 0
    }

    /// Whether some path goes on into an input, an item, a config value, or an output of a step.
    pub(crate) fn inside(self) -> bool {
        self.0 & INSIDE != 0
    }
}

fn bits_of(path: &Path) -> u8 {
    let (root, named) = match path.root {
        Root::Input(_) => (INPUT, 0),
        Root::Config(_) => (CONFIG, 0),
        Root::Secret(_) => (SECRET, 0),
        Root::Item(_) => (0, 0),
        Root::Step(_) => (0, 1),
    };
    if path.segments.len() > named {
        root | INSIDE
    } else {
        root
    }
}
