//! Numbers as the parsed form holds them: exactly, and in one way.

/// A number that is held exactly. Integral values are never `Float` where an integer type holds them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    /// Above `i64::MAX`.
    Uint(u64),
    Float(f64),
}

/// Decimal digits that every `f64` keeps apart.
const SIGNIFICANT: usize = 17;

/// Reads a number that follows the JSON grammar; `None` when it cannot be held exactly.
///
/// Integers fit `i64` or `u64`; other numbers have at most 17 significant
/// digits and are finite, and no rounding may turn them into zero or into an
/// integer. `1.0`, `-0` and `1e3` become the integers that they are.
pub(crate) fn exact(text: &str) -> Option<Number> {
    if text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        decimal(text)
    } else {
        integer(text)
    }
}

fn integer(text: &str) -> Option<Number> {
    text.parse()
        .map(Number::Int)
        .or_else(|_| text.parse().map(Number::Uint))
        .ok()
}

fn decimal(text: &str) -> Option<Number> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (sign, whole) = match whole.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", whole),
    };
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some(Number::Int(0));
    }
    if significant.len() > SIGNIFICANT {
        return None;
    }
    // the value is `significant` times ten to the power of `power`
    let zeros = i64::try_from(digits.len() - significant.len()).ok()?;
    let shift = i64::try_from(fraction.len()).ok()?;
    let power = exponent
        .parse::<i64>()
        .ok()?
        .checked_add(zeros)?
        .checked_sub(shift)?;
    if let Ok(power @ 0..=20) = usize::try_from(power)
        && let Some(number) = integer(&format!("{sign}{significant}{}", "0".repeat(power)))
    {
        return Some(number);
    }
    let value: f64 = text.parse().ok()?;
    let rounded_away = value == 0.0 || (power < 0 && value.fract() == 0.0);
    (value.is_finite() && !rounded_away).then_some(Number::Float(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<Number>) {
        assert_eq!(exact(text), expected, "{text}");
    }

    #[test]
    fn integral_values_become_integers() {
        check("1.0", Some(Number::Int(1)));
        check("-0", Some(Number::Int(0)));
        check("-0.0e5", Some(Number::Int(0)));
        check("0e999999999999999999999", Some(Number::Int(0)));
        check("1e3", Some(Number::Int(1000)));
        check("1200e-2", Some(Number::Int(12)));
        check("-1.50e1", Some(Number::Int(-15)));
        check(
            "18446744073709551615",
            Some(Number::Uint(18_446_744_073_709_551_615)),
        );
        check("1e19", Some(Number::Uint(10_000_000_000_000_000_000)));
        check("-9223372036854775808", Some(Number::Int(i64::MIN)));
    }

    #[test]
    fn other_numbers_are_floats() {
        check("0.1", Some(Number::Float(0.1)));
        check("1.25e-7", Some(Number::Float(1.25e-7)));
        check("6.02214076e23", Some(Number::Float(6.022_140_76e23)));
        check("-1e300", Some(Number::Float(-1e300)));
        check("5e-324", Some(Number::Float(5e-324)));
        check("0.10000000000000000000000", Some(Number::Float(0.1)));
    }

    #[test]
    fn what_cannot_be_held_exactly_is_refused() {
        check("18446744073709551616", None);
        check("-9223372036854775809", None);
        check("1e400", None);
        check("-1e400", None);
        check("1e-400", None);
        check("1e99999999999999999999999", None);
        check("0.123456789012345678", None);
        check("9007199254740993.5", None);
    }
}
