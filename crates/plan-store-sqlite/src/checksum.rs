//! A checksum beside every record, since SQLite keeps none.

/// FNV-1a over the key and the bytes of a record.
///
/// Finds bits that the disk turned and rows that moved; it is no proof against
/// somebody who wants to deceive. The published constants, so that it never changes:
/// <http://www.isthe.com/chongo/tech/comp/fnv/>.
pub(crate) fn checksum(key: i64, bytes: &[u8]) -> i64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let sum = key
        .to_le_bytes()
        .iter()
        .chain(bytes)
        .fold(OFFSET, |sum, byte| {
            (sum ^ u64::from(*byte)).wrapping_mul(PRIME)
        });
    sum.cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_bit_and_a_moved_row_change_the_checksum() {
        let sum = checksum(7, b"record");
        assert_ne!(sum, checksum(7, b"recoRd"));
        assert_ne!(sum, checksum(8, b"record"));
    }

    #[test]
    fn the_checksum_never_changes() {
        // written into files by every release
        assert_eq!(checksum(1, b"{}"), 5_905_920_917_620_427_184);
    }
}
