//! Arguments whose text is read as a language: code, shell, SQL, or a URL.

use serde_json::Value;

use super::CatalogTool;

/// How the text of an argument is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// As code: the tool lists the argument in `code_arguments`.
    Code,
    /// As a URL: its schema says so by `format`.
    Url,
}

/// The formats of a URL, or of a part of one.
const URL_FORMATS: [&str; 6] = [
    "uri",
    "uri-reference",
    "uri-template",
    "iri",
    "iri-reference",
    "url",
];
/// The most parts of a schema that are looked at for one string.
const MOST_PARTS: usize = 256;

impl CatalogTool {
    /// How the string at `within` an argument is read, where that is more than text.
    pub(crate) fn mark<'s, T: AsRef<str>>(
        &self,
        argument: &str,
        within: impl Iterator<Item = T> + 's,
    ) -> Option<Mark> {
        let code = &self.spec.code_arguments;
        if code.iter().any(|name| name == argument) {
            return Some(Mark::Code);
        }
        let schema = self.input.as_ref()?.schema();
        let way: Vec<String> = std::iter::once(argument.to_owned())
            .chain(within.map(|segment| segment.as_ref().to_owned()))
            .collect();
        is_url(schema, &way).then_some(Mark::Url)
    }
}

/// Whether some part of the schema that applies at the end of the way names a URL format.
fn is_url(root: &Value, way: &[String]) -> bool {
    let mut open = vec![(root, 0)];
    let mut looked_at = 0;
    while let Some((schema, at)) = open.pop() {
        looked_at += 1;
        if looked_at > MOST_PARTS {
            return false;
        }
        if let Some(part) = schema.get("$ref").and_then(Value::as_str)
            && let Some(target) = part.strip_prefix('#').and_then(|at| root.pointer(at))
        {
            open.push((target, at));
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let parts = schema.get(keyword).and_then(Value::as_array);
            open.extend(parts.into_iter().flatten().map(|part| (part, at)));
        }
        let Some(segment) = way.get(at) else {
            let format = schema.get("format").and_then(Value::as_str);
            if format.is_some_and(|format| URL_FORMATS.contains(&format)) {
                return true;
            }
            continue;
        };
        let property = schema.get("properties").and_then(|all| all.get(segment));
        let index = segment.parse::<usize>().ok();
        let element = index.and_then(|index| {
            let first = schema.get("prefixItems").and_then(|all| all.get(index));
            first.or_else(|| schema.get("items"))
        });
        let rest = schema
            .get("additionalProperties")
            .filter(|_| property.is_none());
        let inside = [property, element, rest];
        open.extend(inside.into_iter().flatten().map(|part| (part, at + 1)));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_url_is_found_wherever_the_schema_has_it() {
        let schema = json!({
            "properties": {
                "url": {"type": "string", "format": "uri"},
                "maybe": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/link"}]},
                "list": {"type": "array", "prefixItems": [{}], "items": {"properties": {"href": {"format": "url"}}}},
                "text": {"type": "string", "format": "date"},
                "ring": {"$ref": "#/properties/ring"},
            },
            "additionalProperties": {"format": "iri"},
            "$defs": {"link": {"format": "uri-reference"}},
        });
        let found = |way: &[&str]| {
            let way: Vec<String> = way.iter().map(|it| (*it).to_owned()).collect();
            is_url(&schema, &way)
        };
        for way in [&["url"][..], &["maybe"], &["list", "1", "href"], &["other"]] {
            assert!(found(way), "{way:?}");
        }
        for way in [
            &["text"][..],
            &["list", "0", "href"],
            &["list", "1"],
            &["url", "x"],
            &["ring"],
        ] {
            assert!(!found(way), "{way:?}");
        }
    }
}
