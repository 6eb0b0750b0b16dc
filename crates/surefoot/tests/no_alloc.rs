//! Once built, nothing allocates: not asking, not telling, not refusing.

mod common;

use std::fmt::Debug;

use common::{Record, Visit};
use surefoot::{Anytime, AskTell, DenseAnytime, Float, Gradients, Lazy, Learner, Linear, Point, Sparse, Vector, Whole};
use surefoot_oracle::{Domain, Learner as Twin};

struct Counting(Record);

impl Counting {
    fn count<F: Float>(&self, name: &str, mut method: impl AskTell<F>) {
        let narrow = |(i, x): &(Vec<u32>, Vec<f64>)| (i.clone(), x.iter().map(|&x| F::of(x)).collect::<Vec<F>>());
        let rows: Vec<_> = self.0.rows.iter().map(narrow).collect();
        let mut all = vec![F::zero(); method.dim()];
        let used = allocation_counter::measure(|| {
            for (indices, values) in &rows {
                let row = Sparse::new(indices, values);
                let slope = method.dot(&row).tanh();
                method.tell(&row.times(1.0 + slope));
                method.tell(&[F::nan()]);
            }
            method.output().write(&mut all);
            let _ = method.certificate(&Whole::new(1.0), Gradients::Fresh);
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

#[test]
fn nothing_is_allocated_in_ten_thousand_rounds() {
    assert!(allocation_counter::measure(|| drop(std::hint::black_box(vec![1.0; 10]))).count_total > 0);
    common::learners::<f64>(40, &mut Counting(Record::sparse(31, 40, 10_000, |_| 1.0)));
    common::learners::<f32>(40, &mut Counting(Record::sparse(31, 40, 10_000, |_| 1.0)));
}
