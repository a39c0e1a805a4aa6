//! The forms in which a secret comes back: as it is, and as what is often made of it.

/// Encoded forms are looked for only in secrets of so many bytes: of short ones they are ordinary text.
const ENCODED_FROM: usize = 6;
/// The fewest characters of an encoded form that are struck.
const SHORTEST: usize = 8;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FOR_URLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The secret, what JSON and a URL write for it, its digits, and its base64 wherever it begins in a longer text.
pub(super) fn of(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned()];
    let quoted = serde_json::Value::from(secret).to_string();
    let escaped = quoted
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    forms.extend(escaped.map(str::to_owned));
    if secret.len() >= ENCODED_FROM {
        let bytes = secret.as_bytes();
        let encoded = [
            percent(bytes, char::to_ascii_uppercase),
            percent(bytes, char::to_ascii_lowercase),
            hex(bytes),
            hex(bytes).to_ascii_uppercase(),
        ];
        let base64 = [STANDARD, FOR_URLS]
            .into_iter()
            .flat_map(|alphabet| (0..3).map(|before| base64(bytes, before, alphabet)));
        forms.extend(
            encoded
                .into_iter()
                .chain(base64)
                .filter(|form| form.len() >= SHORTEST),
        );
    }
    forms.sort();
    forms.dedup();
    forms
}

/// A byte as two hexadecimal digits.
fn digits(byte: u8) -> impl Iterator<Item = char> {
    [byte >> 4, byte & 15]
        .into_iter()
        .filter_map(|digit| char::from_digit(u32::from(digit), 16))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().copied().flat_map(digits).collect()
}

/// As a URL writes it; letters and digits stay.
fn percent(bytes: &[u8], case: fn(&char) -> char) -> String {
    let mut text = String::new();
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push('%');
            text.extend(digits(byte).map(|digit| case(&digit)));
        }
    }
    text
}

/// The characters of base64 that depend on nothing but the bytes, where so many bytes stand before them
/// in a group of three.
fn base64(bytes: &[u8], before: usize, alphabet: &[u8; 64]) -> String {
    let mut padded = vec![0_u8; before];
    padded.extend_from_slice(bytes);
    let mut text = String::new();
    for group in padded.chunks(3) {
        let mut bits = 0_u32;
        for place in 0..3 {
            bits = (bits << 8) | u32::from(group.get(place).copied().unwrap_or(0));
        }
        for shift in [18, 12, 6, 0] {
            let at = usize::try_from((bits >> shift) & 63).unwrap_or_default();
            text.extend(alphabet.get(at).copied().map(char::from));
        }
    }
    // the first characters hold bits of what stands before, the last ones of what comes after
    let first = (before * 8).div_ceil(6);
    let whole = padded.len() * 8 / 6;
    text.chars().take(whole).skip(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_a_text_holds_a_form_of_the_secret_in_it_wherever_it_begins() {
        // base64 of "xs3cr3t-k3y!", "xys3cr3t-k3y!", "s3cr3t-k3y" by another hand
        for encoded in [
            "eHMzY3IzdC1rM3kh",
            "eHlzM2NyM3QtazN5IQ==",
            "czNjcjN0LWszeQ==",
        ] {
            assert!(
                of("s3cr3t-k3y")
                    .iter()
                    .any(|form| encoded.contains(form.as_str())),
                "{encoded}"
            );
        }
    }

    #[test]
    fn json_and_urls_write_it_otherwise() {
        let forms = of("a\"b/ü c");
        for form in ["a\\\"b/ü c", "a%22b%2F%C3%BC%20c", "a%22b%2f%c3%bc%20c"] {
            assert!(forms.contains(&form.to_owned()), "{form}: {forms:?}");
        }
    }

    #[test]
    fn of_a_short_secret_there_is_only_itself() {
        assert_eq!(of("abc"), ["abc"]);
    }
}
