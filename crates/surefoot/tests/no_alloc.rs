//! Tests that methods and certificates allocate no memory after construction: neither in queries, nor in updates, nor
//! in refusals.

mod common;

use std::fmt::Debug;

use common::methods::{Methods, Play, methods};
use common::{Record, Visit, narrow};
use surefoot::certificate::{
    Composite, Coupled, Curved, Cuts, ElasticNet, Ledger, Operator, Rise, Risk, Sketch, Stream,
};
use surefoot::{
    Anytime, AskTell, DenseAnytime, Float, Gradients, Lazy, Learner, Linear, Point, Sparse, Vector, View, WholeSpace,
};
use surefoot_oracle::{Domain, Learner as Twin};

struct Counting(Record);

impl Counting {
    fn count<F: Float>(&self, name: &str, mut method: impl AskTell<F>) {
        let rows: Vec<_> = self.0.rows.iter().map(|(i, x)| (i.clone(), narrow::<F>(x))).collect();
        let mut all = vec![F::zero(); method.dim()];
        let used = allocation_counter::measure(|| {
            for (indices, values) in &rows {
                let row = Sparse::new(indices, values);
                let slope = method.dot(&row).tanh();
                method.tell(&row.times(1.0 + slope));
                method.tell(&[F::nan()]);
            }
            method.output().write(&mut all);
            let _ = method.certificate(&WholeSpace::new(1.0), Gradients::Fresh);
        });
        assert_eq!(used.count_total, 0, "{name}");
        assert_eq!(method.steps(), self.0.len());
    }
}

impl<F: Float> Visit<F> for Counting {
    fn lazy<L: Lazy<F> + Clone + Debug>(&mut self, name: &str, learner: L, _: &dyn Fn() -> Box<dyn Twin>, _: &Domain) {
        self.count(name, Anytime::new(learner, Linear).certified());
    }

    fn dense<L: Learner<F> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        _: &dyn Fn() -> Box<dyn Twin>,
        _: &Domain,
    ) {
        self.count(name, DenseAnytime::new(learner, Linear).certified());
    }
}

impl<F: Float> Methods<F> for Counting {
    fn rounds(&self) -> u64 {
        self.0.len()
    }

    fn method<A: AskTell<F> + Clone + Debug>(&mut self, name: &str, method: A, _: Play) {
        self.count(name, method);
    }
}

#[test]
fn no_conversion_allocates() {
    methods::<f64>(40, 1.0, &mut Counting(Record::sparse(56, 40, 3000, |_| 1.0)));
    methods::<f32>(40, 1.0, &mut Counting(Record::sparse(56, 40, 3000, |_| 1.0)));
    methods::<f64>(8, 1.0, &mut Counting(Record::sparse(56, 8, 3000, |_| 1.0)));
}

#[test]
fn nothing_is_allocated_in_ten_thousand_rounds() {
    assert!(allocation_counter::measure(|| drop(std::hint::black_box(vec![1.0; 10]))).count_total > 0);
    common::learners::<f64>(40, &mut Counting(Record::sparse(31, 40, 10_000, |_| 1.0)));
    common::learners::<f32>(40, &mut Counting(Record::sparse(31, 40, 10_000, |_| 1.0)));
}

#[test]
fn certificates_are_kept_and_read_without_allocating() {
    let (net, ball) = (ElasticNet::new(0.1, 0.1), surefoot::Ball::<f64>::new(1.0));
    let (mut composite, mut cuts, mut curved) = (Composite::new(8), Cuts::new(8, net), Curved::new(8, 0.5));
    let (mut coupled, mut noise, mut ledger) = (Coupled::new(8), Operator::new(8), Ledger::new(8));
    let mut sketch = Sketch::new(8, 2);
    let output = View::new(8, |_| 0.1);
    let (mut stream, mut risk) = (Stream::new(&ball, 10.0), Risk::new(10.0, 10.0));
    let gradient = Sparse::new(&[1_u32, 6], &[0.5, -1.0]);
    let used = allocation_counter::measure(|| {
        for t in 1..=100_u32 {
            composite.record(1.0, &gradient, |_| 0.1, 0.2);
            cuts.record(1.0, 0.3, &gradient, |_| 0.1);
            curved.record(1.0, &gradient, |_| 0.1);
            coupled.record(1.0, &gradient, |_| 0.1, Rise::Measured(-0.01));
            ledger.record(1.0, &gradient, |_| 0.1);
            stream.open(1.0, 1, 0.5);
            stream.example(1.0);
            risk.open(1.0, 1, 0.5);
            risk.example(1.0, 0.1);
            noise.record(1.0, &gradient, |_| 0.1);
            sketch.record(1.0, &gradient, |_| 0.1);
            let mean = ledger.certificate(f64::from(t), &ball, &output, Gradients::Fresh).expect("a ball");
            let deviation = Some(noise.deviation(1.0).min(sketch.deviation(1.0)));
            cuts.tighten();
            let all = [
                composite.certificate(100.0, &net, Gradients::Fresh),
                cuts.certificate(0.3),
                curved.certificate(Gradients::Exact),
                curved.certificate_within(&ball, &output, Gradients::Fresh),
                coupled.certificate(&ball, Gradients::Fresh),
                stream.certificate(&mean, f64::from(t), 0.1, deviation),
                risk.certificate(Gradients::Fresh, 0.1),
            ];
            assert!(all.iter().all(|certificate| certificate.is_ok()));
        }
    });
    assert_eq!(used.count_total, 0);
}
