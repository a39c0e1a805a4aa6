//! What is kept of a child's output.

use tokio::io::{AsyncRead, AsyncReadExt};

/// Both output streams of a child, as far as they were kept.
#[derive(Debug, Default)]
pub struct Captured {
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
}

/// One output stream: all of it where it fits its bound, else its end.
#[derive(Debug, Default)]
pub struct Output {
    bytes: Vec<u8>,
    total: u64,
}

impl Output {
    /// Bytes that the child wrote.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Everything, where everything was kept.
    pub fn whole(&self) -> Option<&[u8]> {
        (self.total == self.bytes.len() as u64).then_some(&self.bytes)
    }

    /// What was kept, as text; bytes that are not UTF-8 become U+FFFD.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.kept()).into_owned()
    }

    /// The last `limit` bytes of what was kept, as text that starts at a character.
    pub fn tail(&self, limit: usize) -> String {
        let kept = self.kept();
        let from = kept.len().saturating_sub(limit);
        let tail = kept.get(from..).unwrap_or_default();
        let tail = if from > 0 { at_character(tail) } else { tail };
        String::from_utf8_lossy(tail).into_owned()
    }

    fn kept(&self) -> &[u8] {
        if self.whole().is_some() {
            &self.bytes
        } else {
            at_character(&self.bytes)
        }
    }
}

/// Leaves out the rest of a character that was cut in two.
fn at_character(bytes: &[u8]) -> &[u8] {
    let rest = bytes
        .iter()
        .take(3)
        .take_while(|&&byte| byte & 0b1100_0000 == 0b1000_0000)
        .count();
    bytes.get(rest..).unwrap_or_default()
}

/// A stream as it is read: everything up to `whole` bytes, and past that only the last `tail`.
#[derive(Debug)]
pub(super) struct Capture {
    bytes: Vec<u8>,
    total: u64,
    whole: usize,
    tail: usize,
}

impl Capture {
    pub(super) fn new(whole: usize, tail: usize) -> Self {
        Self {
            bytes: Vec::new(),
            total: 0,
            whole,
            tail,
        }
    }

    fn push(&mut self, chunk: &[u8]) {
        self.total = self.total.saturating_add(chunk.len() as u64);
        self.bytes.extend_from_slice(chunk);
        // cut in large pieces, so that the bytes are moved a constant number of times
        if self.bytes.len() > self.whole.max(self.tail.saturating_mul(2)) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let excess = self.bytes.len().saturating_sub(self.tail);
        self.bytes.drain(..excess);
    }

    pub(super) fn finish(mut self) -> Output {
        let all = self.total == self.bytes.len() as u64;
        if !all || self.bytes.len() > self.whole {
            self.cut();
        }
        Output {
            bytes: self.bytes,
            total: self.total,
        }
    }
}

/// A child wrote more than anybody will read.
#[derive(Debug)]
pub(super) struct Overflow;

/// Reads a stream to its end into `capture`.
pub(super) async fn drain(
    stream: Option<impl AsyncRead + Unpin>,
    capture: &mut Capture,
    most: u64,
) -> Result<(), Overflow> {
    let Some(mut stream) = stream else {
        return Ok(());
    };
    let mut chunk = vec![0_u8; 32 << 10];
    loop {
        match stream.read(&mut chunk).await {
            // a stream that breaks has no more to say
            Ok(0) | Err(_) => return Ok(()),
            Ok(count) => capture.push(chunk.get(..count).unwrap_or_default()),
        }
        if capture.total > most {
            return Err(Overflow);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(whole: usize, tail: usize, chunks: &[&[u8]]) -> Output {
        let mut capture = Capture::new(whole, tail);
        for chunk in chunks {
            capture.push(chunk);
        }
        capture.finish()
    }

    #[test]
    fn everything_is_kept_up_to_the_bound() {
        let output = captured(6, 2, &[b"abc", b"def"]);
        assert_eq!(output.whole(), Some(&b"abcdef"[..]));
        assert_eq!(output.tail(2), "ef");
    }

    #[test]
    fn past_the_bound_only_the_tail_is_kept() {
        let output = captured(6, 4, &[b"abcdef", b"g", b"hijklm"]);
        assert_eq!(output.whole(), None);
        assert_eq!(output.total(), 13);
        assert_eq!(output.text(), "jklm");
    }

    #[test]
    fn a_tail_starts_at_a_character() {
        let output = captured(64, 64, &["aä".as_bytes()]);
        assert_eq!(output.tail(1), "");
        assert_eq!(output.tail(2), "ä");
        let cut = captured(3, 3, &["€€€".as_bytes(), b"xy"]);
        assert_eq!(cut.text(), "xy");
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(captured(9, 9, &[b"a\xffb"]).text(), "a\u{fffd}b");
    }
}
