//! Paths as text: what can be said of them without a file system.

/// Whether a path is absolute, and has no empty, `.` or `..` part.
pub(crate) fn is_plain_absolute(path: &str) -> bool {
    let rest = path.strip_prefix('/').unwrap_or("..");
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    !path.contains('\0')
        && (path == "/" || rest.split('/').all(|part| !matches!(part, "" | "." | "..")))
}

/// Whether an absolute path lies in a folder, both without `..`; compared part by part.
pub(crate) fn is_inside(path: &str, root: &str) -> bool {
    if !is_plain_absolute(path) || !is_plain_absolute(root) {
        return false;
    }
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    root.split('/')
        .filter(|part| !part.is_empty())
        .all(|part| parts.next() == Some(part))
}

/// Why a relative folder would leave the place that it starts from.
pub(crate) fn escape(path: &str) -> Option<&'static str> {
    if path.contains('\0') {
        return Some("it holds a NUL");
    }
    if path.starts_with('/') || path.starts_with('\\') {
        return Some("it is absolute");
    }
    if path.starts_with('~') {
        return Some("it starts in a home folder");
    }
    let mut bytes = path.bytes();
    if bytes.next().is_some_and(|b| b.is_ascii_alphabetic()) && bytes.next() == Some(b':') {
        return Some("it starts with a drive");
    }
    inner_escape(path)
}

/// As [`escape`], for a part that follows a root.
pub(crate) fn inner_escape(path: &str) -> Option<&'static str> {
    if path.contains('\0') {
        return Some("it holds a NUL");
    }
    let lower = path.to_ascii_lowercase();
    if ["%2f", "%5c", "%2e", "%00"]
        .iter()
        .any(|code| lower.contains(code))
    {
        return Some("it holds a percent-encoded separator or dot");
    }
    // a folder made of dots and blanks alone is `..` on some systems
    let climbs = |part: &str| {
        let bare = part.trim_end_matches(' ');
        bare.len() >= 2 && bare.bytes().all(|b| b == b'.')
    };
    path.split(['/', '\\'])
        .any(climbs)
        .then_some("it goes up with `..`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_07_a_folder_that_goes_up_escapes() {
        for path in [
            "root/../../etc",
            "..",
            "a/..",
            "a\\..\\b",
            "a/.. /b",
            "%2e%2e/etc",
            "a%2Fb",
        ] {
            assert!(escape(path).is_some(), "{path}");
        }
        for path in ["/etc", "\\\\server\\share", "C:\\x", "c:x", "~/x", "a\0b"] {
            assert!(escape(path).is_some(), "{path}");
        }
        for path in ["", "a", "a/b", ".", "./a", "a.b/..c", "a/.hidden"] {
            assert_eq!(escape(path), None, "{path}");
        }
    }

    #[test]
    fn inside_goes_by_whole_parts() {
        assert!(is_inside("/data/a/b", "/data/a"));
        assert!(is_inside("/data/a", "/data/a/"));
        assert!(!is_inside("/data/ab", "/data/a"));
        assert!(!is_inside("/data/a/../b", "/data/a"));
        assert!(!is_inside("data/a", "/data"));
    }
}
