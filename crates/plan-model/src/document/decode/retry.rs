//! How a failed attempt is repeated.

use super::{Decoder, Field, Place};
use crate::{Retry, RetryClass};

pub(super) fn read(cx: &mut Decoder, at: Option<Place<'_, '_>>) -> Option<Retry> {
    let at = at?;
    let [
        max_attempts,
        delay_secs,
        backoff,
        max_delay_secs,
        jitter,
        retry_on,
    ] = cx.object(
        &at,
        "a retry rule, as an object",
        [
            Field::required("max_attempts"),
            Field::required("delay_secs"),
            Field::optional("backoff"),
            Field::optional("max_delay_secs"),
            Field::optional("jitter"),
            Field::optional("retry_on"),
        ],
    );
    Some(Retry {
        max_attempts: cx.whole(max_attempts, 0).unwrap_or(1),
        delay_secs: cx.seconds(delay_secs).unwrap_or_default(),
        backoff: cx.truth(backoff).unwrap_or(false),
        max_delay_secs: cx.seconds(max_delay_secs),
        jitter: cx.truth(jitter).unwrap_or(true),
        retry_on: retry_on.map(|classes| cx.list(Some(classes), "failure classes", class)),
    })
}

fn class(cx: &mut Decoder, at: &Place<'_, '_>) -> RetryClass {
    cx.word(Some(*at)).unwrap_or(RetryClass::Transient)
}
