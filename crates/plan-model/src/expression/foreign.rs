//! Forms that other systems have, and what they are here.

/// What a bare word stands for here, when it is an operator or a literal elsewhere.
pub(super) fn word(word: &str) -> Option<&'static str> {
    Some(match word {
        "and" | "AND" | "And" => "&&",
        "or" | "OR" | "Or" => "||",
        "not" | "NOT" | "Not" => "!",
        "is" | "eq" | "equals" | "EQ" => "==",
        "ne" | "NE" => "!=",
        "lt" | "LT" => "<",
        "le" | "LE" | "lte" => "<=",
        "gt" | "GT" => ">",
        "ge" | "GE" | "gte" => ">=",
        "mod" | "MOD" => "%",
        "IN" | "In" => "in",
        "True" | "TRUE" | "yes" => "true",
        "False" | "FALSE" | "no" => "false",
        "None" | "NULL" | "Null" | "nil" | "undefined" | "none" => "null",
        _ => return None,
    })
}

/// What a function of another language is called here.
pub(super) fn function(name: &str) -> Option<&'static str> {
    Some(match name {
        "len" | "length" | "count" | "Size" => "size",
        "exists" | "defined" | "isset" => "has",
        "includes" | "Contains" => "contains",
        "starts_with" | "startswith" | "hasPrefix" | "StartsWith" => "startsWith",
        "ends_with" | "endswith" | "hasSuffix" | "EndsWith" => "endsWith",
        _ => return None,
    })
}

/// Marks of other languages with what they are here, longest first.
pub(super) const MARKS: &[(&str, &str)] = &[
    ("===", "=="),
    ("!==", "!="),
    ("<>", "!="),
    ("=>", ">="),
    ("=<", "<="),
    ("=", "=="),
    ("&", "&&"),
    ("|", "||"),
    ("\u{201c}", "\""),
    ("\u{201d}", "\""),
    ("\u{2018}", "'"),
    ("\u{2019}", "'"),
    ("\u{2260}", "!="),
    ("\u{2264}", "<="),
    ("\u{2265}", ">="),
];
