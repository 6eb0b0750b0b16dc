//! High-precision numbers (512 bits, about 150 digits) for the reference implementations.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::fmt::{self, Debug, Formatter};
use std::ops::{Add, Div, Mul, Neg, Sub};

use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;
use surefoot_oracle::Number;

type Digits = FBig<HalfEven, 2>;

const BITS: usize = 512;

thread_local! {
    /// The values of all [`Big`] numbers of this thread; a `Big` is only an index into them, so that it is `Copy` as
    /// `f64` is.
    static POOL: RefCell<Vec<Digits>> = const { RefCell::new(Vec::new()) };
}

/// A floating-point number of [`BITS`] bits, as an index into the thread's `POOL` of values.
#[derive(Clone, Copy)]
pub(crate) struct Big(usize);

impl Big {
    fn new(digits: Digits) -> Self {
        POOL.with_borrow_mut(|pool| {
            pool.push(digits);
            Big(pool.len() - 1)
        })
    }

    /// Runs `f` and frees all numbers created in it; none of them may be used afterwards.
    pub(crate) fn within<T>(f: impl FnOnce() -> T) -> T {
        let made = POOL.with_borrow(Vec::len);
        let result = f();
        POOL.with_borrow_mut(|pool| pool.truncate(made));
        result
    }

    /// Returns the nearest `f64`.
    pub(crate) fn narrow(self) -> f64 {
        self.one(|x| x.to_f64().value())
    }

    fn one<T>(self, f: impl FnOnce(&Digits) -> T) -> T {
        POOL.with_borrow(|pool| f(&pool[self.0]))
    }

    fn two(self, other: Self, f: impl FnOnce(&Digits, &Digits) -> Digits) -> Self {
        Self::new(POOL.with_borrow(|pool| f(&pool[self.0], &pool[other.0])))
    }
}

impl From<f64> for Big {
    fn from(x: f64) -> Self {
        Self::new(Digits::try_from(x).expect("a finite number").with_precision(BITS).value())
    }
}

impl Debug for Big {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "{:e}", self.narrow())
    }
}

impl PartialEq for Big {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Big {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        POOL.with_borrow(|pool| pool[self.0].partial_cmp(&pool[other.0]))
    }
}

macro_rules! arithmetic {
    ($($operator:ident $method:ident),*) => {$(
        impl $operator for Big {
            type Output = Big;
            fn $method(self, other: Big) -> Big {
                self.two(other, |a, b| a.$method(b))
            }
        }
    )*};
}
arithmetic!(Add add, Sub sub, Mul mul, Div div);

impl Neg for Big {
    type Output = Big;
    fn neg(self) -> Big {
        Big::new(self.one(|x| -x.clone()))
    }
}

impl Number for Big {
    fn sqrt(self) -> Self {
        Big::new(self.one(Digits::sqrt))
    }

    fn exp(self) -> Self {
        Big::new(self.one(Digits::exp))
    }
}
