//! Changes to the JSON of a document, as findings suggest them.

mod text;
mod write;

use serde_json::Value;

use crate::Pointer;
pub use text::{Replacement, edited, replacements};

/// A change to the JSON of a document.
///
/// ```
/// use plan_model::{Pointer, edit::Edit};
/// use serde_json::json;
///
/// let mut document = json!({ "steps": [{ "retry": { "max_attempts": 0 } }] });
/// let pointer = Pointer::parse("/steps/0/retry/max_attempts")?;
/// Edit::Set { pointer, value: json!(1) }.apply(&mut document).unwrap();
/// assert_eq!(document, json!({ "steps": [{ "retry": { "max_attempts": 1 } }] }));
/// # Ok::<(), plan_model::PointerError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// Puts a value where the pointer leads: over what stands there, as a new member, or as a new last
    /// element, whose index is the length of its array or `-`.
    Set {
        /// The place.
        pointer: Pointer,
        /// What stands there afterwards.
        value: Value,
    },
    /// Takes a member or an element away.
    Remove {
        /// The place.
        pointer: Pointer,
    },
}

/// Why an edit cannot be made. The document is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// Nothing stands where the pointer leads.
    #[error("nothing stands at `{0}`")]
    Nowhere(Pointer),
    /// The whole document was to be removed.
    #[error("the whole document cannot be removed")]
    WholeDocument,
    /// Two edits of one text touch the same place.
    #[error("two edits touch `{0}`")]
    Overlaps(Pointer),
}

impl Edit {
    /// The place that changes.
    pub fn pointer(&self) -> &Pointer {
        match self {
            Self::Set { pointer, .. } | Self::Remove { pointer } => pointer,
        }
    }

    /// Whether it is a new last element, so that the same edit twice is two elements.
    fn appends(&self) -> bool {
        matches!(self, Self::Set { .. }) && self.pointer().segments().last().as_deref() == Some("-")
    }

    /// Makes the change.
    ///
    /// # Errors
    /// When the place does not exist, or for [`Edit::Set`] what should hold it does not.
    pub fn apply(self, document: &mut Value) -> Result<(), EditError> {
        match self {
            Self::Set { pointer, value } => match holder(document, &pointer) {
                None => {
                    *document = value;
                    Ok(())
                }
                Some((Some(Value::Object(members)), name)) => {
                    members.insert(name, value);
                    Ok(())
                }
                Some((Some(Value::Array(items)), index)) => match place(&index, items.len()) {
                    Some(index) if index == items.len() => {
                        items.push(value);
                        Ok(())
                    }
                    Some(index) => items
                        .get_mut(index)
                        .map(|item| *item = value)
                        .ok_or(EditError::Nowhere(pointer)),
                    None => Err(EditError::Nowhere(pointer)),
                },
                Some(_) => Err(EditError::Nowhere(pointer)),
            },
            Self::Remove { pointer } => match holder(document, &pointer) {
                None => Err(EditError::WholeDocument),
                Some((Some(Value::Object(members)), name)) => members
                    .remove(&name)
                    .map(drop)
                    .ok_or(EditError::Nowhere(pointer)),
                Some((Some(Value::Array(items)), index)) => match place(&index, items.len()) {
                    Some(index) if index < items.len() => {
                        items.remove(index);
                        Ok(())
                    }
                    _ => Err(EditError::Nowhere(pointer)),
                },
                Some(_) => Err(EditError::Nowhere(pointer)),
            },
        }
    }
}

/// What holds the place, when it exists, and the place's name in it. `None` for the whole document.
fn holder<'d>(
    document: &'d mut Value,
    pointer: &Pointer,
) -> Option<(Option<&'d mut Value>, String)> {
    let name = pointer.segments().last()?.into_owned();
    let mut holder = pointer.clone();
    holder.pop();
    Some((document.pointer_mut(holder.as_str()), name))
}

fn place(index: &str, length: usize) -> Option<usize> {
    if index == "-" {
        return Some(length);
    }
    let canonical = index == "0" || !index.starts_with(['0', '+']);
    index
        .parse()
        .ok()
        .filter(|index| canonical && *index <= length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(pointer: &str) -> Pointer {
        Pointer::parse(pointer).unwrap()
    }

    fn set(pointer: &str, value: Value) -> Edit {
        Edit::Set {
            pointer: at(pointer),
            value,
        }
    }

    fn remove(pointer: &str) -> Edit {
        Edit::Remove {
            pointer: at(pointer),
        }
    }

    fn applied(edit: Edit) -> Result<Value, EditError> {
        let mut document = json!({ "a": [1, 2], "b/c": { "d": null } });
        edit.apply(&mut document).map(|()| document)
    }

    #[test]
    fn a_place_is_set() {
        assert_eq!(applied(set("", json!(1))), Ok(json!(1)));
        assert_eq!(applied(set("/a/0", json!(9))).unwrap()["a"], json!([9, 2]));
        assert_eq!(
            applied(set("/a/2", json!(9))).unwrap()["a"],
            json!([1, 2, 9])
        );
        assert_eq!(
            applied(set("/a/-", json!(9))).unwrap()["a"],
            json!([1, 2, 9])
        );
        assert_eq!(
            applied(set("/b~1c/e", json!(9))).unwrap()["b/c"],
            json!({ "d": null, "e": 9 })
        );
    }

    #[test]
    fn a_place_is_removed() {
        assert_eq!(applied(remove("/a/0")).unwrap()["a"], json!([2]));
        assert_eq!(applied(remove("/b~1c/d")).unwrap()["b/c"], json!({}));
    }

    #[test]
    fn a_place_that_does_not_exist_is_refused() {
        for pointer in ["/x/y", "/a/3", "/a/01", "/a/x", "/a/0/b"] {
            assert_eq!(
                applied(set(pointer, json!(9))),
                Err(EditError::Nowhere(at(pointer)))
            );
        }
        for pointer in ["/x", "/a/2", "/a/-", "/b~1c/e", "/a/0/b"] {
            assert_eq!(
                applied(remove(pointer)),
                Err(EditError::Nowhere(at(pointer)))
            );
        }
        assert_eq!(applied(remove("")), Err(EditError::WholeDocument));
    }
}
