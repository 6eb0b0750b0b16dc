//! Conversions behind one type.

use surefoot::{
    Accelerated, Anytime, AskHintTell, AskTell, Certified, CompositeAnytime, DenseAnytime, General, Gradients,
    Learner as _, Ledger, Linear, Memory, Optimistic, Point, SkipError, Status, StronglyConvex,
};

use super::domain::AnyDomain;
use super::learner::AnyLearner;
use super::row::Row;
use super::weights::AnyWeights;

/// One of the points of a method.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// Where the next gradient is taken.
    Query,
    /// The point that the guarantee bounds.
    Output,
    /// The learner's own point.
    Iterate,
}

/// A point, as a function of the coordinate.
pub(super) type Coordinates<'a> = Box<dyn Fn(usize) -> f64 + 'a>;

/// A conversion without generic methods. The defaults are those of a conversion that lacks what is asked for.
pub(super) trait DynMethod: Send + Sync {
    fn copy(&self) -> Box<dyn DynMethod>;
    fn dim(&self) -> usize;
    fn point(&self, place: Place) -> Coordinates<'_>;
    fn tell(&mut self, gradient: &Row);
    fn steps(&self) -> u64;
    fn status(&self) -> Status;
    fn certificate(&self, domain: &AnyDomain, gradients: Gradients) -> Certified;
    fn total_weight(&self) -> f64;
    fn ledger(&self) -> Option<&Ledger>;

    /// Bounds on the learner's regret, if there is a learner.
    fn regret_bound(&self, distance: Option<f64>) -> Option<f64>;

    /// Whether a hint was accepted; `None` if the conversion takes none.
    fn hint(&mut self, _hint: &Row) -> Option<bool> {
        None
    }

    /// Completes rounds without gradients; `None` if the conversion cannot.
    fn skip(&mut self, _steps: u64, _weight: f64) -> Option<Result<(), SkipError>> {
        None
    }

    /// A number that only this conversion has.
    fn number(&self, _name: &str) -> Option<f64> {
        None
    }

    /// State that is to be saved.
    fn memory(&mut self) -> Option<&mut dyn Memory> {
        None
    }
}

/// Defines the methods of [`DynMethod`] that follow from [`AskTell`] and a few expressions.
macro_rules! method {
    ($type:ty, |$method:ident, $i:ident| iterate: $iterate:expr, total: $total:expr, ledger: $ledger:expr,
     regret: |$distance:ident| $regret:expr $(, { $($more:item)* })?) => {
        impl DynMethod for $type {
            fn copy(&self) -> Box<dyn DynMethod> {
                Box::new(self.clone())
            }

            fn dim(&self) -> usize {
                AskTell::dim(self)
            }

            fn point(&self, place: Place) -> Coordinates<'_> {
                let $method = self;
                match place {
                    Place::Query => {
                        let query = self.query();
                        Box::new(move |i| query.at(i))
                    }
                    Place::Output => {
                        let output = self.output();
                        Box::new(move |i| output.at(i))
                    }
                    Place::Iterate => Box::new(move |$i| $iterate),
                }
            }

            fn tell(&mut self, gradient: &Row) {
                AskTell::tell(self, gradient);
            }

            fn steps(&self) -> u64 {
                AskTell::steps(self)
            }

            fn status(&self) -> Status {
                AskTell::status(self)
            }

            fn certificate(&self, domain: &AnyDomain, gradients: Gradients) -> Certified {
                AskTell::certificate(self, domain, gradients)
            }

            fn total_weight(&self) -> f64 {
                let $method = self;
                $total
            }

            fn ledger(&self) -> Option<&Ledger> {
                let $method = self;
                $ledger
            }

            fn regret_bound(&self, $distance: Option<f64>) -> Option<f64> {
                let $method = self;
                $regret
            }

            $($($more)*)?
        }
    };
}

/// Returns the bound on the regret of a learner, against all points of its domain or those within `distance`.
fn bound(learner: &AnyLearner, distance: Option<f64>) -> Option<f64> {
    distance.map_or_else(|| learner.regret_bound(), |distance| learner.regret_bound_at(distance))
}

type Sparse<W> = Anytime<f64, AnyLearner, W>;
type Dense<W> = DenseAnytime<f64, AnyLearner, W>;

method!(Sparse<AnyWeights>, |method, i| iterate: method.learner().at(i), total: method.total_weight(),
    ledger: method.ledger(), regret: |distance| bound(method.learner(), distance), {
    fn hint(&mut self, hint: &Row) -> Option<bool> {
        self.learner().0.fits().hinted.then(|| AskHintTell::hint(self, hint))
    }

    fn skip(&mut self, steps: u64, weight: f64) -> Option<Result<(), SkipError>> {
        Some(Anytime::skip(self, steps, weight))
    }

    fn memory(&mut self) -> Option<&mut dyn Memory> {
        if self.learner().0.fits().memory { Some(self) } else { None }
    }
});
method!(Dense<AnyWeights>, |method, i| iterate: method.learner().at(i), total: method.total_weight(),
    ledger: method.ledger(), regret: |distance| bound(method.learner(), distance), {
    fn hint(&mut self, hint: &Row) -> Option<bool> {
        self.learner().0.fits().hinted.then(|| AskHintTell::hint(self, hint))
    }
});
method!(Optimistic<f64, Sparse<AnyWeights>>, |method, i| iterate: method.method().learner().at(i),
    total: method.method().total_weight(), ledger: method.method().ledger(),
    regret: |distance| bound(method.method().learner(), distance), {
    fn number(&self, name: &str) -> Option<f64> {
        (name == "shrinkage").then(|| self.shrinkage())
    }
});
method!(Optimistic<f64, Dense<AnyWeights>>, |method, i| iterate: method.method().learner().at(i),
    total: method.method().total_weight(), ledger: method.method().ledger(),
    regret: |distance| bound(method.method().learner(), distance), {
    fn number(&self, name: &str) -> Option<f64> {
        (name == "shrinkage").then(|| self.shrinkage())
    }
});
method!(General<f64, AnyLearner, AnyWeights>, |method, i| iterate: method.learner().at(i),
    total: method.total_weight(), ledger: method.ledger(), regret: |distance| bound(method.learner(), distance));
method!(Accelerated<f64, Sparse<Linear>>, |method, i| iterate: method.method().learner().at(i),
    total: method.method().total_weight(), ledger: method.method().ledger(),
    regret: |distance| bound(method.method().learner(), distance), {
    fn number(&self, name: &str) -> Option<f64> {
        accelerated(name, self.rate(), self.growth())
    }
});
method!(Accelerated<f64, Dense<Linear>>, |method, i| iterate: method.method().learner().at(i),
    total: method.method().total_weight(), ledger: method.method().ledger(),
    regret: |distance| bound(method.method().learner(), distance), {
    fn number(&self, name: &str) -> Option<f64> {
        accelerated(name, self.rate(), self.growth())
    }
});
method!(StronglyConvex<f64, AnyDomain, AnyWeights>, |method, i| iterate: method.iterate().at(i),
    total: method.total_weight(), ledger: method.ledger(), regret: |_distance| { let _ = method; None }, {
    fn number(&self, name: &str) -> Option<f64> {
        (name == "promised").then(|| self.promised())
    }
});
method!(CompositeAnytime<f64, AnyWeights>, |method, i| iterate: method.learner().at(i),
    total: method.total_weight(), ledger: method.ledger(), regret: |distance| match distance {
        Some(distance) => method.learner().regret_bound_at(distance),
        None => method.learner().regret_bound(),
    }, {
    fn number(&self, name: &str) -> Option<f64> {
        if name == "penalties" { self.penalties() } else { None }
    }
});

/// Returns a number of Algorithm 4 by its name.
fn accelerated(name: &str, rate: f64, growth: f64) -> Option<f64> {
    match name {
        "rate" => Some(rate),
        "growth" => Some(growth),
        _ => None,
    }
}
