//! Inner loops on vectors, compiled for the widest vector registers of the processor. Operations are never fused and
//! the order of every sum is fixed, so the result is bitwise the same for all widths of registers.

/// Inner loop with its operands, to be run by [`widest`].
pub(super) trait Kernel {
    /// Runs the loop. Has to be marked `#[inline(always)]`, like all functions that it calls, so that it is compiled
    /// for the processor features of its caller.
    fn run(self);
}

/// Runs an inner loop in the version that was compiled for the widest vector registers of the processor.
pub(super) fn widest(kernel: impl Kernel) {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has AVX-512F, the only feature that the function requires.
            return unsafe { avx512(kernel) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2, the only feature that the function requires.
            return unsafe { avx2(kernel) };
        }
    }
    kernel.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn avx512(kernel: impl Kernel) {
    kernel.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(kernel: impl Kernel) {
    kernel.run();
}

/// Computes the inner product Σ a_i b_i, as sixteen partial sums that are then added pairwise.
#[inline(always)]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    const WIDTH: usize = 16;
    let (mut sums, mut rest) = ([0.0; WIDTH], 0.0);
    let (a, b) = (a, &b[..a.len()]);
    if a.len() >= WIDTH {
        for (a, b) in a.chunks_exact(WIDTH).zip(b.chunks_exact(WIDTH)) {
            for k in 0..WIDTH {
                sums[k] += a[k] * b[k];
            }
        }
        for half in [8, 4, 2, 1] {
            for k in 0..half {
                sums[k] += sums[k + half];
            }
        }
    }
    let tail = a.len() / WIDTH * WIDTH;
    for (a, b) in a[tail..].iter().zip(&b[tail..]) {
        rest += a * b;
    }
    sums[0] + rest
}

/// Computes Σ a_i b_i, bitwise equal to [`dot`], and Σ |a_i b_i|, which bounds its rounding error.
#[inline(always)]
pub(super) fn dot_and_size(a: &[f64], b: &[f64]) -> (f64, f64) {
    const WIDTH: usize = 16;
    let (mut sums, mut sizes, mut rest, mut size) = ([0.0; WIDTH], [0.0_f64; WIDTH], 0.0, 0.0);
    let (a, b) = (a, &b[..a.len()]);
    if a.len() >= WIDTH {
        for (a, b) in a.chunks_exact(WIDTH).zip(b.chunks_exact(WIDTH)) {
            for k in 0..WIDTH {
                let product = a[k] * b[k];
                sums[k] += product;
                sizes[k] += product.abs();
            }
        }
        for half in [8, 4, 2, 1] {
            for k in 0..half {
                sums[k] += sums[k + half];
                sizes[k] += sizes[k + half];
            }
        }
    }
    let tail = a.len() / WIDTH * WIDTH;
    for (a, b) in a[tail..].iter().zip(&b[tail..]) {
        rest += a * b;
        size += (a * b).abs();
    }
    (sums[0] + rest, sizes[0] + size)
}

/// Computes to += factor·x elementwise.
#[inline(always)]
pub(super) fn add(to: &mut [f64], factor: f64, x: &[f64]) {
    for (to, x) in to.iter_mut().zip(x) {
        *to += factor * x;
    }
}

/// Computes to += factor·x elementwise, and accumulates the rounding errors of the sums in `carry` (Knuth's TwoSum).
#[inline(always)]
pub(super) fn add_with_carry(to: &mut [f64], carry: &mut [f64], factor: f64, x: &[f64]) {
    for ((to, carry), x) in to.iter_mut().zip(carry).zip(x) {
        two_sum(to, carry, factor * x);
    }
}

/// Adds factor·value to `to[column]` for each nonzero of a sparse vector, and accumulates the rounding errors of the
/// sums in `carry`.
#[inline(always)]
pub(super) fn scatter_with_carry(to: &mut [f64], carry: &mut [f64], factor: f64, column: &[u32], value: &[f64]) {
    for (&j, &x) in column.iter().zip(value) {
        two_sum(&mut to[j as usize], &mut carry[j as usize], factor * x);
    }
}

#[inline(always)]
fn two_sum(to: &mut f64, carry: &mut f64, x: f64) {
    let sum = *to + x;
    let part = sum - *to;
    *carry += (*to - (sum - part)) + (x - part);
    *to = sum;
}

/// Computes Σ value·at[column] over the nonzeros of a sparse vector, as four partial sums.
#[inline(always)]
pub(super) fn gather(column: &[u32], value: &[f64], at: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (columns, values) = (column.chunks_exact(4), value.chunks_exact(4));
    let mut rest = 0.0;
    for (&j, &x) in columns.remainder().iter().zip(values.remainder()) {
        rest += x * at[j as usize];
    }
    for (j, x) in columns.zip(values) {
        for k in 0..4 {
            sums[k] += x[k] * at[j[k] as usize];
        }
    }
    ((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest
}

/// Computes Σ value·at[column] over the nonzeros of a sparse vector, bitwise equal to [`gather`], and the sum of the
/// absolute values of its terms.
#[inline(always)]
pub(super) fn gather_and_size(column: &[u32], value: &[f64], at: &[f64]) -> (f64, f64) {
    let (mut sums, mut sizes) = ([0.0; 4], [0.0_f64; 4]);
    let (columns, values) = (column.chunks_exact(4), value.chunks_exact(4));
    let (mut rest, mut size) = (0.0, 0.0);
    for (&j, &x) in columns.remainder().iter().zip(values.remainder()) {
        let product = x * at[j as usize];
        rest += product;
        size += product.abs();
    }
    for (j, x) in columns.zip(values) {
        for k in 0..4 {
            let product = x[k] * at[j[k] as usize];
            sums[k] += product;
            sizes[k] += product.abs();
        }
    }
    (((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest, (sizes[0] + sizes[1]) + (sizes[2] + sizes[3]) + size)
}

/// Adds factor·value to `to[column]` for each nonzero of a sparse vector.
#[inline(always)]
pub(super) fn scatter(to: &mut [f64], factor: f64, column: &[u32], value: &[f64]) {
    for (&j, &x) in column.iter().zip(value) {
        to[j as usize] += factor * x;
    }
}
