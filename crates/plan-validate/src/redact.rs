//! What looks like a credential does not get into a report.

use std::borrow::Cow;

/// What stands in the place of a credential.
const REDACTED: &str = "[redacted]";

/// How the keys of well-known services begin, and how long what follows is at least.
const PREFIXES: &[(&str, usize)] = &[
    ("sk-", 16),
    ("sk_live_", 8),
    ("sk_test_", 8),
    ("rk_live_", 8),
    ("pk_live_", 8),
    ("ghp_", 8),
    ("gho_", 8),
    ("ghu_", 8),
    ("ghs_", 8),
    ("ghr_", 8),
    ("github_pat_", 8),
    ("glpat-", 8),
    ("xoxa-", 8),
    ("xoxb-", 8),
    ("xoxp-", 8),
    ("xoxr-", 8),
    ("xoxs-", 8),
    ("AKIA", 12),
    ("ASIA", 12),
    ("AIza", 20),
    ("ya29.", 12),
    ("npm_", 20),
    ("hf_", 20),
    ("eyJ", 30),
];

/// The text without what looks like a credential: keys of well-known services, tokens behind `Bearer`,
/// private keys, passwords in URLs.
pub(crate) fn redacted(text: &str) -> Cow<'_, str> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut before = "";
    for (start, word) in words(text) {
        let is_key = PREFIXES.iter().any(|(prefix, rest)| {
            word.strip_prefix(prefix)
                .is_some_and(|key| key.len() >= *rest)
        });
        let is_token = before.eq_ignore_ascii_case("bearer") && word.len() >= 8;
        if is_key || is_token {
            found.push((start, start + word.len()));
        }
        before = word;
    }
    found.extend(private_keys(text));
    found.extend(passwords(text));
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_unstable();
    let (mut shown, mut at) = (String::new(), 0);
    for (start, end) in found.into_iter().filter(|(start, end)| start < end) {
        if start >= at {
            shown.push_str(text.get(at..start).unwrap_or_default());
            shown.push_str(REDACTED);
        }
        at = at.max(end);
    }
    shown.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(shown)
}

/// Runs of characters that keys are made of, and where they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let of_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '=');
    let mut at = 0;
    text.split(move |c| !of_key(c))
        .map(move |word| {
            // every separator is between two words
            let start = at;
            let separator = text
                .get(start + word.len()..)
                .and_then(|rest| rest.chars().next());
            at = start + word.len() + separator.map_or(0, char::len_utf8);
            (start, word)
        })
        .filter(|(_, word)| !word.is_empty())
}

/// From the first line of a private key to the end of what quotes it.
fn private_keys(text: &str) -> Option<(usize, usize)> {
    let start = text.find("-----BEGIN ")?;
    let rest = text.get(start..)?;
    rest.contains("PRIVATE KEY").then(|| {
        let end = rest.find('`').unwrap_or(rest.len());
        (start, start + end)
    })
}

/// Passwords between `://name:` and `@`.
fn passwords(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("://") {
        let start = at + 3;
        let rest = text.get(start..).unwrap_or_default();
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '`' | '"'));
        let authority = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        if let Some(host) = authority.rfind('@')
            && let Some(colon) = authority.find(':').filter(|colon| *colon < host)
        {
            found.push((start + colon + 1, start + host));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_taken_out_and_the_rest_stays() {
        let shown = |text: &str| redacted(text).into_owned();
        assert_eq!(
            shown("`sk-abcdefghijklmnopqrst` is not it"),
            "`[redacted]` is not it"
        );
        assert_eq!(
            shown("Authorization: Bearer abc.def-123456"),
            "Authorization: Bearer [redacted]"
        );
        assert_eq!(
            shown("postgres://me:hunter2@db/x and https://a/b:c@d"),
            "postgres://me:[redacted]@db/x and https://a/b:c@d"
        );
        assert_eq!(
            shown("`-----BEGIN RSA PRIVATE KEY-----\nMIIE…` is no name"),
            "`[redacted]` is no name"
        );
        assert_eq!(
            shown("üü `AKIAABCDEFGHIJKLMNOP` ghp_0123456789abcdef"),
            "üü `[redacted]` [redacted]"
        );
    }

    #[test]
    fn names_and_prose_stay_as_they_are() {
        for text in [
            "there is no tool `task-list`",
            "sk-short",
            "`bearer` of news",
            "https://example.com:80/a@b",
            "eyJ",
        ] {
            assert!(matches!(redacted(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
