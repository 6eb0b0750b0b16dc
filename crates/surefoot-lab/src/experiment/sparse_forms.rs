//! V1: algebraic identities of the algorithms, and agreement of their sparse and dense implementations.

use surefoot::{
    Accelerated, AdaGrad, Anytime, AskTell, Ball, BoxDomain, CompositeAnytime, CompositeAveraging, DenseAnytime,
    DualAveraging, ElasticNet, FreeGrad, General, Lazy, Leader, Learner, Linear, OgdNorm, Optimistic, Sparse,
    StronglyConvex, Vector, WholeSpace,
};

use crate::method::{Method, descend};
use crate::problem::{Bowl, Chain, Problem, dot, norm};
use crate::{Claim, Experiment, Form, Random, Reading, Row};

const ABOUT: &str = "Algebra that holds for any gradients: α_t(x_t − w_t) = A_{t−1}(p − x_t), with p = x_{t−1} for Algorithms \
    1 to 3 and p = y_{t−1} for Algorithm 4; and the sparse forms, which touch only the coordinates of a gradient, give the \
    points of the dense recursions. Errors are relative and of the size of rounding; numpy had 8e-16 and 7e-16, and 2e-13 for the L1 penalty.";

const DIM: usize = 20;
const CLAIM: Claim = Claim::Largest { most: 1e-12 };

/// Builds a row of the experiment that measures the largest error of the identity α_t(x_t − w_t) = A_{t−1}(p − x_t) over a run, relative to
/// the size of the points, where p is the previous output.
fn identity(label: &str, form: Form, method: Method) -> Row {
    let axis = form.pick(&[100.0, 1000.0][..], &[100.0, 1000.0, 10_000.0]);
    let trial = move |axis: &[f64], mut random: Random| {
        let (mut last, mut total, mut worst, mut readings) = (vec![0.0; DIM], 0.0, 0.0_f64, Vec::new());
        let steps = axis.last().copied().unwrap_or_default() as u64;
        descend(&Bowl::new(DIM, 1.0), method, steps, &mut random, |round| {
            let size = round.query.iter().chain(round.iterate).fold(0.0_f64, |size, x| size.max(x.abs()));
            for ((x, w), last) in round.query.iter().zip(round.iterate).zip(&last) {
                let left = round.weight * (x - w);
                let right = total * (last - x);
                worst = worst.max((left - right).abs() / (round.total * size).max(f64::MIN_POSITIVE));
            }
            (last, total) = (round.output(), round.total);
            if axis.contains(&(round.step as f64)) {
                readings.push(Reading::of(worst));
            }
        });
        readings
    };
    Row::path(label, axis, trial).seeds(8).claim(CLAIM)
}

/// Builds a row of the experiment that measures the largest ‖x_t − x_{t−1}‖ in units of α_t·B/A_t, which is at most 1 if the outputs x_t
/// are averages of points in a ball of diameter B.
fn stability(label: &str, form: Form, method: Method) -> Row {
    let axis = form.pick(&[100.0, 1000.0][..], &[100.0, 1000.0, 10_000.0]);
    let trial = move |axis: &[f64], mut random: Random| {
        let problem = Bowl::new(DIM, 1.0);
        let (mut last, mut worst, mut readings) = (vec![0.0; DIM], 0.0_f64, Vec::new());
        let steps = axis.last().copied().unwrap_or_default() as u64;
        descend(&problem, method, steps, &mut random, |round| {
            let output = round.output();
            if round.step > 1 {
                let moved: Vec<f64> = output.iter().zip(&last).map(|(x, y)| x - y).collect();
                worst = worst.max(norm(&moved) * round.total / (round.weight * problem.facts().diameter()));
            }
            last = output;
            if axis.contains(&(round.step as f64)) {
                readings.push(Reading::of(worst));
            }
        });
        readings
    };
    Row::path(label, axis, trial).seeds(8).claim(Claim::Largest { most: 1.0 + 1e-12 })
}

/// Builds a row of the experiment that measures the error of an equality: Theorem 1 with all terms that its proof drops, for u = 0,
/// relative to the size of the terms: A_T(L(x_T) − L(u)) = Σα_t⟨g_t, w_t − u⟩ − ΣA_{t−1}D(x_{t−1}, x_t) − Σα_tD(u, x_t), where D(p, q) =
/// L(p) − L(q) − ⟨g(q), p − q⟩.
fn slack(label: &str, form: Form, method: Method) -> Row {
    let axis = form.pick(&[100.0, 1000.0][..], &[100.0, 1000.0, 10_000.0]);
    let trial = move |axis: &[f64], mut random: Random| {
        let problem = Chain::new(DIM, 0.0);
        let zero = problem.excess(&[0.0; DIM]);
        let (mut last, mut sum, mut size, mut readings) = ((vec![0.0; DIM], 0.0, 0.0), 0.0, 0.0, Vec::new());
        let steps = axis.last().copied().unwrap_or_default() as u64;
        descend(&problem, method, steps, &mut random, |round| {
            let (output, gradient) = (round.output(), round.gradient);
            let excess = problem.excess(&output);
            let along = dot(gradient, &output);
            let (before, value, total) = &last;
            let terms = [
                round.weight * dot(gradient, round.iterate),
                -total * (value - excess - (dot(gradient, before) - along)),
                -round.weight * (zero - excess + along),
            ];
            sum += terms.iter().sum::<f64>();
            size += terms.iter().map(|term| term.abs()).sum::<f64>();
            if axis.contains(&(round.step as f64)) {
                readings.push(Reading::of((round.total * (excess - zero) - sum).abs() / size));
            }
            last = (output, excess, round.total);
        });
        readings
    };
    Row::path(label, axis, trial).claim(CLAIM)
}

/// Builds a row of the experiment that measures the largest distance between the points of two methods (a sparse and a dense
/// implementation) given the same sparse gradients, relative to the size of the points.
fn pair<A, B>(label: &str, form: Form, methods: impl Fn() -> (A, B) + Send + Sync + 'static) -> Row
where
    A: AskTell<f64>,
    B: AskTell<f64>,
{
    let axis = form.pick(&[100.0, 1000.0][..], &[100.0, 1000.0, 10_000.0]);
    let trial = move |axis: &[f64], mut random: Random| {
        let ((mut one, mut two), [mut a, mut b]) = (methods(), [(); 2].map(|()| vec![0.0; DIM]));
        let (mut size, mut worst) = (f64::MIN_POSITIVE, 0.0_f64);
        let mut step = 0;
        let mut reading = |x: &f64| {
            while step < *x as u64 {
                step += 1;
                one.write(&mut a);
                two.write(&mut b);
                size = a.iter().fold(size, |size, x| size.max(x.abs()));
                worst = a.iter().zip(&b).fold(worst, |worst, (a, b)| worst.max((a - b).abs()));
                let indices = [random.below(DIM / 2), DIM / 2 + random.below(DIM / 2)];
                let values = indices.map(|i| random.normal() + 0.5 * a[i]);
                one.tell(&Sparse::new(&indices, &values));
                two.tell(&Sparse::new(&indices, &values));
            }
            Reading::of(worst / size)
        };
        axis.iter().map(&mut reading).collect()
    };
    Row::path(label, axis, trial).seeds(8).claim(CLAIM)
}

/// Deliberate mistake (planted error): a learner that moves coordinate 0 without reporting that this coordinate changed.
struct Silent<L>(L);

impl<L: Learner<f64>> Learner<f64> for Silent<L> {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn at(&self, i: usize) -> f64 {
        self.0.at(i)
    }

    fn tell<V: Vector<f64> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.0.tell(weight, gradient);
    }
}

impl<L: Lazy<f64>> Lazy<f64> for Silent<L> {
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
        self.0.tell_moved(weight, gradient, |i, old| {
            if i > 0 {
                moved(i, old);
            }
        });
    }
}

fn ball() -> Ball<f64> {
    Ball::new(1.0)
}

fn ogd() -> OgdNorm<f64, Ball<f64>> {
    OgdNorm::new(DIM, ball())
}

pub(super) fn experiment(form: Form) -> Experiment {
    let cube = || AdaGrad::<f64, _>::new(DIM, BoxDomain::cube(DIM, 1.0));
    let dual = || DualAveraging::<f64, _>::new(DIM, ball());
    let free = || FreeGrad::<f64, _>::new(DIM, WholeSpace::new(1.0));
    let net = || CompositeAveraging::<f64>::new(DIM, ElasticNet::new(0.05, 0.01), 1.0);
    let leader = || General::new(Leader::<f64, _>::new(DIM, ball(), 0.5), Linear);
    let rows = vec![
        identity("identity, Algorithm 1", form, Method::Anytime { power: 1.0 }),
        identity("identity, Algorithm 3", form, Method::Optimistic),
        identity("identity, Algorithm 4", form, Method::Accelerated { epsilon: 0.0, query: false }),
        slack("Theorem 1 with its slack, α = 1", form, Method::Anytime { power: 0.0 }),
        slack("Theorem 1 with its slack, α = t", form, Method::Anytime { power: 1.0 }),
        stability("‖x_t − x_{t−1}‖ ÷ (α_t B/A_t)", form, Method::Anytime { power: 1.0 }),
        pair("sparse = dense, OGD-norm", form, move || (Anytime::new(ogd(), Linear), DenseAnytime::new(ogd(), Linear))),
        pair("sparse = dense, AdaGrad", form, move || {
            (Anytime::new(cube(), Linear), DenseAnytime::new(cube(), Linear))
        }),
        pair("sparse = dense, FreeGrad", form, move || {
            (Anytime::new(free(), Linear), DenseAnytime::new(free(), Linear))
        }),
        pair("sparse = dense, Algorithm 2", form, move || {
            (StronglyConvex::<f64, _, _>::new(DIM, ball(), 0.5, Linear), leader())
        }),
        pair("sparse = dense, Algorithm 3", form, move || {
            (Optimistic::new(dual(), Linear), Optimistic::dense(dual(), Linear))
        }),
        pair("sparse = dense, Algorithm 4", form, || (Accelerated::new(ogd(), 2.0), Accelerated::dense(ogd(), 2.0))),
        pair("sparse = dense, elastic net", form, move || {
            (CompositeAnytime::new(net(), Linear), DenseAnytime::new(net(), Linear))
        }),
        identity("Σ α_i w_t for Σ α_i w_i", form, Method::LastIterate { power: 1.0 }).planted(),
        slack("Theorem 1 at Σ α_i w_t for Σ α_i w_i", form, Method::LastIterate { power: 1.0 }).planted(),
        stability("‖w_t − w_{t−1}‖ ÷ (α_t B/A_t)", form, Method::LastIterate { power: 1.0 }).planted(),
        identity("Algorithm 4 averages from x, not y", form, Method::Uncorrected).planted(),
        pair("a learner moves a coordinate unsaid", form, || {
            (Anytime::new(Silent(ogd()), Linear), DenseAnytime::new(ogd(), Linear))
        })
        .planted(),
    ];
    let (title, axis, measured) = ("Identities, sparse forms", "T", "largest relative error");
    Experiment { name: "V1", title, about: ABOUT, axis, measured, bound: "bound", rows }
}
