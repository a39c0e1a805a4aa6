//! Text that looks like a credential: what it looks like, and what of it must not be shown.
//!
//! Precise rather than complete: well-known prefixes, private keys, JSON Web Tokens, what stands behind
//! `Bearer`, passwords in URLs. A text of which nothing is known is no credential, however random it looks.

mod pattern;

use std::borrow::Cow;
use std::ops::Range;

/// What stands in place of what is not shown.
const MASK: &str = "***";
/// Every credential that is known holds so many characters of tokens in a row, but for passwords in URLs.
const RUN: usize = 15;

/// A part of a text that looks like a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Credential {
    /// What it looks like, with its article: "a GitHub token".
    pub(crate) kind: &'static str,
    /// The bytes that must not be shown: all but the prefix by which it is known.
    pub(crate) hidden: Range<usize>,
}

/// Whether a text can hold a credential. Looks at a fraction of its bytes.
pub(crate) fn may_hold(text: &str) -> bool {
    has_run(text) || text.as_bytes().contains(&b'@')
}

/// Whether a text holds a run that is long enough for a token.
fn has_run(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut last = RUN - 1;
    while last < bytes.len() {
        let mut at = last;
        // back to what cannot be in a run that ends at `last`
        while bytes
            .get(at)
            .is_some_and(|byte| pattern::is_of_token(*byte))
        {
            if last - at + 1 == RUN {
                return true;
            }
            at -= 1;
        }
        last = at + RUN;
    }
    false
}

/// Everything in a text that looks like a credential, in order.
pub(crate) fn all(text: &str) -> Vec<Credential> {
    if !may_hold(text) && !text.contains('…') {
        return Vec::new();
    }
    let mut found = pattern::private_keys(text);
    found.extend(pattern::passwords(text));
    let mut at = 0;
    let mut before = "";
    for run in text.split(|c: char| !c.is_ascii() || !pattern::is_of_token(c as u8)) {
        // a text that was cut may have lost the end of its token
        let end = at + run.len();
        let rest = text.get(end..).unwrap_or_default();
        let is_cut = rest.starts_with('…');
        if run.len() >= RUN || is_cut {
            let mut tokens = pattern::tokens(run, is_cut);
            if tokens.is_empty() && before.eq_ignore_ascii_case("bearer") {
                tokens.extend(pattern::bearer(run));
            }
            found.extend(tokens.into_iter().map(|it| Credential {
                kind: it.kind,
                hidden: at + it.hidden.start..at + it.hidden.end,
            }));
        }
        if !run.is_empty() {
            before = run;
        }
        at = end + rest.chars().next().map_or(0, char::len_utf8);
    }
    found.sort_by_key(|it| (it.hidden.start, std::cmp::Reverse(it.hidden.end)));
    // one within another is not told twice
    let mut end = 0;
    found.retain(|it| {
        let is_new = it.hidden.start >= end;
        end = end.max(it.hidden.end);
        is_new
    });
    found
}

/// The text with a mask in place of each credential.
pub(crate) fn masked(text: &str) -> Cow<'_, str> {
    let found = all(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut from) = (String::with_capacity(text.len()), 0);
    for credential in found {
        shown.push_str(text.get(from..credential.hidden.start).unwrap_or_default());
        shown.push_str(MASK);
        from = from.max(credential.hidden.end);
    }
    shown.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_masked_and_its_prefix_stays() {
        for (text, shown) in [
            ("AKIAIOSFODNN7EXAMPLE", "AKIA***"),
            ("key=AKIAIOSFODNN7EXAMPLE;", "key=AKIA***;"),
            ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "ghp_***"),
            (
                "github_pat_11ABCDEFG0123456789_abcdefghijklmnop",
                "github_pat_***",
            ),
            ("glpat-ABCdef123456_7890xyz", "glpat-***"),
            ("xoxb-123456789012-abcdefABCDEF", "xoxb-***"),
            ("AIzaSyA1234567890abcdefghijklmnopqrstuvw", "AIza***"),
            ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "sk_live_***"),
            ("Bearer sk-1234567890abcdefABCDEF", "Bearer sk-***"),
            ("sk-ant-api03-A1b2C3d4E5f6G7h8I9j0-K1l2M3n4", "sk-***"),
            ("sk-proj-a1B2c3D4e5F6g7H8i9J0", "sk-***"),
            (
                "https://x.test/?k=hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh",
                "https://x.test/?k=hf_***",
            ),
            (
                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
                "eyJ***",
            ),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq\n-----END RSA PRIVATE KEY----- ok",
                "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY----- ok",
            ),
            (
                r"-----BEGIN PRIVATE KEY-----\nMIIEvgIBADANBgkqhkiG9w0BAQEFAASC",
                "-----BEGIN PRIVATE KEY-----***",
            ),
            (
                "two: ghp_16C7e42F292c6912E7710c838347Ae178B4a, AKIAIOSFODNN7EXAMPLE",
                "two: ghp_***, AKIA***",
            ),
            ("cut: ghp_16C7e…", "cut: ghp_***…"),
            ("postgres://me:hunter2@db/x", "postgres://me:***@db/x"),
            (
                "Authorization: Bearer abc.def-123456789",
                "Authorization: Bearer ***",
            ),
        ] {
            assert_eq!(masked(text), shown, "{text}");
        }
    }

    #[test]
    fn other_long_words_are_no_credentials() {
        for text in [
            "task-management-of-something-very-long-0123456789",
            "sk-learn-based-classification-with-24-models",
            "risk-1234567890abcdefABCDEF",
            "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "AKIAlowercase1234567",
            "WAKIAIOSFODNN7EXAMPLE",
            "it begins with -----BEGIN PRIVATE KEY----- and then the key",
            "eyJhbGciOiJIUzI1NiJ9 is a header alone",
            "3f2a8c1e-0b7d-4e55-9c7a-0d4b6a1f2e90",
            "https://example.com/a/very/long/path/with_words_and-dashes?and=queries",
            "sk-${secret.KEY}",
            "ghp_",
            "https://example.com:80/a@b",
            "https://me@example.com/",
            "mailto:somebody@example.com",
            "the bearer of such-a-long-name",
            "",
        ] {
            assert_eq!(all(text), [], "{text}");
        }
    }

    #[test]
    fn a_text_without_a_long_run_holds_none() {
        assert!(!may_hold(
            "a label of some length, and then some more of it"
        ));
        assert!(!has_run(&"a".repeat(RUN - 1)));
        for before in 0..40 {
            let text = format!("{} {} b", "x ".repeat(before), "a".repeat(RUN));
            assert!(has_run(&text), "{text}");
        }
    }
}
