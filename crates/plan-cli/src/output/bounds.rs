//! The most that a plan can do, as a few lines for people.

use std::fmt::Write as _;

use planwright::model::Seconds;
use planwright::validate::Bounds;

/// What a plan can use at most, one amount a line; amounts of zero are left out.
pub(crate) fn bounds_text(bounds: &Bounds) -> String {
    let count = |count: u64| (count > 0).then(|| count.to_string());
    let tokens = match bounds.tokens {
        Some(tokens) => count(tokens),
        None => Some("no bound".to_owned()),
    };
    let time = match bounds.wall_secs {
        Some(span) if span == Seconds::ZERO => None,
        Some(span) => Some(spelled(span)),
        None => Some("no bound, since some effect has no timeout".to_owned()),
    };
    let lines = [
        ("tool calls", count(bounds.tool_calls)),
        ("model calls", count(bounds.model_calls)),
        ("tokens", tokens),
        ("items", count(bounds.items)),
        ("attempts", count(bounds.attempts)),
        ("questions", count(bounds.ask_count)),
        ("time", time),
    ];
    let mut text = String::from("it can use at most");
    for (what, amount) in lines {
        if let Some(amount) = amount {
            // writing to a String does not fail
            let _ = write!(text, "\n  {what:<12} {amount}");
        }
    }
    text
}

/// A span as people say it.
fn spelled(span: Seconds) -> String {
    let whole = span.as_millis() / 1000;
    let rest = Seconds::from_millis(span.as_millis() % 60_000);
    let mut parts = Vec::new();
    for (amount, unit) in [
        (whole / 86_400, "d"),
        (whole / 3_600 % 24, "h"),
        (whole / 60 % 60, "min"),
    ] {
        if amount > 0 {
            parts.push(format!("{amount} {unit}"));
        }
    }
    if rest > Seconds::ZERO {
        parts.push(format!("{rest} s"));
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_spelled_by_their_units() {
        let spelled = |millis| spelled(Seconds::from_millis(millis));
        assert_eq!(spelled(1_500), "1.5 s");
        assert_eq!(spelled(60_000), "1 min");
        assert_eq!(spelled(3_661_000), "1 h 1 min 1 s");
        assert_eq!(spelled(90_000_000), "1 d 1 h");
    }

    #[test]
    fn what_a_plan_does_not_use_is_left_out() {
        let mut bounds = Bounds::default();
        bounds.tokens = Some(0);
        bounds.tool_calls = 3;
        bounds.attempts = 4;
        bounds.wall_secs = Some(Seconds::from_secs(90));
        assert_eq!(
            bounds_text(&bounds),
            "it can use at most\n  tool calls   3\n  attempts     4\n  time         1 min 30 s"
        );
        bounds.wall_secs = None;
        assert!(bounds_text(&bounds).ends_with("no bound, since some effect has no timeout"));
    }
}
