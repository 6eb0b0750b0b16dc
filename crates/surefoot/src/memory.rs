//! Traits for saving and restoring the state of a method, and for adding coordinates during a run.

/// A method whose state, a list of numbers and arrays, can be saved and restored.
///
/// If a run is interrupted, and its saved numbers are written into a method created in the same way, the run continues
/// bit for bit. The numbers visited are those that change from round to round; the arguments of the constructor
/// (domain, weights, bounds, interpolation) are not. Save and restore between rounds, when no hint is pending.
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
    /// Passes every scalar of the state to `visit`, in a fixed order; changes made by `visit` are kept. O(1). Counters
    /// are passed as `f64`, exact below 2^53.
    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64));

    /// Passes every per-coordinate array of the state to `visit`, with its name, in a fixed order. `visit` may resize
    /// the arrays; all must have the same length afterwards, which becomes the dimension. O(1), apart from the cost of
    /// `visit` and of new coordinates.
    fn each_array(&mut self, visit: &mut dyn FnMut(&'static str, &mut Vec<f64>)) {
        let _ = visit;
    }
}

/// A method that accepts new coordinates during a run.
///
/// The value and the average of a new coordinate are those that it would have if it had been there from the start with
/// gradients of 0.
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
    /// Raises the number of coordinates to `dim`; does nothing if there are at least as many already. Amortised O(1)
    /// per new coordinate.
    fn grow(&mut self, dim: usize);
}

/// Extends an array with zeros to length `dim`; does nothing if the array is at least that long.
pub(crate) fn lengthen<T: Clone + Default>(array: &mut Vec<T>, dim: usize) {
    if array.len() < dim {
        array.resize(dim, T::default());
    }
}

/// Passes a counter to `visit` as an `f64`, and stores the number back, which `visit` may have changed.
pub(crate) fn count(x: &mut u64, visit: &mut dyn FnMut(&mut f64)) {
    let mut number = *x as f64;
    visit(&mut number);
    // Larger integers are not exactly representable in `f64`, and adding 1 might not change them.
    *x = (number as u64).min(1 << 53);
}
