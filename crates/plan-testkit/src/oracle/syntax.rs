//! References as text: `${kind.name…}`, and bare paths in expressions.

/// A path of a reference: a kind, a name, and what follows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Path {
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) rest: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Name(String),
    Index(usize),
}

/// The references of a text, each with its alternatives; `None` where one of them is malformed.
pub(super) fn in_text(text: &str) -> Option<Vec<Vec<Path>>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = rest.split_at(at);
        // dollars are read in pairs: `$${` is text
        let dollars = before.chars().rev().take_while(|c| *c == '$').count();
        let after = after.get(2..)?;
        if dollars % 2 == 1 {
            rest = after;
            continue;
        }
        let end = closing(after)?;
        found.push(alternatives(after.get(..end)?)?);
        rest = after.get(end + 1..)?;
    }
    Some(found)
}

/// The one reference that a whole text is.
pub(super) fn whole(text: &str) -> Option<Vec<Path>> {
    let inner = text.strip_prefix("${")?;
    let end = closing(inner)?;
    if end + 1 == inner.len() {
        alternatives(inner.get(..end)?)
    } else {
        None
    }
}

/// Every path of an expression: within `${…}`, and bare.
pub(super) fn in_expression(text: &str) -> Vec<Path> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first == '\'' || first == '"' {
            let inner = rest.get(1..).unwrap_or_default();
            let end = inner.find(first).map_or(inner.len(), |at| at + 1);
            rest = inner.get(end..).unwrap_or_default();
        } else if let Some(inner) = rest.strip_prefix("${") {
            let Some(end) = closing(inner) else {
                return found;
            };
            found.extend(
                alternatives(inner.get(..end).unwrap_or_default())
                    .into_iter()
                    .flatten(),
            );
            rest = inner.get(end + 1..).unwrap_or_default();
        } else if first.is_alphabetic() || first == '_' {
            let is_of_path = |c: char| c.is_alphanumeric() || "_.[]".contains(c);
            let end = rest.find(|c| !is_of_path(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            found.extend(path(word));
            rest = after;
        } else {
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
    }
    found
}

/// Where a reference that begins here is closed: names in quotes may hold a brace.
fn closing(text: &str) -> Option<usize> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '}' if !is_quoted => return Some(at),
            _ => {}
        }
    }
    None
}

fn alternatives(inner: &str) -> Option<Vec<Path>> {
    inner
        .split("??")
        .map(|part| path(part.trim_matches(' ')))
        .collect()
}

/// A path such as `step.find.hits[0].title` or `step["Look up"].body`.
pub(super) fn path(text: &str) -> Option<Path> {
    let kind_end = text.find(['.', '[']).unwrap_or(text.len());
    let (kind, rest) = text.split_at(kind_end);
    if !["input", "conf", "step", "item", "secret", "env"].contains(&kind) {
        return None;
    }
    let mut parts = parts(rest)?.into_iter();
    match parts.next() {
        Some(Part::Name(name)) => Some(Path {
            kind: kind.to_owned(),
            name,
            rest: parts.collect(),
        }),
        _ => None,
    }
}

fn parts(mut text: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    while !text.is_empty() {
        if let Some(rest) = text.strip_prefix('.') {
            let end = rest
                .find(|c: char| ".[]{}?\"".contains(c) || c.is_whitespace() || c.is_control())
                .unwrap_or(rest.len());
            let (name, rest) = rest.split_at(end);
            if name.is_empty() {
                return None;
            }
            parts.push(Part::Name(name.to_owned()));
            text = rest;
        } else if text.starts_with("[\"") {
            let end = text.find("\"]")?;
            parts.push(Part::Name(serde_json::from_str(text.get(1..=end)?).ok()?));
            text = text.get(end + 2..)?;
        } else {
            let rest = text.strip_prefix('[')?;
            let (digits, rest) = rest.split_once(']')?;
            parts.push(Part::Index(digits.parse().ok()?));
            text = rest;
        }
    }
    Some(parts)
}
