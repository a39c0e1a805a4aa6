//! What can be said of a path and of a URL of which only parts are known.
//!
//! A part that is not known is any text, slashes among it, and may be empty.

use serde_json::Value;

use crate::grant::ArgRule;

/// Whether a path in `root` can begin with this text.
pub(super) fn may_begin_path(text: &str, root: &str) -> bool {
    if text.is_empty() {
        return true;
    }
    let Some(rest) = text.strip_prefix('/').filter(|_| !text.contains('\0')) else {
        return false;
    };
    let mut root = root.split('/').filter(|part| !part.is_empty());
    let mut parts = rest.split('/').peekable();
    while let Some(part) = parts.next() {
        let wanted = root.next();
        if parts.peek().is_some() {
            let is_wanted = wanted.is_none_or(|wanted| wanted == part);
            if is_idle(part) || !is_wanted {
                return false;
            }
        } else {
            // the last part may go on
            return wanted.is_none_or(|wanted| wanted.starts_with(part));
        }
    }
    true
}

/// Whether a path without `..` can have this text behind something that is not known.
pub(super) fn may_go_on_path(text: &str, is_last: bool) -> bool {
    if text.contains('\0') {
        return false;
    }
    let mut parts = text.split('/').skip(1).peekable();
    while let Some(part) = parts.next() {
        let is_whole = parts.peek().is_some() || (is_last && !part.is_empty());
        if is_whole && is_idle(part) {
            return false;
        }
    }
    true
}

/// Parts that no plain path has.
fn is_idle(part: &str) -> bool {
    matches!(part, "" | "." | "..")
}

/// Whether a URL that a rule takes can begin with this text.
pub(super) fn may_begin_url(
    text: &str,
    rule: &ArgRule,
    schemes: &[String],
    hosts: &[String],
) -> bool {
    if !may_stand_in_url(text) {
        return false;
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        let starts = |scheme: &String| begins(&format!("{scheme}://"), text);
        return schemes.iter().any(starts);
    };
    if let Some(end) = rest.find(['/', '?', '#']) {
        let authority = rest
            .split_at_checked(end)
            .map_or(rest, |(before, _)| before);
        let known: Value = format!("{scheme}://{authority}/").into();
        return rule.permits(&known, &|_| None).is_ok();
    }
    let host = rest.split(':').next().unwrap_or(rest);
    let has_port = host.len() < rest.len();
    let may_be = |known: &String| {
        if known.starts_with("*.") {
            return true;
        }
        if has_port {
            known.eq_ignore_ascii_case(host)
        } else {
            begins(known, host)
        }
    };
    schemes
        .iter()
        .any(|known| known.eq_ignore_ascii_case(scheme))
        && !rest.contains(['@', '%'])
        && hosts.iter().any(may_be)
}

/// Whether a URL that is read one way can have this text in it.
pub(super) fn may_stand_in_url(text: &str) -> bool {
    !text
        .chars()
        .any(|c| c.is_whitespace() || c.is_control() || c == '\\')
}

/// Whether a text begins with another one, whatever the case.
fn begins(text: &str, start: &str) -> bool {
    text.get(..start.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_begins_as_its_folder_does() {
        for text in ["", "/", "/da", "/data", "/data/", "/data/x/y", "/database"] {
            // `/data/base…` is in `/data`, `/database…` is not
            let fits = text != "/database";
            assert_eq!(may_begin_path(text, "/data"), fits, "{text}");
        }
        for text in [
            "x",
            "./data/",
            "/etc/",
            "/data/../",
            "//data/",
            "/data//",
            "/dat/",
        ] {
            assert!(!may_begin_path(text, "/data"), "{text}");
        }
        assert!(may_begin_path("/anything/at/all", "/"));
    }

    #[test]
    fn what_follows_may_not_go_up() {
        for text in ["", "/x", "..", "../x", "x/", "/x.txt", "/..x"] {
            assert!(may_go_on_path(text, false), "{text}");
        }
        for text in ["/../x", "/./x", "//x", "a/../b"] {
            assert!(!may_go_on_path(text, false), "{text}");
        }
        assert!(may_go_on_path("/..", false));
        assert!(!may_go_on_path("/..", true));
        assert!(may_go_on_path("/", true));
    }

    #[test]
    fn a_url_begins_with_what_is_allowed() {
        let (schemes, hosts) = (
            vec!["https".to_owned()],
            vec!["example.com".to_owned(), "*.example.org".to_owned()],
        );
        let exact = vec!["example.com".to_owned()];
        let may = |text: &str, hosts: &Vec<String>| {
            let rule = ArgRule::Url {
                schemes: schemes.clone(),
                hosts: hosts.clone(),
            };
            may_begin_url(text, &rule, &schemes, hosts)
        };
        for text in [
            "",
            "htt",
            "HTTPS:/",
            "https://",
            "https://ex",
            "https://example.com/",
            "https://example.com:8",
        ] {
            assert!(may(text, &exact), "{text}");
        }
        for text in [
            "http://",
            "ftp",
            "https://evil",
            "https://evil.test/",
            "https://user@",
            "https://example.com.evil.test/",
            "https://exam ple",
            "https://example.co:",
        ] {
            assert!(!may(text, &exact), "{text}");
        }
        assert!(may("https://evil", &hosts));
        assert!(may("https://a.example.org/", &hosts));
        assert!(!may("https://evil.test/", &hosts));
    }
}
