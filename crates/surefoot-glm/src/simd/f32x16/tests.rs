//! Tests of the vectors of all instruction sets against plain arrays.

use super::*;

/// Applies all operations of [`F32x16`] to the given numbers, and returns the bits of the results, to compare
/// instruction sets.
#[inline(always)]
fn all_operations<W: F32x16>(a: &[f32; WIDTH], b: &[f32; WIDTH], c: &[[f64; WIDTH]; 2]) -> Vec<u64> {
    let (x, y) = (W::load(a), W::load(b));
    let of = W::of(f64::from(a[3]));
    let results =
        [x + y, x - y, x * y, x / y, (x * x).sqrt(), x.at_least(y), x.at_most(y), of, W::products(&c[0], &c[1])];
    let mut all = Vec::new();
    for result in results {
        let mut numbers = [0.0; WIDTH];
        result.store(&mut numbers);
        all.extend(numbers.map(|x| if x.is_nan() { 0 } else { u64::from(x.to_bits()) }));
    }
    all.extend([x.above(y), y.above(x), x.above(x)].map(u64::from));
    let mut sums = [1.0, -2.0, 0.25, 1e-3];
    x.add_products(&c[0], 0.3, &c[1], &mut sums);
    all.extend(sums.map(|x| if x.is_nan() { 0 } else { x.to_bits() }));
    let (counts, joined) = W::counted(&a.map(|x| x.to_bits() & 0x7fff_ff00), &b.map(f32::to_bits), 0x700, 7);
    let mut numbers = [0.0; WIDTH];
    counts.store(&mut numbers);
    all.extend(numbers.map(|x| u64::from(x.to_bits())));
    all.extend(joined.map(f64::to_bits));
    let mut units = [a.map(|x| x.to_bits() & 0xffff_f003), b.map(|x| x.to_bits() & 0x7fff_ffff)];
    W::raise(&mut units, 0x5af3, &c[0]).store(&mut numbers);
    all.extend(units.as_flattened().iter().copied().map(u64::from));
    all.extend(numbers.map(|x| if x.is_nan() { 0 } else { x.to_bits().into() }));
    all
}

/// Transposes lines with [`F32x16::transpose`], and transposes the result back with [`F32x16::transpose_to`]; returns
/// both results.
#[inline(always)]
fn both_turns<W: F32x16>(lines: &[CacheLine; WIDTH]) -> [[CacheLine; WIDTH]; 2] {
    let (mut turned, mut back) = ([CacheLine::zeroed(); WIDTH], [CacheLine::zeroed(); WIDTH]);
    W::transpose(&lines.each_ref(), &mut turned);
    let there = back.each_mut().map(std::ptr::from_mut);
    // SAFETY: the pointers point to the lines of `back`.
    unsafe { W::transpose_to(&turned, &there) };
    [turned, back]
}

#[test]
fn lines_are_turned_and_come_back() {
    let lines: [CacheLine; WIDTH] = std::array::from_fn(|j| CacheLine(std::array::from_fn(|k| (WIDTH * j + k) as u32)));
    let turned = std::array::from_fn(|j| CacheLine(std::array::from_fn(|k| (WIDTH * k + j) as u32)));
    assert_eq!(both_turns::<Scalar>(&lines), [turned, lines]);
    #[cfg(target_arch = "x86_64")]
    for_each_set(|set| assert_eq!(set.both_turns(&lines), [turned, lines], "{set:?}"));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn all_instruction_sets_give_the_bits_of_plain_arrays() {
    let mut seed = 1_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f32::from_bits((seed >> 33) as u32 & 0xbfff_ffff)
    };
    for _ in 0..10_000 {
        let [a, b] = [0, 1].map(|_| std::array::from_fn(|_| next()));
        let c = [0, 1].map(|_| std::array::from_fn(|_| f64::from(next()) * 1.1));
        let plain = all_operations::<Scalar>(&a, &b, &c);
        for_each_set(|set| assert_eq!(set.all_operations(&a, &b, &c), plain, "{set:?} {a:?} {b:?} {c:?}"));
    }
}

#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
enum Set {
    Avx2,
    Avx512,
}

#[cfg(target_arch = "x86_64")]
fn for_each_set(check: impl Fn(Set)) {
    for (set, has) in [(Set::Avx2, avx2::is_supported()), (Set::Avx512, avx512::is_supported())] {
        if has {
            check(set);
        } else {
            eprintln!("skipped: this processor has no {set:?}");
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Set {
    fn all_operations(self, a: &[f32; WIDTH], b: &[f32; WIDTH], c: &[[f64; WIDTH]; 2]) -> Vec<u64> {
        #[target_feature(enable = "avx2")]
        fn with_avx2(a: &[f32; WIDTH], b: &[f32; WIDTH], c: &[[f64; WIDTH]; 2]) -> Vec<u64> {
            all_operations::<avx2::Avx2>(a, b, c)
        }
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
        fn with_avx512(a: &[f32; WIDTH], b: &[f32; WIDTH], c: &[[f64; WIDTH]; 2]) -> Vec<u64> {
            all_operations::<avx512::Avx512>(a, b, c)
        }
        // SAFETY: `for_each_set` has checked that the processor supports the instruction set.
        unsafe {
            match self {
                Set::Avx2 => with_avx2(a, b, c),
                Set::Avx512 => with_avx512(a, b, c),
            }
        }
    }

    fn both_turns(self, lines: &[CacheLine; WIDTH]) -> [[CacheLine; WIDTH]; 2] {
        #[target_feature(enable = "avx2")]
        fn with_avx2(lines: &[CacheLine; WIDTH]) -> [[CacheLine; WIDTH]; 2] {
            both_turns::<avx2::Avx2>(lines)
        }
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
        fn with_avx512(lines: &[CacheLine; WIDTH]) -> [[CacheLine; WIDTH]; 2] {
            both_turns::<avx512::Avx512>(lines)
        }
        // SAFETY: `for_each_set` has checked that the processor supports the instruction set.
        unsafe {
            match self {
                Set::Avx2 => with_avx2(lines),
                Set::Avx512 => with_avx512(lines),
            }
        }
    }
}
