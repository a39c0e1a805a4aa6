//! What a request that failed, or an answer that says so, means for a call.

use std::error::Error;
use std::io;

use plan_exec::{Dispatched, ToolError};
use plan_run::{FailureClass, RetryAdvice};
use reqwest::StatusCode;
use serde_json::json;

use super::answer::Answer;
use super::hop::HopRefused;
use super::lookup::LookupRefused;
use super::retry_after::retry_after;

/// Bytes of an answer that stay with a failure.
const EXCERPT: usize = 2 << 10;

/// A failure before anything was sent, which no repeat mends.
pub(super) fn unsent(class: FailureClass, message: impl Into<String>) -> ToolError {
    ToolError::new(class, message)
        .retry(RetryAdvice::Never)
        .dispatched(Dispatched::No)
}

/// The failed call of a server that was not connected to.
pub(super) fn of_lookup(refused: &LookupRefused) -> ToolError {
    let (class, retry) = match refused {
        LookupRefused::Private { .. } | LookupRefused::Never { .. } => {
            (FailureClass::Permission, RetryAdvice::Never)
        }
        LookupRefused::Unknown { .. } => (FailureClass::EndpointDown, RetryAdvice::Later),
    };
    unsent(class, refused.to_string()).retry(retry)
}

/// The failed call of a redirect that is not followed.
pub(super) fn of_hop(refused: &HopRefused) -> ToolError {
    let class = match refused {
        HopRefused::NotHttp | HopRefused::User => FailureClass::OutputContract,
        HopRefused::Downgrade | HopRefused::OtherHost { .. } | HopRefused::BodyElsewhere { .. } => {
            FailureClass::Permission
        }
    };
    unsent(class, refused.to_string())
}

/// The failed call of a request that brought no answer. `server` is where it went.
pub(super) fn of_request(error: &reqwest::Error, server: &str) -> ToolError {
    if let Some(refused) = cause::<LookupRefused>(error) {
        return of_lookup(refused);
    }
    if error.is_builder() {
        let message = format!("the request cannot be written: {}", deepest(error));
        return unsent(FailureClass::InvalidArguments, message);
    }
    if error.is_connect() {
        return unconnected(error, server);
    }
    let (class, message, dispatched) = if error.is_timeout() {
        let message = format!("{server} did not answer in time");
        (FailureClass::Timeout, message, Dispatched::Unknown)
    } else if error.is_body() || error.is_decode() {
        let message = format!("the answer of {server} broke off: {}", deepest(error));
        (FailureClass::Transient, message, Dispatched::Yes)
    } else {
        let message = format!("the request to {server} broke off: {}", deepest(error));
        (FailureClass::Transient, message, Dispatched::Unknown)
    };
    ToolError::new(class, message).dispatched(dispatched)
}

fn unconnected(error: &reqwest::Error, server: &str) -> ToolError {
    if let Some(fault) = cause::<rustls::Error>(error) {
        let message = format!("there is no secure connection to {server}: {fault}");
        return unsent(FailureClass::EndpointDown, message);
    }
    let timed_out =
        cause::<io::Error>(error).is_some_and(|error| error.kind() == io::ErrorKind::TimedOut);
    let (class, message) = if error.is_timeout() || timed_out {
        let message = format!("{server} did not take the connection in time");
        (FailureClass::Timeout, message)
    } else {
        let message = format!("{server} cannot be reached: {}", deepest(error));
        (FailureClass::EndpointDown, message)
    };
    unsent(class, message).retry(RetryAdvice::Later)
}

/// The failed call of an answer whose status is none of success.
///
/// A status that says that the request was turned away says that nothing happened; `acted` tells
/// that an earlier request of the call did something.
pub(super) fn of_status(answer: &Answer, server: &str, also: &[u16], acted: bool) -> ToolError {
    let status = answer.status;
    let class = if also.contains(&status.as_u16()) {
        FailureClass::Transient
    } else {
        class_of(status)
    };
    let pause = retry_after(&answer.headers);
    let retry = match class {
        FailureClass::Transient | FailureClass::RateLimited | FailureClass::Timeout => {
            pause.map_or(RetryAdvice::Later, RetryAdvice::After)
        }
        _ => RetryAdvice::Never,
    };
    let dispatched = if status.is_client_error() && !acted {
        Dispatched::No
    } else {
        Dispatched::Yes
    };
    let mut details = json!({"status": status.as_u16()});
    if let Some(members) = details.as_object_mut() {
        let excerpt = excerpt(&answer.body);
        if !excerpt.is_empty() {
            members.insert("body".to_owned(), excerpt.into());
        }
        if let Some(pause) = pause {
            members.insert("retry_after_secs".to_owned(), pause.as_secs().into());
        }
    }
    ToolError::new(class, format!("{server} answered {}", said(status)))
        .retry(retry)
        .dispatched(dispatched)
        .details(details)
}

fn class_of(status: StatusCode) -> FailureClass {
    match status.as_u16() {
        401 | 407 => FailureClass::Auth,
        402 | 403 | 451 => FailureClass::Permission,
        404 | 410 => FailureClass::NotFound,
        408 => FailureClass::Timeout,
        425 | 500 | 502 | 503 | 504 => FailureClass::Transient,
        429 => FailureClass::RateLimited,
        400..=499 => FailureClass::InvalidArguments,
        300..=399 => FailureClass::OutputContract,
        _ => FailureClass::Internal,
    }
}

/// `404 Not Found`, or the number alone.
fn said(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

/// The first of an answer, without control characters.
fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body.get(..EXCERPT).unwrap_or(body));
    let cut = body.len() > EXCERPT;
    let kept = text.trim_end_matches('\u{FFFD}');
    let mut clean: String = kept
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect();
    if cut {
        clean.push('…');
    }
    clean
}

/// The first cause of a type; what an I/O error wraps is one too.
fn cause<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        let wrapped = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        next = match wrapped {
            Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
            None => error.source(),
        };
    }
    None
}

/// What the last cause says: those before it name the URL or say less.
fn deepest(error: &reqwest::Error) -> String {
    let mut last: &(dyn Error + 'static) = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}
