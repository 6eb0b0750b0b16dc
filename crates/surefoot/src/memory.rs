//! What a method remembers, laid open: to be written down and read back, and to take new coordinates on board.

/// A method whose numbers can be written down and read back.
///
/// A run that is cut off, and whose numbers are put into a method made in the same way, goes on to the same bits. Shown
/// is what changes from round to round; what a method was made with (domain, weights, bounds, interpolation) is not.
/// To be used between rounds, with no hint open.
///
/// ```
/// use surefoot::{Anytime, AskTell, Ball, DualAveraging, Memory, Uniform};
/// let new = || Anytime::<f64, _, _>::new(DualAveraging::new(2, Ball::new(1.0)), Uniform);
/// let mut first = new();
/// first.tell(&[1.0, -2.0]);
///
/// let (mut numbers, mut arrays) = (Vec::new(), Vec::new());
/// first.each_number(&mut |x| numbers.push(*x));
/// first.each_array(&mut |_, array| arrays.push(array.clone()));
///
/// let mut second = new();
/// let (mut numbers, mut arrays) = (numbers.into_iter(), arrays.into_iter());
/// second.each_number(&mut |x| *x = numbers.next().unwrap());
/// second.each_array(&mut |_, array| *array = arrays.next().unwrap());
/// first.tell(&[0.5, 0.5]);
/// second.tell(&[0.5, 0.5]);
/// assert_eq!([first.at(0), first.at(1)], [second.at(0), second.at(1)]);
/// ```
pub trait Memory {
    /// Shows every number, in a fixed order; what is written there is remembered instead. O(1). Counters are shown as
    /// `f64`, exact below 2^53.
    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64));

    /// Shows every array over the coordinates with its name, in a fixed order. All are to have one length, which becomes
    /// the dimension. O(1), but for what `visit` does and for new coordinates.
    fn each_array(&mut self, visit: &mut dyn FnMut(&'static str, &mut Vec<f64>)) {
        let _ = visit;
    }
}

/// A method that takes new coordinates on board while it runs.
///
/// A new coordinate is where it would be, and has the average that it would have, had it been there from the start
/// with gradients of 0.
///
/// ```
/// use surefoot::{Anytime, AskTell, Ball, DualAveraging, Grow, Uniform};
/// let mut method = Anytime::<f64, _, _>::new(DualAveraging::new(1, Ball::new(1.0)), Uniform);
/// method.tell(&[1.0]);
/// method.grow(2);
/// method.tell(&[0.0, 1.0]);
/// assert!(method.at(1) < 0.0);
/// ```
pub trait Grow {
    /// Makes the dimension `dim`, if it is smaller. Amortised O(1) a new coordinate.
    fn grow(&mut self, dim: usize);
}

/// Makes an array `dim` long, if it is shorter; what is new is 0.
pub(crate) fn lengthen<T: Clone + Default>(array: &mut Vec<T>, dim: usize) {
    if array.len() < dim {
        array.resize(dim, T::default());
    }
}

/// Shows a counter.
pub(crate) fn count(x: &mut u64, visit: &mut dyn FnMut(&mut f64)) {
    let mut number = *x as f64;
    visit(&mut number);
    // Beyond that a count would be no number of its own, and might not be counted on.
    *x = (number as u64).min(1 << 53);
}
