//! Pointers of places in a plan.

use std::fmt;

use plan_model::Pointer;

/// `/inputs/INDEX`
pub(super) fn input(index: usize) -> Pointer {
    Pointer::root().join("inputs").join(index)
}

/// `/outputs/INDEX`: an output of the plan.
pub(super) fn output(index: usize) -> Pointer {
    Pointer::root().join("outputs").join(index)
}

/// `/steps/INDEX`
pub(super) fn step(index: usize) -> Pointer {
    Pointer::root().join("steps").join(index)
}

/// `/steps/INDEX/depends_on/AT`
pub(super) fn dependency(index: usize, at: usize) -> Pointer {
    step(index).join("depends_on").join(at)
}

/// `/steps/INDEX/outputs/AT`
pub(super) fn step_output(index: usize, at: usize) -> Pointer {
    step(index).join("outputs").join(at)
}

/// `/steps/INDEX/config/FIELD`
pub(super) fn config(index: usize, field: impl fmt::Display) -> Pointer {
    step(index).join("config").join(field)
}

#[cfg(test)]
mod tests {
    #[test]
    fn places_are_pointers_of_the_plan() {
        assert_eq!(super::dependency(3, 1).as_str(), "/steps/3/depends_on/1");
        assert_eq!(super::config(0, "a/b").as_str(), "/steps/0/config/a~1b");
    }
}
