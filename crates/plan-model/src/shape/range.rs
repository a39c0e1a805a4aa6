//! Ranges of numbers, exactly: no digit of a 64-bit integer is lost at an end.

use std::cmp::Ordering;

use crate::number::Exact;

/// One end of a range.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) at: Exact,
    /// Whether the number itself is outside.
    pub(super) open: bool,
}

/// The numbers between two ends; an end that is absent is infinite.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Range {
    pub(super) least: Option<End>,
    pub(super) most: Option<End>,
}

impl PartialEq for Range {
    fn eq(&self, other: &Self) -> bool {
        let same = |a: Option<End>, b: Option<End>| match (a, b) {
            (Some(a), Some(b)) => a.open == b.open && a.at.compare(b.at).is_eq(),
            (a, b) => a.is_none() && b.is_none(),
        };
        same(self.least, other.least) && same(self.most, other.most)
    }
}

impl Range {
    /// Every number.
    pub(super) const ALL: Self = Self {
        least: None,
        most: None,
    };

    /// One number.
    pub(super) fn only(at: Exact) -> Self {
        let end = Some(End { at, open: false });
        Self {
            least: end,
            most: end,
        }
    }

    pub(super) fn is_all(&self) -> bool {
        self.least.is_none() && self.most.is_none()
    }

    pub(super) fn is_empty(&self) -> bool {
        let (Some(least), Some(most)) = (self.least, self.most) else {
            return false;
        };
        match least.at.compare(most.at) {
            Ordering::Less => false,
            Ordering::Equal => least.open || most.open,
            Ordering::Greater => true,
        }
    }

    /// Whether there is but one number in it.
    pub(super) fn is_single(&self) -> bool {
        match (self.least, self.most) {
            (Some(least), Some(most)) => !self.is_empty() && least.at.compare(most.at).is_eq(),
            _ => false,
        }
    }

    pub(super) fn has(&self, number: Exact) -> bool {
        Self::only(number).within(self)
    }

    /// The numbers of both.
    pub(super) fn meet(&self, other: &Self) -> Self {
        Self {
            least: tighter(self.least, other.least, |a, b| lower(a, b).is_gt()),
            most: tighter(self.most, other.most, |a, b| upper(a, b).is_lt()),
        }
    }

    /// The least range with the numbers of both.
    pub(super) fn hull(&self, other: &Self) -> Self {
        let wider = |a: Option<End>, b: Option<End>, keep: fn(End, End) -> bool| match (a, b) {
            (Some(a), Some(b)) => Some(if keep(a, b) { a } else { b }),
            _ => None,
        };
        Self {
            least: wider(self.least, other.least, |a, b| lower(a, b).is_lt()),
            most: wider(self.most, other.most, |a, b| upper(a, b).is_gt()),
        }
    }

    /// Whether `other` has every number of this range.
    pub(super) fn within(&self, other: &Self) -> bool {
        self.meet(other) == *self
    }

    /// The whole numbers of the range, with whole ends; `None` when there is none.
    pub(super) fn whole(&self) -> Option<Self> {
        let whole = Self {
            least: self.least.map(|end| inner(end, f64::ceil, 1)),
            most: self.most.map(|end| inner(end, f64::floor, -1)),
        };
        (!whole.is_empty()).then_some(whole)
    }

    /// The range as what follows a noun: ` of at least 1`; empty for every number.
    pub(super) fn words(&self) -> String {
        let least = self.least.map(|end| (end.open, text(end.at)));
        let most = self.most.map(|end| (end.open, text(end.at)));
        let below = |(open, at): (bool, String)| {
            let word = if open { "under" } else { "at most" };
            format!("{word} {at}")
        };
        let above = |(open, at): (bool, String)| {
            let word = if open { "over" } else { "at least" };
            format!("{word} {at}")
        };
        match (least, most) {
            (None, None) => String::new(),
            (Some((false, least)), Some((false, most))) if least == most => format!(" {least}"),
            (Some((false, least)), Some((false, most))) => format!(" from {least} to {most}"),
            (Some(least), None) => format!(" of {}", above(least)),
            (None, Some(most)) => format!(" of {}", below(most)),
            (Some(least), Some(most)) => format!(" of {} and {}", above(least), below(most)),
        }
    }
}

fn tighter(a: Option<End>, b: Option<End>, keep: fn(End, End) -> bool) -> Option<End> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if keep(a, b) { a } else { b }),
        (a, b) => a.or(b),
    }
}

/// How two lower ends compare: an open one begins later.
fn lower(a: End, b: End) -> Ordering {
    a.at.compare(b.at).then(a.open.cmp(&b.open))
}

/// How two upper ends compare: an open one ends sooner.
fn upper(a: End, b: End) -> Ordering {
    a.at.compare(b.at).then(b.open.cmp(&a.open))
}

/// The nearest whole number inside an end, which then is closed.
fn inner(end: End, round: fn(f64) -> f64, step: i128) -> End {
    let whole = match end.at {
        Exact::Integer(_) => end.at,
        Exact::Double(double) => match as_integer(round(double)) {
            Some(integer) => Exact::Integer(integer),
            None => return end,
        },
    };
    match whole {
        Exact::Integer(integer) if end.open && whole.compare(end.at).is_eq() => End {
            at: Exact::Integer(integer.saturating_add(step)),
            open: false,
        },
        _ => End {
            at: whole,
            open: false,
        },
    }
}

/// A whole double as an integer, where that is exact; a wider end is left as it is.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a whole double below 1e30 is an i128 exactly"
)]
fn as_integer(double: f64) -> Option<i128> {
    (double.abs() < 1e30).then_some(double as i128)
}

fn text(number: Exact) -> String {
    match number {
        Exact::Integer(integer) => integer.to_string(),
        Exact::Double(double) => serde_json::Value::from(double).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn exact(value: &Value) -> Exact {
        Exact::of(value.as_number().unwrap()).unwrap()
    }

    fn range(least: &Value, most: &Value) -> Range {
        let end = |value: &Value| {
            (!value.is_null()).then(|| End {
                at: exact(value),
                open: false,
            })
        };
        Range {
            least: end(least),
            most: end(most),
        }
    }

    fn over(least: &Value, most: &Value) -> Range {
        let mut range = range(least, most);
        for end in [&mut range.least, &mut range.most].into_iter().flatten() {
            end.open = true;
        }
        range
    }

    #[test]
    fn ends_are_compared_by_value() {
        assert_eq!(range(&json!(5), &json!(5.0)), Range::only(exact(&json!(5))));
        assert!(range(&json!(5), &json!(5.0)).is_single());
        let past = range(&json!(9_007_199_254_740_993_u64), &Value::Null);
        assert!(!past.has(exact(&json!(9_007_199_254_740_992.0))));
        assert!(past.has(exact(&json!(u64::MAX))));
        assert!(
            range(&json!(u64::MAX), &Value::Null)
                .meet(&range(&Value::Null, &json!(u64::MAX - 1)))
                .is_empty()
        );
    }

    #[test]
    fn an_open_end_is_outside() {
        assert!(over(&json!(1), &json!(1)).is_empty());
        assert!(!over(&json!(1), &json!(2)).is_empty());
        assert_eq!(over(&json!(1), &json!(2)).whole(), None);
        assert_eq!(
            over(&json!(1), &json!(3.5)).whole(),
            Some(range(&json!(2), &json!(3)))
        );
        assert_eq!(range(&json!(0.2), &json!(0.8)).whole(), None);
        assert!(over(&json!(1), &json!(2)).within(&range(&json!(1), &json!(2))));
        assert!(!range(&json!(1), &json!(2)).within(&over(&json!(1), &json!(2))));
    }

    #[test]
    fn the_hull_has_what_either_has() {
        let hull = range(&json!(1), &json!(2)).hull(&over(&json!(2), &json!(9)));
        assert_eq!(hull.words(), " of at least 1 and under 9");
        assert!(range(&json!(1), &json!(2)).hull(&Range::ALL).is_all());
    }

    #[test]
    fn ranges_are_told_in_words() {
        let words = [
            Range::ALL,
            range(&json!(1), &Value::Null),
            over(&Value::Null, &json!(2.5)),
            range(&json!(1), &json!(5)),
            range(&json!(7), &json!(7)),
            over(&json!(0), &json!(1e300)),
        ]
        .map(|range| range.words());
        assert_eq!(
            words,
            [
                "",
                " of at least 1",
                " of under 2.5",
                " from 1 to 5",
                " 7",
                " of over 0 and under 1e+300"
            ]
        );
    }
}
