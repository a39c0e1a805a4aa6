//! Ids for the steps of a planner's list, whose names are any printable text.

use std::collections::{BTreeMap, BTreeSet};

use crate::id::{IMPORTED_MAX, NATIVE_MAX, check_identifier};
use crate::{IdError, StepId};

/// What a planner's name for a step is, as a clause.
pub(super) const NAME: &str =
    "at most 256 bytes of text that can be seen, with no blank at either end";

/// Checks a planner's name for a step: printable text of at most 256 bytes without blanks at its ends.
///
/// Text that a reader cannot see is not printable: controls, and what turns or joins without a mark.
pub(crate) fn check_name(name: &str) -> Result<(), IdError> {
    if name.len() > IMPORTED_MAX {
        return Err(IdError::TooLong {
            actual: name.len(),
            limit: IMPORTED_MAX,
        });
    }
    let blank_ends = name.len() != name.trim().len();
    let last = name.char_indices().next_back();
    let first_blank = name.char_indices().find(|(at, character)| {
        blank_ends && character.is_whitespace() && (*at == 0 || Some((*at, *character)) == last)
    });
    let unseen = name
        .char_indices()
        .find(|(_, character)| character.is_control() || is_invisible(*character));
    match unseen.or(first_blank) {
        Some((at, character)) => Err(IdError::Character { character, at }),
        None => Ok(()),
    }
}

fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{AD}'
            | '\u{34F}'
            | '\u{61C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// The id of each step, by its name; a step without a name is `step_N`, counted from 1.
///
/// A name that is an identifier of a native plan is the id. Any other gets a
/// slug; slugs of different names differ, and the same name gets the same id.
pub(crate) fn assign<'n>(names: &[Option<&'n str>]) -> (Vec<StepId>, BTreeMap<&'n str, StepId>) {
    let mut taken = BTreeSet::new();
    let mut by_name = BTreeMap::new();
    for name in names.iter().flatten() {
        if check_identifier(name, NATIVE_MAX).is_ok() && taken.insert((*name).to_owned()) {
            by_name.insert(*name, StepId::unchecked(name));
        }
    }
    let mut counts = BTreeMap::new();
    let mut ids = Vec::with_capacity(names.len());
    for (count, name) in (1..).zip(names) {
        let id = match name {
            None => distinct(&format!("step_{count}"), &mut taken, &mut counts),
            Some(name) => by_name
                .entry(*name)
                .or_insert_with(|| distinct(&slug(name), &mut taken, &mut counts))
                .clone(),
        };
        ids.push(id);
    }
    (ids, by_name)
}

/// The base, or the base with the first number from 2 that makes it new.
fn distinct(
    base: &str,
    taken: &mut BTreeSet<String>,
    counts: &mut BTreeMap<String, usize>,
) -> StepId {
    let mut id = base.to_owned();
    while !taken.insert(id.clone()) {
        let count = counts.entry(base.to_owned()).or_insert(1);
        *count += 1;
        let suffix = format!("_{count}");
        // a slug is ASCII
        let head = base.get(..NATIVE_MAX.saturating_sub(suffix.len()));
        id = format!("{}{suffix}", head.unwrap_or(base));
    }
    StepId::unchecked(&id)
}

/// An identifier made of a name: everything but ASCII letters, digits and hyphens becomes `_`.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for character in name.chars() {
        if character.is_ascii_alphanumeric() || character == '-' {
            slug.push(character);
        } else if !slug.ends_with('_') {
            slug.push('_');
        }
    }
    let slug = slug.trim_matches('_');
    let mut slug = if slug.starts_with(|first: char| first.is_ascii_alphabetic()) {
        slug.to_owned()
    } else {
        format!("step_{slug}").trim_end_matches('_').to_owned()
    };
    slug.truncate(NATIVE_MAX);
    if check_identifier(&slug, NATIVE_MAX).is_err() {
        slug.push('_');
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &[Option<&str>]) -> Vec<String> {
        assign(names).0.into_iter().map(String::from).collect()
    }

    #[test]
    fn identifiers_stay_and_other_names_become_slugs() {
        assert_eq!(
            ids(&[
                Some("a-b"),
                Some("Image Editing"),
                Some("1"),
                None,
                Some("日本"),
                Some("input"),
                Some(" -- "),
            ]),
            [
                "a-b",
                "Image_Editing",
                "step_1",
                "step_4",
                "step_",
                "input_",
                "step_--"
            ]
        );
    }

    #[test]
    fn different_names_get_different_ids_and_the_same_name_the_same() {
        assert_eq!(
            ids(&[
                Some("a b"),
                Some("a_b"),
                Some("a.b"),
                Some("a b"),
                None,
                Some("step_5"),
                Some("caf\u{e9}"),
                Some("cafe\u{301}"),
            ]),
            [
                "a_b_2", "a_b", "a_b_3", "a_b_2", "step_5_2", "step_5", "caf", "cafe"
            ]
        );
        let long = "x ".repeat(100);
        let longer = format!("{long}y");
        let ids = ids(&[Some(&long), Some(&longer)]);
        assert!(
            ids.iter()
                .all(|id| check_identifier(id, NATIVE_MAX).is_ok())
        );
        assert_ne!(ids[0], ids[1]);
    }

    #[test]
    fn names_are_printable_and_have_no_blanks_at_their_ends() {
        let at = |name: &str| match check_name(name) {
            Err(IdError::Character { at, .. }) => Some(at),
            Err(error) => panic!("{error}"),
            Ok(()) => None,
        };
        assert_eq!(at("Image Editing: 写真"), None);
        assert_eq!(at(" a"), Some(0));
        assert_eq!(at("a "), Some(1));
        assert_eq!(at("a\u{200B}b"), Some(1));
        assert_eq!(at("a\u{202E}b"), Some(1));
        assert_eq!(at("a\0"), Some(1));
        assert!(check_name(&"x".repeat(257)).is_err());
    }
}
