use crate::method::{Method, descend};
use crate::problem::{Chain, Facts, Problem};
use crate::{Claim, Experiment, Form, Random, Reading, Row};

const ABOUT: &str = "No method has a constant with units: with the loss multiplied by a power of two the output is the same to \
    the last bit, from 2^−800 to 2^800 (1e±240). With the 1 under the root, as Algorithm 4 is printed, it is not.";

/// A problem with its loss multiplied by a factor.
struct Times(Chain, f64);

impl Problem for Times {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn gradient(&self, x: &[f64], random: &mut Random, gradient: &mut [f64]) {
        self.0.gradient(x, random, gradient);
        gradient.iter_mut().for_each(|g| *g *= self.1);
    }

    fn excess(&self, x: &[f64]) -> f64 {
        self.0.excess(x)
    }

    fn facts(&self) -> Facts {
        self.0.facts()
    }
}

/// How many coordinates of the output differ from those for the loss itself.
fn row(label: &str, method: Method) -> Row {
    let axis = [-800, -20, -1, 1, 20, 800].map(|k| 2_f64.powi(k));
    Row::points(label, &axis, move |factor, random| {
        let output = |factor| {
            let problem = Times(Chain::new(65, 0.1), factor);
            descend(&problem, method, 200, &mut random.clone(), |_| {}).output
        };
        let (one, other) = (output(1.0), output(factor));
        Reading::of(one.iter().zip(&other).filter(|(a, b)| a.to_bits() != b.to_bits()).count() as f64)
    })
    .claim(Claim::Largest { most: 0.0 })
}

pub(super) fn experiment(_: Form) -> Experiment {
    let fourth = |epsilon| Method::Accelerated { epsilon, query: false };
    let rows = vec![
        row("Algorithm 1 over OGD-norm", Method::Anytime { power: 1.0 }),
        row("Algorithm 1 over FreeGrad", Method::Free { power: 0.0, wealth: 1.0 }),
        row("Algorithm 3 over proximal", Method::Optimistic),
        row("Algorithm 3 over proximal, by coordinate", Method::Diagonal),
        row("Algorithm 3 over dual averaging", Method::Dual),
        row("Algorithm 4", fourth(0.0)),
        row("Algorithm 4 with ε = 1", fourth(1.0)).planted(),
    ];
    let (title, measured) = ("Losses in other units", "coordinates that differ");
    Experiment { name: "V11", title, about: ABOUT, axis: "factor of the loss", measured, bound: "none", rows }
}
