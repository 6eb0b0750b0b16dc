//! Tests that the work per round does not depend on the dimension. (`StronglyConvex` and `CompositeAnytime`, which are
//! learner and conversion in one, count their work in tests of their own.)

use std::cell::Cell;
use std::rc::Rc;

use surefoot::{
    Accelerated, Anytime, AskTell, Ball, DualAveraging, Hinted, Lazy, LazyHinted, Learner, Linear, Optimistic, Sparse,
    Vector, linear_decay,
};

/// A learner that counts how often one of its coordinates is read or moved.
#[derive(Clone, Debug)]
struct Counted<L> {
    learner: L,
    looks: Rc<Cell<u64>>,
}

impl<L: Learner<f64>> Learner<f64> for Counted<L> {
    fn dim(&self) -> usize {
        self.learner.dim()
    }

    fn at(&self, i: usize) -> f64 {
        self.looks.set(self.looks.get() + 1);
        self.learner.at(i)
    }

    fn tell<V: Vector<f64> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.learner.tell(weight, gradient);
    }
}

impl<L: Lazy<f64>> Lazy<f64> for Counted<L> {
    fn centre(&self, i: usize) -> f64 {
        self.learner.centre(i)
    }

    fn scale(&self) -> f64 {
        self.learner.scale()
    }

    fn direction(&self, i: usize) -> f64 {
        self.looks.set(self.looks.get() + 1);
        self.learner.direction(i)
    }

    fn tell_moved<V: Vector<f64> + ?Sized>(&mut self, weight: f64, gradient: &V, mut moved: impl FnMut(usize, f64)) {
        let looks = &self.looks;
        self.learner.tell_moved(weight, gradient, |i, old| {
            looks.set(looks.get() + 1);
            moved(i, old);
        });
    }
}

impl<L: Hinted<f64>> Hinted<f64> for Counted<L> {
    fn hint<V: Vector<f64> + ?Sized>(&mut self, weight: f64, hint: &V) {
        self.learner.hint(weight, hint);
    }
}

impl<L: LazyHinted<f64>> LazyHinted<f64> for Counted<L> {
    fn hint_moved<V: Vector<f64> + ?Sized>(&mut self, weight: f64, hint: &V, mut moved: impl FnMut(usize, f64)) {
        let looks = &self.looks;
        self.learner.hint_moved(weight, hint, |i, old| {
            looks.set(looks.get() + 1);
            moved(i, old);
        });
    }
}

/// Returns the number of times that a coordinate is read or moved in 500 rounds with rows of four nonzeros, in `dim`
/// dimensions.
fn looks<L: LazyHinted<f64>, A: AskTell<f64>>(dim: usize, learner: L, method: impl Fn(Counted<L>) -> A) -> u64 {
    let looks = Rc::new(Cell::new(0));
    let mut method = method(Counted { learner, looks: looks.clone() });
    for t in 0..500_usize {
        let indices = [t % 7, 100 + t % 5, 300 + t % 3, dim - 1 - t % 2];
        let values = [1.0, if t % 2 == 0 { -0.5 } else { 0.7 }, 0.25, 1.0];
        let row = Sparse::new(&indices, &values);
        let slope = method.dot(&row) - 1.0;
        method.tell(&row.times(slope));
    }
    looks.get()
}

#[test]
fn the_work_does_not_depend_on_the_dimension() {
    let counts = [1 << 10, 1 << 16, 1 << 22].map(|dim: usize| {
        let learner = || DualAveraging::new(dim, Ball::new(1.0));
        [
            looks(dim, learner(), |l| Optimistic::new(l, Linear)),
            looks(dim, learner(), |l| Optimistic::new(l, Linear).shrunk()),
            looks(dim, learner(), |l| Accelerated::new(l, 2.0)),
            looks(dim, learner(), |l| linear_decay(l, Linear, 500)),
            looks(dim, learner(), |l| Anytime::new(l, Linear)),
        ]
    });
    println!("{counts:?}");
    assert!(counts[0] == counts[1] && counts[1] == counts[2]);
    assert!(counts[0].iter().all(|&count| (500 * 4..=500 * 4 * 8).contains(&count)));
}
