//! Where a redirect leads, and whether a call goes along.

use reqwest::{Method, Url};

use super::target::has_user;

/// The next request of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hop {
    pub(super) url: Url,
    pub(super) method: Method,
    /// Whether the body is sent once more.
    pub(super) body: bool,
    /// Whether the next server is another one, which credentials are not for.
    pub(super) elsewhere: bool,
}

/// Why a redirect is not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum HopRefused {
    #[error("the server redirects to something that is not an http or https URL")]
    NotHttp,
    #[error("the server redirects to a URL that names a user")]
    User,
    #[error(
        "the server redirects from https to http; `allow_downgrade: true` in the tool's config follows it"
    )]
    Downgrade,
    #[error(
        "the server redirects to `{host}`; name it in `redirect_hosts` of the tool's config if that is meant"
    )]
    OtherHost { host: String },
    #[error(
        "the server redirects what was sent to `{host}`; name it in `redirect_hosts` of the tool's config if that is meant"
    )]
    BodyElsewhere { host: String },
}

/// What a tool's config says of redirects.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leash<'a> {
    /// Hosts beside that of the URL itself; `*.example.com` stands for every host below.
    pub(super) hosts: &'a [String],
    /// Whether the server is the catalog's choice; else the URL came as an argument, and what the
    /// grant says of it holds at every hop.
    pub(super) fixed: bool,
    pub(super) allow_downgrade: bool,
}

/// Whether a status is a redirect that names where to go.
pub(super) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// The next request after a redirect; methods change as RFC 9110 has it.
///
/// # Errors
/// Why the redirect is not followed.
pub(super) fn next(
    status: u16,
    (method, from): (&Method, &Url),
    location: &str,
    leash: Leash<'_>,
) -> Result<Hop, HopRefused> {
    let mut url = from.join(location).map_err(|_| HopRefused::NotHttp)?;
    url.set_fragment(None);
    if !matches!(url.scheme(), "http" | "https") {
        return Err(HopRefused::NotHttp);
    }
    if has_user(&url) {
        return Err(HopRefused::User);
    }
    if from.scheme() == "https" && url.scheme() == "http" && !leash.allow_downgrade {
        return Err(HopRefused::Downgrade);
    }
    let host = url.host_str().unwrap_or_default();
    let same_host = from.host() == url.host();
    let listed = leash.hosts.iter().any(|known| covers(known, host));
    let bound = leash.fixed || !leash.hosts.is_empty();
    if bound && !same_host && !listed {
        return Err(HopRefused::OtherHost {
            host: host.to_owned(),
        });
    }
    let becomes_get = match status {
        303 => *method != Method::HEAD,
        301 | 302 => *method == Method::POST,
        _ => false,
    };
    let (method, body) = if becomes_get {
        (Method::GET, false)
    } else {
        (method.clone(), true)
    };
    let elsewhere = from.origin() != url.origin();
    let acts = body && !matches!(method, Method::GET | Method::HEAD | Method::OPTIONS);
    if elsewhere && acts && !listed {
        return Err(HopRefused::BodyElsewhere {
            host: host.to_owned(),
        });
    }
    Ok(Hop {
        url,
        method,
        body,
        elsewhere,
    })
}

fn covers(known: &str, host: &str) -> bool {
    match known.strip_prefix("*.") {
        Some(parent) => host
            .strip_suffix(parent)
            .is_some_and(|below| below.ends_with('.')),
        None => known == host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIXED: Leash<'_> = Leash {
        hosts: &[],
        fixed: true,
        allow_downgrade: false,
    };

    fn go(
        status: u16,
        method: &Method,
        location: &str,
        leash: Leash<'_>,
    ) -> Result<Hop, HopRefused> {
        let from = Url::parse("https://a.test/one?x=1").unwrap();
        next(status, (method, &from), location, leash)
    }

    #[test]
    fn methods_change_as_the_standard_has_it() {
        for (status, method, expected, body) in [
            (301, Method::POST, Method::GET, false),
            (302, Method::POST, Method::GET, false),
            (302, Method::PUT, Method::PUT, true),
            (303, Method::POST, Method::GET, false),
            (303, Method::DELETE, Method::GET, false),
            (303, Method::HEAD, Method::HEAD, true),
            (307, Method::POST, Method::POST, true),
            (308, Method::PATCH, Method::PATCH, true),
            (301, Method::GET, Method::GET, true),
        ] {
            let hop = go(status, &method, "/two", FIXED).unwrap();
            assert_eq!(
                (hop.method, hop.body),
                (expected, body),
                "{status} {method}"
            );
            assert_eq!(hop.url.as_str(), "https://a.test/two");
            assert!(!hop.elsewhere);
        }
    }

    #[test]
    fn a_downgrade_is_followed_only_where_it_is_allowed() {
        let location = "http://a.test/two";
        assert_eq!(
            go(302, &Method::GET, location, FIXED),
            Err(HopRefused::Downgrade)
        );
        let leash = Leash {
            allow_downgrade: true,
            ..FIXED
        };
        assert!(go(302, &Method::GET, location, leash).unwrap().elsewhere);
    }

    #[test]
    fn a_tool_of_one_server_stays_there() {
        for location in [
            "https://b.test/",
            "//b.test/x",
            "https://xa.test/",
            "https://127.0.0.1/",
        ] {
            let refused = go(302, &Method::GET, location, FIXED);
            assert!(
                matches!(refused, Err(HopRefused::OtherHost { .. })),
                "{location}"
            );
        }
        let hosts = ["*.b.test".to_owned(), "c.test".to_owned()];
        let leash = Leash {
            hosts: &hosts,
            ..FIXED
        };
        for (location, goes) in [
            ("https://x.b.test/", true),
            ("https://c.test/", true),
            ("https://b.test/", false),
            ("https://xb.test/", false),
            ("https://x.c.test/", false),
        ] {
            assert_eq!(
                go(302, &Method::GET, location, leash).is_ok(),
                goes,
                "{location}"
            );
        }
    }

    #[test]
    fn what_was_sent_goes_to_no_other_server_unasked() {
        let free = Leash {
            fixed: false,
            ..FIXED
        };
        assert!(go(302, &Method::GET, "https://b.test/", free).is_ok());
        assert!(go(303, &Method::POST, "https://b.test/", free).is_ok());
        for (status, method) in [
            (307, Method::POST),
            (302, Method::DELETE),
            (308, Method::PUT),
        ] {
            let refused = go(status, &method, "https://b.test/", free);
            assert!(
                matches!(refused, Err(HopRefused::BodyElsewhere { .. })),
                "{status} {method}"
            );
        }
    }

    #[test]
    fn only_http_without_a_user_is_followed() {
        for (location, refused) in [
            ("file:///etc/passwd", HopRefused::NotHttp),
            ("ftp://a.test/", HopRefused::NotHttp),
            ("http://[", HopRefused::NotHttp),
            ("https://me:pw@a.test/", HopRefused::User),
            ("https://a.test@b.test/", HopRefused::User),
        ] {
            assert_eq!(
                go(302, &Method::GET, location, FIXED),
                Err(refused),
                "{location}"
            );
        }
    }
}
