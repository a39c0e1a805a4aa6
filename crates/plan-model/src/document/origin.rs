//! Where places of a plan stand in the document that it was read from.

use crate::Pointer;

/// How places of a plan are found in the document that it was read from.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    layout: Layout,
    steps: Vec<StepOrigin>,
}

/// How a document holds a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Layout {
    /// The document is the plan.
    #[default]
    Plan,
    /// The plan is under `/plan`.
    Bundle,
    /// The steps are a planner's.
    Planner,
}

/// Where the parts of a planner's step that need not be written come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StepOrigin {
    pub(crate) is_named: bool,
    pub(crate) edges: Edges,
}

/// How a planner's step says what it comes after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edges {
    /// `after: [...]`
    List,
    /// `after: "..."`
    Text,
    /// It is silent, and follows the step before it.
    Position,
    /// It is silent and follows nothing but its references.
    Silent,
}

impl Origin {
    pub(crate) fn new(layout: Layout) -> Self {
        Self {
            layout,
            steps: Vec::new(),
        }
    }

    pub(crate) fn planner(steps: Vec<StepOrigin>) -> Self {
        Self {
            layout: Layout::Planner,
            steps,
        }
    }

    /// The document's pointer for a place of the plan.
    ///
    /// What a planner's list does not spell out is found where it comes from: an
    /// edge from position at its step, the plan's intent at the objective.
    pub fn locate(&self, pointer: &Pointer) -> Pointer {
        match self.layout {
            Layout::Plan => pointer.clone(),
            Layout::Bundle => extend(Pointer::root().join("plan"), pointer.segments()),
            Layout::Planner => self.locate_in_list(pointer),
        }
    }

    /// The document's pointer for a place that is to be set or taken out; `None` where the document's format
    /// has no such place.
    ///
    /// Unlike [`locate`](Self::locate) it leads to the field itself, also where it is not there yet.
    pub fn locate_edit(&self, pointer: &Pointer) -> Option<Pointer> {
        if self.layout != Layout::Planner {
            return Some(self.locate(pointer));
        }
        let segments: Vec<_> = pointer.segments().collect();
        let words: Vec<&str> = segments.iter().map(AsRef::as_ref).collect();
        let ["steps", index, inside @ ..] = words.as_slice() else {
            return None;
        };
        let edges = index.parse().ok().and_then(|at: usize| self.steps.get(at));
        let step = Pointer::root().join("steps").join(index);
        match inside {
            [] => Some(step),
            ["id" | "name"] => Some(step.join("name")),
            ["config", "tool"] => Some(step.join("tool")),
            ["config", "arguments", rest @ ..] => Some(extend(step.join("args"), rest)),
            ["depends_on"] => Some(step.join("after")),
            ["depends_on", rest @ ..] if edges?.edges == Edges::List => {
                Some(extend(step.join("after"), rest))
            }
            ["description"] => Some(step.join("description")),
            _ => None,
        }
    }

    /// Whether the step's dependency on the one before it came from position alone.
    pub fn is_positional(&self, step: usize) -> bool {
        self.steps
            .get(step)
            .is_some_and(|step| step.edges == Edges::Position)
    }

    fn locate_in_list(&self, pointer: &Pointer) -> Pointer {
        let segments: Vec<_> = pointer.segments().collect();
        let words: Vec<&str> = segments.iter().map(AsRef::as_ref).collect();
        let (index, inside) = match words.as_slice() {
            ["steps", index, inside @ ..] => (*index, inside),
            ["steps"] => return pointer.clone(),
            ["name", ..] | ["metadata", "intent", ..] => return Pointer::root().join("objective"),
            _ => return Pointer::root(),
        };
        let step = Pointer::root().join("steps").join(index);
        let origin = index.parse().ok().and_then(|at: usize| self.steps.get(at));
        let edges = origin.map_or(Edges::Silent, |origin| origin.edges);
        match (inside, edges) {
            (["id" | "name", ..], _) if origin.is_some_and(|origin| origin.is_named) => {
                step.join("name")
            }
            (["config", "tool", ..], _) => step.join("tool"),
            (["config", "arguments", rest @ ..], _) => extend(step.join("args"), rest),
            (["depends_on", rest @ ..], Edges::List) => extend(step.join("after"), rest),
            (["depends_on", ..], Edges::Text) => step.join("after"),
            (["description", ..], _) => step.join("description"),
            _ => step,
        }
    }
}

impl Layout {
    /// The plan's pointer for a place of the document.
    pub(crate) fn to_plan(self, pointer: &Pointer) -> Pointer {
        let segments: Vec<_> = pointer.segments().collect();
        let words: Vec<&str> = segments.iter().map(AsRef::as_ref).collect();
        match (self, words.as_slice()) {
            (Self::Plan, _) => pointer.clone(),
            (Self::Bundle, ["plan", rest @ ..]) => extend(Pointer::root(), rest),
            (Self::Bundle, _) => Pointer::root(),
            (Self::Planner, ["objective", ..]) => Pointer::root().join("metadata").join("intent"),
            (Self::Planner, ["steps", index, field, rest @ ..]) => {
                let step = Pointer::root().join("steps").join(index);
                match *field {
                    "name" => step.join("id"),
                    "tool" => step.join("config").join("tool"),
                    "args" => extend(step.join("config").join("arguments"), rest),
                    "after" => extend(step.join("depends_on"), rest),
                    _ => extend(step.join(field), rest),
                }
            }
            (Self::Planner, _) => pointer.clone(),
        }
    }
}

fn extend<S: std::fmt::Display>(
    mut pointer: Pointer,
    segments: impl IntoIterator<Item = S>,
) -> Pointer {
    for segment in segments {
        pointer.push(segment);
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer(text: &str) -> Pointer {
        let mut pointer = Pointer::root();
        text.split('/').skip(1).for_each(|part| pointer.push(part));
        pointer
    }

    #[test]
    fn places_of_a_planners_list_are_found_both_ways() {
        let step = |is_named, edges| StepOrigin { is_named, edges };
        let origin = Origin::planner(vec![
            step(true, Edges::List),
            step(false, Edges::Position),
            step(true, Edges::Text),
        ]);
        let check = |plan: &str, document: &str| {
            assert_eq!(origin.locate(&pointer(plan)).as_str(), document, "{plan}");
        };
        check("/steps/0/config/arguments/x/1", "/steps/0/args/x/1");
        check("/steps/0/config/tool", "/steps/0/tool");
        check("/steps/0/depends_on/2", "/steps/0/after/2");
        check("/steps/1/depends_on/0", "/steps/1");
        check("/steps/2/depends_on/0", "/steps/2/after");
        check("/steps/0/id", "/steps/0/name");
        check("/steps/1/id", "/steps/1");
        check("/steps", "/steps");
        check("/metadata/intent", "/objective");
        check("/limits", "");
        assert_eq!(
            Layout::Planner.to_plan(&pointer("/steps/0/args/x/1")),
            pointer("/steps/0/config/arguments/x/1")
        );
        assert!(origin.is_positional(1) && !origin.is_positional(0));
    }

    #[test]
    fn places_of_a_bundle_are_under_its_plan() {
        let origin = Origin::new(Layout::Bundle);
        assert_eq!(
            origin.locate(&pointer("/steps/0")).as_str(),
            "/plan/steps/0"
        );
        assert_eq!(origin.locate(&Pointer::root()).as_str(), "/plan");
        assert_eq!(
            Layout::Bundle.to_plan(&pointer("/plan/steps/0")),
            pointer("/steps/0")
        );
    }
}
