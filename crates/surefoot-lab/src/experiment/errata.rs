//! V13: numerical evidence for errors in the paper (Cutkosky 2019).

use surefoot::bound;

use crate::method::{Method, descend};
use crate::problem::{Chain, Max, Problem, dot};
use crate::{Claim, Experiment, Form, Random, Reading, Row};

const ABOUT: &str = "What the print has wrong, in numbers. A hint that comes after the iterate, as in the print of Algorithm 3, is \
    one round late and costs a factor of about 2 on the chain (numpy: .278 to .536 at T = 256); a hint with the weight of the \
    round before is harmless (.259). Nor do hints help much in the classic conversion, whose gradients are taken where nothing is stable, as the paper suspects. Σα_i w_t in Algorithms 1 and 3 makes x_t = w_t. Self-bounding is \
    ‖∇L(x)‖² ≤ 2L(L(x) − L*) with equality on quadratics, in print without the 2. The last step in the proof of Theorem 3 is \
    false for T = 1 and 2: there its end is below the line before it, by 1.22 and 1.06. The inequalities between sums that its proofs \
    borrow hold.";

/// Builds a row of the experiment that measures the ratio of the excess losses of two methods on Nesterov's chain.
fn ratio(label: &str, form: Form, one: Method, other: Method) -> Row {
    let axis = form.pick(&[64.0, 128.0][..], &[64.0, 128.0, 256.0]);
    Row::points(label, axis, move |x, mut random| {
        let problem = Chain::new(2 * x as usize + 1, 0.0);
        let mut excess = |method| problem.excess(&descend(&problem, method, x as u64, &mut random, |_| {}).output);
        Reading::of(excess(one) / excess(other))
    })
}

/// Builds a row of the experiment that measures the largest ‖x_t − w_t‖² over all rounds, where x_t is the output and w_t the learner's
/// iterate.
fn apart(label: &str, method: Method) -> Row {
    Row::points(label, &[64.0], move |x, mut random| {
        let mut most = 0.0_f64;
        descend(&Max::new(9, 0.0), method, x as u64, &mut random, |round| {
            let difference: Vec<f64> = round.output().iter().zip(round.iterate).map(|(x, w)| x - w).collect();
            most = most.max(dot(&difference, &difference));
        });
        Reading::of(most)
    })
    .claim(Claim::Largest { most: 0.0 })
}

/// Builds a row of the experiment that measures ‖∇L(x)‖²/(factor·L·(L(x) − L*)) for the quadratic loss (L/2)x² with L = 3, where L* is the
/// minimum.
fn bounding(label: &str, factor: f64) -> Row {
    Row::points(label, &[1e-3, 1.0, 1e3], move |x, _| {
        let (curvature, gradient, excess) = (3.0, 3.0 * x, 1.5 * x * x);
        Reading::of(gradient * gradient / (factor * curvature * excess))
    })
    .claim(Claim::Largest { most: 1.0 + 1e-12 })
}

/// Builds a row of the experiment that compares the last two expressions in the printed proof of Theorem 3, for L = 0 and B = σ = 1: the
/// second should bound the first.
fn last_step(label: &str, axis: &[f64]) -> Row {
    Row::points(label, axis, |x, _: Random| {
        let theorem = bound::Optimistic { steps: x as u64, diameter: 1.0, noise: 1.0, ..Default::default() };
        Reading::of(theorem.printed()).under(theorem.printed_last())
    })
    .claim(Claim::Bounded)
}

/// Sequence of positive numbers x_1 … x_n, each as the pair of x_i and the partial sum Σ_{j≤i} x_j.
type Terms = [(f64, f64)];

/// Builds a row of the experiment that measures the ratio of the two sides of an inequality between sums, for random sequences of numbers
/// from 1e−6 to 1e6.
fn sums(label: &str, sides: fn(&Terms) -> (f64, f64)) -> Row {
    Row::points(label, &[1.0, 10.0, 1000.0], move |x, mut random| {
        let mut sum = 0.0;
        let mut next = || {
            let term = 10_f64.powf(random.between(-6.0, 6.0));
            sum += term;
            (term, sum)
        };
        let terms: Vec<_> = (0..x as u64).map(|_| next()).collect();
        let (left, right) = sides(&terms);
        Reading::of(left / right)
    })
    .seeds(100)
    .claim(Claim::Largest { most: 1.0 + 1e-12 })
}

/// Returns the two sides Σ x_i/√(Σ_{j≤i} x_j) and √(Σ x_i) of an inequality between sums, up to a constant.
fn roots(terms: &Terms) -> (f64, f64) {
    let total = terms.last().map_or(0.0, |term| term.1);
    (terms.iter().map(|(x, sum)| x / sum.sqrt()).sum(), total.sqrt())
}

pub(super) fn experiment(form: Form) -> Experiment {
    let (right, late) = (Method::Optimistic, Method::LateHint);
    let costly = Claim::Within { power: 0.0, least: 1.5, most: f64::INFINITY };
    let harmless = Claim::Within { power: 0.0, least: 0.5, most: 1.1 };
    let rows = vec![
        ratio("hint one round late ÷ on time", form, late, right).claim(costly),
        ratio("hint with the old weight ÷ with the new", form, Method::OldWeight, right).claim(harmless),
        ratio("hints in the classic conversion ÷ in Algorithm 3", form, Method::ClassicDual, Method::Dual)
            .claim(costly),
        apart("‖x_t − w_t‖² with Σ α_i w_t", Method::LastIterate { power: 1.0 }),
        bounding("‖∇L‖² ÷ 2L(L − L*)", 2.0),
        last_step("Theorem 3, its proof's last step, T ≥ 3", &[3.0, 4.0, 10.0, 100.0, 1e4]),
        sums("√Σx ÷ Σ x_i/√(x_1 + … + x_i)", |terms| (roots(terms).1, roots(terms).0)),
        sums("Σ x_i/√(x_1 + … + x_i) ÷ 2√Σx", |terms| (roots(terms).0, 2.0 * roots(terms).1)),
        sums("Σ x_i/(1 + x_1 + … + x_i) ÷ ln(1 + Σx)", |terms| {
            (terms.iter().map(|(x, sum)| x / (1.0 + sum)).sum(), terms.last().map_or(0.0, |term| term.1).ln_1p())
        }),
        sums("Σ_{i≥2} x_i/(x_1 + … + x_i) ÷ ln(Σx/x_1)", |terms| {
            let (first, total) = (terms[0].0, terms.last().map_or(0.0, |term| term.1));
            let rest: f64 = terms[1..].iter().map(|(x, sum)| x / sum).sum();
            (rest, if terms.len() > 1 { (total / first).ln() } else { 1.0 })
        }),
        sums("Σ x_i/√(x_1 + … + x_i) ÷ √Σx", roots).planted(),
        ratio("hint on time ÷ on time", form, right, right).claim(costly).planted(),
        ratio("hint one round late ÷ on time, harmless", form, late, right).claim(harmless).planted(),
        apart("‖x_t − w_t‖² with Σ α_i w_i", Method::Anytime { power: 1.0 }).planted(),
        bounding("‖∇L‖² ÷ L(L − L*), as printed", 1.0).planted(),
        last_step("Theorem 3, its proof's last step, T = 1, 2", &[1.0, 2.0]).planted(),
    ];
    let (title, measured) = ("Errata of the paper", "ratio, or as the row says");
    Experiment { name: "V13", title, about: ABOUT, axis: "T or x", measured, bound: "bound", rows }
}
