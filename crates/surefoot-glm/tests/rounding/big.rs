//! Floating-point arithmetic with 320 bits, about 96 decimal digits.

use dashu_float::{FBig, round::mode::HalfEven};

pub(super) type Big = FBig<HalfEven, 2>;

const BITS: usize = 320;

/// Converts an f64 to 320 bits, exactly.
pub(super) fn big(x: f64) -> Big {
    Big::try_from(x).expect("a finite number").with_precision(BITS).value()
}

/// Converts a number to an f64 that is at most one unit in the last place from the nearest.
pub(super) fn number(x: &Big) -> f64 {
    x.to_f64().value()
}

pub(super) fn zero() -> Big {
    big(0.0)
}

pub(super) fn exp(x: &Big) -> Big {
    // Beyond, the result is as good as 0, or no objective.
    if number(x) < -5000.0 { zero() } else { x.exp() }
}

/// Computes ln(1 + e^x).
pub(super) fn softplus(x: &Big) -> Big {
    if number(x) > 0.0 { x.clone() + softplus(&-x.clone()) } else { (exp(x) + big(1.0)).ln() }
}

pub(super) fn abs(x: &Big) -> Big {
    if number(x) < 0.0 { -x.clone() } else { x.clone() }
}

pub(super) fn larger(a: Big, b: Big) -> Big {
    if a >= b { a } else { b }
}

/// Solves A·x = b by Gaussian elimination with row pivoting; unknowns whose pivots are numerically 0 are set to 0.
pub(super) fn solve(mut a: Vec<Vec<Big>>, mut b: Vec<Big>) -> Vec<Big> {
    let n = b.len();
    let mut columns: Vec<Option<usize>> = vec![None; n];
    let mut used = vec![false; n];
    for column in 0..n {
        let size = |row: usize| abs(&a[row][column]);
        let Some(pivot) = (0..n).filter(|&r| !used[r]).max_by(|&r, &s| size(r).cmp(&size(s))) else { break };
        let whole = a[pivot].iter().map(abs).fold(zero(), larger);
        if number(&size(pivot)) == 0.0 || size(pivot) < whole * big(1e-60) {
            continue;
        }
        used[pivot] = true;
        columns[column] = Some(pivot);
        for row in (0..n).filter(|&r| r != pivot) {
            let factor = a[row][column].clone() / a[pivot][column].clone();
            if number(&factor) != 0.0 {
                let top = a[pivot][column..].to_vec();
                a[row][column..].iter_mut().zip(top).for_each(|(to, from)| *to -= factor.clone() * from);
                let by = factor * b[pivot].clone();
                b[row] -= by;
            }
        }
    }
    let of = |column: usize| columns[column].map_or_else(zero, |row| b[row].clone() / a[row][column].clone());
    (0..n).map(of).collect()
}
