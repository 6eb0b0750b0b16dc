//! Where digits end: a bit a byte, for 16 bytes at once.

/// Bytes that are looked at together.
pub(super) const WINDOW: usize = 16;

/// The bytes that are no digits, the first byte lowest.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn ends(window: &[u8; WINDOW]) -> u32 {
    // SAFETY: SSE2 is part of x86-64. Over `swar_ends` it saves an eighth of the time of the whole parser
    // (examples/throughput.rs, a text of 100 pairs a row).
    unsafe { sse2_ends(window) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
#[inline]
fn sse2_ends(window: &[u8; WINDOW]) -> u32 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_set1_epi8, _mm_sub_epi8,
    };
    // SAFETY: the window has the 16 bytes that are read; they need not be aligned.
    let bytes = unsafe { _mm_loadu_si128(window.as_ptr().cast()) };
    let values = _mm_sub_epi8(bytes, _mm_set1_epi8(b'0' as i8));
    let others = _mm_cmpeq_epi8(values, _mm_min_epu8(values, _mm_set1_epi8(9)));
    !_mm_movemask_epi8(others) as u32 & 0xffff
}

/// The same for other machines, and to compare with.
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(super) fn swar_ends(window: &[u8; WINDOW]) -> u32 {
    let gather = |bytes: &[u8; 8]| {
        let values = u64::from_le_bytes(*bytes) ^ super::ZEROS;
        // The top bit of each byte that is above 9, then these bits side by side.
        let marks = (((values & 0x7f7f_7f7f_7f7f_7f7f) + 0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
        ((marks >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
    };
    let (halves, _) = window.as_chunks();
    gather(&halves[0]) | gather(&halves[1]) << 8
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) use swar_ends as ends;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_marked_as_the_plain_way_does() {
        for byte in 0..=255u8 {
            for other in [b'0', b'9', b'/', b':', 0x7f, 0x80, 0xff] {
                for at in 0..WINDOW {
                    let mut window = [other; WINDOW];
                    window[at] = byte;
                    let plain = (0..WINDOW).fold(0, |set, i| set | u32::from(!window[i].is_ascii_digit()) << i);
                    assert_eq!(ends(&window), plain, "{byte} at {at} in {other}");
                    assert_eq!(swar_ends(&window), plain, "{byte} at {at} in {other}");
                }
            }
        }
    }
}
