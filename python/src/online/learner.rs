//! Learners behind one type, with all traits of the library: which of them are real is known from [`Fits`].

use surefoot::{CompositeAveraging, Hinted, Lazy, LazyHinted, Learner, Memory, Point, Quadratic, Vector, View};

use super::row::Erased;

/// Which traits beyond [`Learner`] a learner has.
#[derive(Clone, Copy, Default)]
pub(super) struct Fits {
    pub(super) lazy: bool,
    pub(super) hinted: bool,
    pub(super) quadratic: bool,
    pub(super) memory: bool,
    /// Whether the learner, or a part of it, is written in Python.
    pub(super) own: bool,
}

/// Report of a learner to a conversion: a coordinate of its direction that changes, and the old value.
type Moved<'a> = &'a mut dyn FnMut(usize, f64);

/// A learner without generic methods. The defaults describe a learner that has no trait but [`Learner`]; conversions
/// that need more are refused beforehand.
pub(super) trait Part: Send + Sync {
    fn fits(&self) -> Fits;
    fn copy(&self) -> Box<dyn Part>;
    fn dim(&self) -> usize;
    fn at(&self, i: usize) -> f64;
    fn open(&mut self, weight: f64);
    fn magnitude_budget(&self, weight: f64) -> f64;
    fn is_stationary(&self) -> bool;
    fn tell(&mut self, weight: f64, gradient: Erased<'_>);
    fn regret_bound(&self) -> Option<f64>;
    fn regret_bound_at(&self, distance: f64) -> Option<f64>;

    fn centre(&self, _: usize) -> f64 {
        0.0
    }

    fn scale(&self) -> f64 {
        1.0
    }

    fn direction(&self, i: usize) -> f64 {
        self.at(i)
    }

    fn tell_moved(&mut self, weight: f64, gradient: Erased<'_>, moved: Moved<'_>) {
        (0..self.dim()).for_each(|i| moved(i, self.direction(i)));
        self.tell(weight, gradient);
    }

    fn hint(&mut self, _weight: f64, _hint: Erased<'_>) {}

    fn hint_moved(&mut self, weight: f64, hint: Erased<'_>, moved: Moved<'_>) {
        (0..self.dim()).for_each(|i| moved(i, self.direction(i)));
        self.hint(weight, hint);
    }

    fn strayed(&self) -> bool {
        false
    }

    fn tell_quadratic(&mut self, weight: f64, gradient: Erased<'_>, _around: &dyn Fn(usize) -> f64) {
        self.tell(weight, gradient);
    }

    /// The learner as the type that [`surefoot::CompositeAnytime`] needs, if it is one.
    fn composite(&self) -> Option<CompositeAveraging<f64>> {
        None
    }

    /// The learner's [`Memory`], if it has one.
    fn memory(&mut self) -> Option<&mut dyn Memory> {
        None
    }
}

/// A learner of any kind.
pub(super) struct AnyLearner(pub(super) Box<dyn Part>);

impl Clone for AnyLearner {
    fn clone(&self) -> Self {
        Self(self.0.copy())
    }
}

impl Learner<f64> for AnyLearner {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn at(&self, i: usize) -> f64 {
        self.0.at(i)
    }

    fn open(&mut self, weight: f64) {
        self.0.open(weight);
    }

    fn magnitude_budget(&self, weight: f64) -> f64 {
        self.0.magnitude_budget(weight)
    }

    fn is_stationary(&self) -> bool {
        self.0.is_stationary()
    }

    fn tell<V: Vector<f64> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.0.tell(weight, Erased(&gradient));
    }

    fn regret_bound(&self) -> Option<f64> {
        self.0.regret_bound()
    }

    fn regret_bound_at(&self, distance: f64) -> Option<f64> {
        self.0.regret_bound_at(distance)
    }
}

impl Lazy<f64> for AnyLearner {
    fn centre(&self, i: usize) -> f64 {
        self.0.centre(i)
    }

    fn scale(&self) -> f64 {
        self.0.scale()
    }

    fn direction(&self, i: usize) -> f64 {
        self.0.direction(i)
    }

    fn tell_moved<V: Vector<f64> + ?Sized>(&mut self, weight: f64, gradient: &V, mut moved: impl FnMut(usize, f64)) {
        self.0.tell_moved(weight, Erased(&gradient), &mut moved);
    }
}

impl Hinted<f64> for AnyLearner {
    fn hint<V: Vector<f64> + ?Sized>(&mut self, weight: f64, hint: &V) {
        self.0.hint(weight, Erased(&hint));
    }
}

impl LazyHinted<f64> for AnyLearner {
    fn hint_moved<V: Vector<f64> + ?Sized>(&mut self, weight: f64, hint: &V, mut moved: impl FnMut(usize, f64)) {
        self.0.hint_moved(weight, Erased(&hint), &mut moved);
    }
}

impl Quadratic<f64> for AnyLearner {
    fn strayed(&self) -> bool {
        self.0.strayed()
    }

    fn tell_quadratic<V, P>(&mut self, weight: f64, gradient: &V, around: &P)
    where
        V: Vector<f64> + ?Sized,
        P: Point<f64>,
    {
        self.0.tell_quadratic(weight, Erased(&gradient), &|i| around.at(i));
    }
}

impl Memory for AnyLearner {
    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        if let Some(memory) = self.0.memory() {
            memory.each_number(visit);
        }
    }

    fn each_array(&mut self, visit: &mut dyn FnMut(&'static str, &mut Vec<f64>)) {
        if let Some(memory) = self.0.memory() {
            memory.each_array(visit);
        }
    }
}

/// The methods of [`Part`] that every learner has, forwarded to the first field.
macro_rules! learner {
    () => {
        fn copy(&self) -> Box<dyn Part> {
            Box::new(Self { fits: self.fits, learner: self.learner.clone() })
        }

        fn fits(&self) -> Fits {
            self.fits
        }

        fn dim(&self) -> usize {
            self.learner.dim()
        }

        fn at(&self, i: usize) -> f64 {
            self.learner.at(i)
        }

        fn open(&mut self, weight: f64) {
            self.learner.open(weight);
        }

        fn magnitude_budget(&self, weight: f64) -> f64 {
            self.learner.magnitude_budget(weight)
        }

        fn is_stationary(&self) -> bool {
            self.learner.is_stationary()
        }

        fn tell(&mut self, weight: f64, gradient: Erased<'_>) {
            self.learner.tell(weight, &gradient);
        }

        fn regret_bound(&self) -> Option<f64> {
            self.learner.regret_bound()
        }

        fn regret_bound_at(&self, distance: f64) -> Option<f64> {
            self.learner.regret_bound_at(distance)
        }
    };
}

/// The methods of [`Part`] for a [`Lazy`] learner.
macro_rules! lazy {
    () => {
        fn centre(&self, i: usize) -> f64 {
            self.learner.centre(i)
        }

        fn scale(&self) -> f64 {
            self.learner.scale()
        }

        fn direction(&self, i: usize) -> f64 {
            self.learner.direction(i)
        }

        fn tell_moved(&mut self, weight: f64, gradient: Erased<'_>, moved: Moved<'_>) {
            self.learner.tell_moved(weight, &gradient, moved);
        }
    };
}

/// The methods of [`Part`] for a [`Hinted`] learner.
macro_rules! hinted {
    () => {
        fn hint(&mut self, weight: f64, hint: Erased<'_>) {
            self.learner.hint(weight, &hint);
        }
    };
}

/// The methods of [`Part`] for a [`LazyHinted`] learner.
macro_rules! lazy_hinted {
    () => {
        fn hint_moved(&mut self, weight: f64, hint: Erased<'_>, moved: Moved<'_>) {
            self.learner.hint_moved(weight, &hint, moved);
        }
    };
}

/// Defines the wrapper for learners with certain traits: its constructor says which they are.
macro_rules! wrapper {
    ($name:ident, $new:ident, $doc:literal, [$($bound:tt)+], $fits:expr, { $($more:item)* } $($methods:ident)*) => {
        struct $name<L> {
            fits: Fits,
            learner: L,
        }

        #[doc = $doc]
        pub(super) fn $new<L: $($bound)+ + Clone + Send + Sync + 'static>(learner: L, own: bool) -> AnyLearner {
            AnyLearner(Box::new($name { fits: Fits { own, ..$fits }, learner }))
        }

        impl<L: $($bound)+ + Clone + Send + Sync + 'static> Part for $name<L> {
            learner!();
            $($methods!();)*
            $($more)*
        }
    };
}

const NONE: Fits = Fits { lazy: false, hinted: false, quadratic: false, memory: false, own: false };
const LAZY: Fits = Fits { lazy: true, ..NONE };
const HINTED: Fits = Fits { hinted: true, ..NONE };
const LAZY_HINTED: Fits = Fits { lazy: true, hinted: true, ..NONE };

wrapper!(Dense, dense, "A learner with no further trait.", [Learner<f64>], NONE, {});
wrapper!(Sparse, sparse, "A learner with sparse steps.", [Lazy<f64>], LAZY, {} lazy);
wrapper!(DenseHinted, dense_hinted, "A learner with hints.", [Hinted<f64>], HINTED, {} hinted);
wrapper!(SparseHinted, sparse_hinted, "A learner with sparse steps and hints.", [LazyHinted<f64>], LAZY_HINTED, {}
    lazy hinted lazy_hinted);
wrapper!(Kept, kept, "A learner with sparse steps and hints that can be saved.", [LazyHinted<f64> + Memory],
    Fits { memory: true, ..LAZY_HINTED }, {
        fn memory(&mut self) -> Option<&mut dyn Memory> {
            Some(&mut self.learner)
        }
    } lazy hinted lazy_hinted);
wrapper!(
    Curving,
    curving,
    "A learner for losses with curvature.",
    [Quadratic<f64>],
    Fits { quadratic: true, ..NONE },
    {
        fn strayed(&self) -> bool {
            self.learner.strayed()
        }

        fn tell_quadratic(&mut self, weight: f64, gradient: Erased<'_>, around: &dyn Fn(usize) -> f64) {
            let around = View::new(self.learner.dim(), around);
            self.learner.tell_quadratic(weight, &gradient, &around);
        }
    }
);

/// The one learner that [`surefoot::CompositeAnytime`] takes.
struct Penalising {
    fits: Fits,
    learner: CompositeAveraging<f64>,
}

impl Part for Penalising {
    learner!();

    fn composite(&self) -> Option<CompositeAveraging<f64>> {
        Some(self.learner.clone())
    }
}

/// The learner that minimises an elastic net exactly.
pub(super) fn penalising(learner: CompositeAveraging<f64>) -> AnyLearner {
    AnyLearner(Box::new(Penalising { fits: NONE, learner }))
}
