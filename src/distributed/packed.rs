//! Lists of byte strings as one, for the results of workers.

/// Puts byte strings one after the other, each behind its length.
pub(super) fn pack(parts: &[&[u8]]) -> Vec<u8> {
    parts.iter().flat_map(|part| (part.len() as u64).to_le_bytes().into_iter().chain(part.iter().copied())).collect()
}

/// Returns the byte strings that were [packed](pack); `None` if there are not `N`, or the bytes are damaged.
pub(super) fn unpack<const N: usize>(mut bytes: &[u8]) -> Option<[&[u8]; N]> {
    let mut parts = [&[][..]; N];
    for part in &mut parts {
        let (len, rest) = bytes.split_first_chunk::<8>()?;
        (*part, bytes) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
    }
    bytes.is_empty().then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked_or_refused() {
        let packed = pack(&[b"one", b"", b"three"]);
        assert_eq!(unpack(&packed), Some([&b"one"[..], b"", b"three"]));
        assert_eq!((unpack::<2>(&packed), unpack::<4>(&packed)), (None, None));
        for end in 0..packed.len() {
            assert_eq!(unpack::<3>(&packed[..end]), None);
        }
    }
}
