//! Shapes in the words of a message.

use std::borrow::Cow;

use super::Shape;
use super::sizes::Sizes;
use super::types::Types;

/// Choices that are listed at most.
const LISTED: usize = 5;
/// Characters of a choice that are shown at most.
const SHOWN: usize = 40;

impl Shape {
    /// The shape in a few words, such as `string or null`, `array of integer`, or its choices.
    pub fn describe(&self) -> String {
        if self.is_nothing() {
            return "nothing".to_owned();
        }
        if let Some(choices) = &self.choices {
            let mut shown: Vec<Cow<'_, str>> = choices
                .iter()
                .take(LISTED)
                .map(|choice| {
                    let text = crate::canonical_json(choice);
                    let cut = if text.chars().nth(SHOWN).is_some() {
                        "…"
                    } else {
                        ""
                    };
                    let text: String = text.chars().take(SHOWN).collect();
                    format!("`{text}{cut}`").into()
                })
                .collect();
            if choices.len() > LISTED {
                shown.push(format!("{} others", choices.len() - LISTED).into());
            }
            return either(&shown);
        }
        if self.types == Types::ALL && self.sizes.is_none() {
            return "any value".to_owned();
        }
        self.words(&self.sizes())
    }

    /// The types alone, in a few words.
    pub(super) fn describe_types(&self) -> String {
        if self.choices.is_some() || self.types == Types::ALL {
            return self.describe();
        }
        self.words(&Sizes::default())
    }

    fn words(&self, sizes: &Sizes) -> String {
        let mut words: Vec<Cow<'_, str>> = Vec::new();
        for part in Types::EACH {
            if !self.types.meets(part) {
                continue;
            }
            words.push(match part {
                Types::STRING => format!("string{}", sizes.characters.words("character")).into(),
                Types::INTEGER if self.types.meets(Types::FRACTION) => continue,
                Types::INTEGER => format!("integer{}", sizes.number.words()).into(),
                Types::FRACTION => format!("number{}", sizes.number.words()).into(),
                Types::BOOLEAN => "boolean".into(),
                Types::ARRAY => format!(
                    "{}{}",
                    self.describe_array(),
                    sizes.elements.words("element")
                )
                .into(),
                Types::OBJECT => format!("object{}", sizes.members.words("member")).into(),
                _ => "null".into(),
            });
        }
        either(&words)
    }

    fn describe_array(&self) -> Cow<'static, str> {
        let item = self.items.as_ref().map(|items| items.any());
        match item {
            // one level is enough for a message
            Some(item) if !item.is_any() && !item.is_nothing() && item.items.is_none() => {
                format!("array of {}", item.describe_types()).into()
            }
            _ => "array".into(),
        }
    }
}

fn either(words: &[Cow<'_, str>]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [only] => only.to_string(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schema;
    use serde_json::json;

    #[test]
    fn shapes_are_described_in_a_few_words() {
        let described: Vec<String> = [
            json!({}),
            json!(false),
            json!({ "type": "number" }),
            json!({ "type": ["string", "null"] }),
            json!({ "type": ["integer", "boolean", "object"] }),
            json!({ "type": "array", "items": { "type": "string" } }),
            json!({ "type": "array" }),
            json!({ "type": "array", "items": { "type": "integer", "minimum": 3 }, "maxItems": 2 }),
            json!({ "type": ["integer", "string"], "minimum": 3, "minLength": 2 }),
            json!({ "enum": ["a", "b", 3, null] }),
            json!({ "enum": [1, 2, 3, 4, 5, 6, 7] }),
        ]
        .into_iter()
        .map(|schema| Shape::of_schema(&Schema(schema)).describe())
        .collect();
        insta::assert_snapshot!(described.join("\n"), @r#"
        any value
        nothing
        number
        string or null
        integer, boolean or object
        array of string
        array
        array of integer with at most 2 elements
        string with at least 2 characters or integer of at least 3
        `"a"`, `"b"`, `3` or `null`
        `1`, `2`, `3`, `4`, `5` or 2 others
        "#);
    }
}
