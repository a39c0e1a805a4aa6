//! What the credentials of well-known services look like.

use super::Credential;

/// A credential that is known by how it begins.
struct Pattern {
    kind: &'static str,
    prefixes: &'static [&'static str],
    /// What may follow the prefix.
    body: fn(u8) -> bool,
    /// At least so many.
    least: usize,
    /// What else must hold of the body.
    is_one: fn(&str) -> bool,
}

const PATTERNS: [Pattern; 13] = [
    Pattern {
        kind: "an AWS access key",
        prefixes: &["AKIA", "ASIA"],
        body: |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        least: 16,
        is_one: |body| body.len() == 16,
    },
    Pattern {
        kind: "a GitHub token",
        prefixes: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        body: |byte| byte.is_ascii_alphanumeric(),
        least: 20,
        is_one: |_| true,
    },
    Pattern {
        kind: "a GitHub token",
        prefixes: &["github_pat_"],
        body: is_word,
        least: 22,
        is_one: |_| true,
    },
    Pattern {
        kind: "a GitLab token",
        prefixes: &["glpat-"],
        body: is_word,
        least: 20,
        is_one: |_| true,
    },
    Pattern {
        kind: "a Slack token",
        prefixes: &[
            "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xapp-",
        ],
        body: is_word,
        least: 12,
        is_one: |body| body.bytes().any(|byte| byte.is_ascii_digit()),
    },
    Pattern {
        kind: "a Google API key",
        prefixes: &["AIza"],
        body: is_word,
        least: 35,
        is_one: |_| true,
    },
    Pattern {
        kind: "a Google client secret",
        prefixes: &["GOCSPX-"],
        body: is_word,
        least: 20,
        is_one: |_| true,
    },
    Pattern {
        kind: "a Stripe key",
        prefixes: &["sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"],
        body: |byte| byte.is_ascii_alphanumeric(),
        least: 16,
        is_one: |_| true,
    },
    Pattern {
        kind: "an API key",
        prefixes: &["sk-"],
        body: is_word,
        least: 20,
        is_one: has_long_piece,
    },
    Pattern {
        kind: "a Hugging Face token",
        prefixes: &["hf_"],
        body: |byte| byte.is_ascii_alphanumeric(),
        least: 30,
        is_one: |_| true,
    },
    Pattern {
        kind: "an npm token",
        prefixes: &["npm_"],
        body: |byte| byte.is_ascii_alphanumeric(),
        least: 36,
        is_one: |_| true,
    },
    Pattern {
        kind: "a PyPI token",
        prefixes: &["pypi-"],
        body: is_word,
        least: 40,
        is_one: |_| true,
    },
    Pattern {
        kind: "a DigitalOcean token",
        prefixes: &["dop_v1_", "doo_v1_"],
        body: |byte| byte.is_ascii_hexdigit(),
        least: 40,
        is_one: |_| true,
    },
];

/// Fewer different characters than this are a placeholder, such as `xxxx`.
const LEAST_DIFFERENT: usize = 5;
const JWT: &str = "eyJ";
const KEY_BEGINS: &str = "-----BEGIN ";
const KEY_IS_PRIVATE: &str = "PRIVATE KEY";
const DASHES: &str = "-----";

/// Whether a token, or what stands right around one, may hold the byte.
pub(super) fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'=')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Names are of short words, keys are not.
fn has_long_piece(body: &str) -> bool {
    body.split('-').any(|piece| {
        piece.len() >= 20 || (piece.len() >= 16 && piece.bytes().any(|b| b.is_ascii_digit()))
    })
}

/// The tokens in a run of characters that tokens are of.
pub(super) fn tokens(run: &str, is_cut: bool) -> Vec<Credential> {
    let mut found = Vec::new();
    let (mut before, mut from) = (None, 0);
    for (at, byte) in run.bytes().enumerate() {
        // a token begins where a word does, so that no byte is looked at more than a few times
        let begins = at >= from && before.is_none_or(|byte| !is_word(byte));
        before = Some(byte);
        let Some(rest) = run.get(at..).filter(|_| begins) else {
            continue;
        };
        if let Some((kind, shown, length)) = token(rest, is_cut) {
            from = at + length;
            found.push(Credential {
                kind,
                hidden: at + shown..from,
            });
        }
    }
    found
}

/// The token that a text begins with: its kind, the length of its prefix, and of all of it.
fn token(text: &str, is_cut: bool) -> Option<(&'static str, usize, usize)> {
    if let Some(length) = web_token(text) {
        return Some(("a JSON Web Token", JWT.len(), length));
    }
    PATTERNS.iter().find_map(|pattern| {
        let prefix = pattern.prefixes.iter().find(|it| text.starts_with(**it))?;
        let rest = text.get(prefix.len()..)?;
        let length = rest
            .bytes()
            .take_while(|byte| (pattern.body)(*byte))
            .count();
        let body = rest.get(..length)?;
        let was_cut = is_cut && length == rest.len() && length > 0;
        let is_one = length >= pattern.least
            && is_varied(body)
            && (pattern.is_one)(body)
            && !rest
                .as_bytes()
                .get(length)
                .is_some_and(u8::is_ascii_alphanumeric);
        (is_one || was_cut).then(|| (pattern.kind, prefix.len(), prefix.len() + length))
    })
}

/// The length of the JSON Web Token that a text begins with: three parts, of which two are objects in base64.
fn web_token(text: &str) -> Option<usize> {
    if !text.starts_with(JWT) {
        return None;
    }
    let mut parts = text.splitn(3, '.');
    let (head, claims, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let signed = rest.bytes().take_while(|byte| is_word(*byte)).count();
    let is_part = |part: &str| part.len() >= 10 && part.bytes().all(is_word);
    let is_token = is_part(head) && is_part(claims) && claims.starts_with(JWT) && signed >= 10;
    is_token.then(|| head.len() + claims.len() + signed + 2)
}

/// The insides of private keys in PEM form; a header without a key is none.
pub(super) fn private_keys(text: &str) -> Vec<Credential> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(begin) = text.get(from..).and_then(|rest| rest.find(KEY_BEGINS)) {
        let label = from + begin + KEY_BEGINS.len();
        from = label;
        let Some(rest) = text.get(label..) else { break };
        let Some(length) = rest.find(DASHES) else {
            break;
        };
        let is_private = rest.get(..length).is_some_and(|label| {
            label.len() < 40 && label.trim_end_matches(" BLOCK").ends_with(KEY_IS_PRIVATE)
        });
        let start = label + length + DASHES.len();
        let inside = text.get(start..).unwrap_or_default();
        let inside = inside.split(DASHES).next().unwrap_or_default();
        if is_private && super::has_run(inside) {
            from = start + inside.len();
            found.push(Credential {
                kind: "a private key",
                hidden: start..from,
            });
        }
    }
    found
}

/// What stands behind the word `Bearer`: not a word of prose.
pub(super) fn bearer(run: &str) -> Option<Credential> {
    let is_one = is_varied(run) && run.bytes().any(|byte| byte.is_ascii_digit());
    is_one.then_some(Credential {
        kind: "a bearer token",
        hidden: 0..run.len(),
    })
}

/// Passwords between `://name:` and `@`.
pub(super) fn passwords(text: &str) -> Vec<Credential> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("://")) {
        let start = from + at + "://".len();
        let rest = text.get(start..).unwrap_or_default();
        let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '`' | '"' | '\'');
        let authority = rest.split(ends).next().unwrap_or_default();
        from = start + authority.len();
        if let Some((user, _)) = authority.rsplit_once('@')
            && let Some((name, password)) = user.split_once(':')
            && !password.is_empty()
        {
            let hidden = start + name.len() + 1;
            found.push(Credential {
                kind: "a password in a URL",
                hidden: hidden..hidden + password.len(),
            });
        }
    }
    found
}

fn is_varied(body: &str) -> bool {
    let mut seen: Vec<u8> = body.bytes().take(64).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len() >= LEAST_DIFFERENT
}
