//! Where a step stands in a run: `fetch`, or `pages[2]/fetch` for one item of a fan-out.

use std::fmt;
use std::str::FromStr;

use plan_model::StepId;
use serde::{Deserialize, Serialize};

/// The address of a step in a run: the step's id, after the items that it runs for.
///
/// ```
/// use plan_run::StepPath;
///
/// let path: StepPath = "pages[2]/fetch".parse()?;
/// assert_eq!(path.step().as_str(), "fetch");
/// assert_eq!(path.to_string(), "pages[2]/fetch");
/// # Ok::<(), plan_run::StepPathError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StepPath {
    items: Vec<(StepId, usize)>,
    step: StepId,
}

impl StepPath {
    /// The step that this path ends at.
    pub fn step(&self) -> &StepId {
        &self.step
    }

    /// The fan-outs and the items of theirs that the step runs for, the outermost first.
    pub fn items(&self) -> &[(StepId, usize)] {
        &self.items
    }

    /// The path of `body` for one item of this step.
    #[must_use]
    pub fn item(&self, index: usize, body: StepId) -> Self {
        let mut items = self.items.clone();
        items.push((self.step.clone(), index));
        Self { items, step: body }
    }

    /// The path of a step that runs for these items, the outermost first.
    pub(crate) fn within(items: Vec<(StepId, usize)>, step: StepId) -> Self {
        Self { items, step }
    }

    /// Whether the step runs for an item of `owner`, or of a fan-out within one.
    pub fn is_inside(&self, owner: &Self) -> bool {
        let (around, rest) = (owner.items.len(), self.items.as_slice());
        rest.get(..around) == Some(owner.items.as_slice())
            && rest.get(around).is_some_and(|(id, _)| *id == owner.step)
    }
}

impl From<StepId> for StepPath {
    fn from(step: StepId) -> Self {
        Self {
            items: Vec::new(),
            step,
        }
    }
}

impl From<&StepId> for StepPath {
    fn from(step: &StepId) -> Self {
        step.clone().into()
    }
}

impl fmt::Display for StepPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (owner, index) in &self.items {
            write!(f, "{owner}[{index}]/")?;
        }
        f.write_str(self.step.as_str())
    }
}

impl fmt::Debug for StepPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that should have been a step path and is not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("is not a step path, such as `fetch` or `pages[2]/fetch`")]
pub struct StepPathError;

impl FromStr for StepPath {
    type Err = StepPathError;

    fn from_str(text: &str) -> Result<Self, StepPathError> {
        let mut items = Vec::new();
        let mut rest = text;
        while let Some((head, tail)) = rest.split_once('/') {
            let (owner, index) = head
                .strip_suffix(']')
                .and_then(|head| head.split_once('['))
                .ok_or(StepPathError)?;
            let written = index;
            let index: usize = index.parse().map_err(|_| StepPathError)?;
            // one spelling for one path
            if index.to_string() != written {
                return Err(StepPathError);
            }
            items.push((StepId::new(owner).map_err(|_| StepPathError)?, index));
            rest = tail;
        }
        let step = StepId::new(rest).map_err(|_| StepPathError)?;
        Ok(Self { items, step })
    }
}

impl TryFrom<String> for StepPath {
    type Error = StepPathError;

    fn try_from(text: String) -> Result<Self, StepPathError> {
        text.parse()
    }
}

impl From<StepPath> for String {
    fn from(path: StepPath) -> Self {
        path.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_what_it_writes() {
        for text in ["a", "owner[2]/body", "outer[1]/inner[0]/body"] {
            assert_eq!(text.parse::<StepPath>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_path_is_built_from_its_owner() {
        let owner = StepPath::from(StepId::new("owner").unwrap());
        let body = owner.item(2, StepId::new("body").unwrap());
        assert_eq!(body, "owner[2]/body".parse().unwrap());
        assert_eq!(body.items().len(), 1);
    }

    #[test]
    fn a_step_is_inside_every_fan_out_around_it() {
        let path = |text: &str| text.parse::<StepPath>().unwrap();
        let step = path("outer[1]/inner[0]/body");
        for (owner, is_inside) in [
            ("outer", true),
            ("outer[1]/inner", true),
            ("outer[2]/inner", false),
            ("inner", false),
            ("outer[1]/inner[0]/body", false),
        ] {
            assert_eq!(step.is_inside(&path(owner)), is_inside, "{owner}");
        }
        assert!(!path("body").is_inside(&path("body")));
    }

    #[test]
    fn other_spellings_are_refused() {
        for text in [
            "", "a/", "/a", "a[0]", "a[-1]/b", "a[01]/b", "a[x]/b", "a[1]b", "a[1]//b", "a b",
        ] {
            assert!(text.parse::<StepPath>().is_err(), "{text:?}");
        }
    }
}
