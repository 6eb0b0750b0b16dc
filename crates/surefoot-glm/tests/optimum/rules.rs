//! Tests of optima with penalty factors and bounds per column.

use super::problem::{Dice, Rows, examples, goal, objective, optimum, rows};
use surefoot_glm::{
    Bounds, Loss, Rule,
    optimum::{Ended, Goal, Optimum, optimise},
};

const INFINITY: f64 = f64::INFINITY;

fn rule(factor: f64, low: f64, high: f64) -> Rule {
    Rule { factor, bounds: Bounds::new(low, high).expect("0 between them") }
}

/// Returns penalty factors and bounds for the five columns of the reference problems, with bounds in multiples of `unit`.
fn rules(unit: f64) -> [Rule; 5] {
    [
        rule(0.5, -INFINITY, INFINITY),
        rule(0.0, -INFINITY, INFINITY),
        rule(1.0, -INFINITY, 0.7 * unit),
        rule(2.0, -0.4 * unit, INFINITY),
        rule(3.0, -0.1 * unit, 0.1 * unit),
    ]
}

/// Each entry: loss, l1, l2, whether there is an intercept, and the optimum: objective, weights and intercept. They were computed in scipy
/// by L-BFGS-B on the positive and negative parts of weights and then Newton steps on the free weights; for losses with a kink by HiGHS as
/// linear programs.
#[rustfmt::skip]
const GOLDEN: [(Loss, f64, f64, bool, f64, [f64; 6]); 38] = [
    (Loss::Logistic, 0.0, 0.01, true, 0.5926937820336077, [1.4958998235240761, -0.7185891070312507, 0.7, -0.4, 0.009833577857745681, 2.144467797851894]),
    (Loss::Logistic, 0.02, 0.05, true, 0.6471763408584449, [0.9143120961497663, -0.6062546171988642, 0.27151802545128795, 0.0, 0.0, 1.8232775148207685]),
    (Loss::Logistic, 0.05, 0.0, true, 0.6528397456486118, [1.0051359494315537, -0.6214558460579435, 0.0, 0.0, 0.0, 1.887318202153864]),
    (Loss::Logistic, 0.02, 0.05, false, 0.660822856382054, [0.8462448745880454, -0.01617346369307997, 0.27513219997287913, 0.0, 0.0, 0.0]),
    (Loss::Squared, 0.0, 0.01, true, 25.42191154030067, [6.935997628674388, -3.7602898260199247, 7.0, -4.0, -1.0, 11.950332212735331]),
    (Loss::Squared, 0.02, 0.05, true, 27.973459852944096, [6.412970368107335, -3.719284674052917, 7.0, -4.0, -1.0, 11.792775592772964]),
    (Loss::Squared, 0.05, 0.0, true, 25.954860671358993, [6.973322446312543, -3.763216078501938, 7.0, -4.0, -1.0, 11.961575932807223]),
    (Loss::Squared, 0.02, 0.05, false, 30.359280919437904, [5.985160030995935, 0.09087777682389572, 7.0, -4.0, -0.7293062496575811, 0.0]),
    (Loss::SquaredHinge, 0.0, 0.01, true, 0.7427368220748993, [0.788996399293938, -0.3384902648501657, 0.7, -0.4, 0.06147238247480115, 0.9956896905513198]),
    (Loss::SquaredHinge, 0.02, 0.05, true, 0.8026503074565614, [0.7346265835208585, -0.33528321216811674, 0.7, -0.37393756633555647, 0.0, 0.98327267423893]),
    (Loss::SquaredHinge, 0.05, 0.0, true, 0.8297260327376721, [0.7384547227637837, -0.32653393262025543, 0.7, -0.25131060687293844, 0.0, 0.9638296045217511]),
    (Loss::SquaredHinge, 0.02, 0.05, false, 0.8356995021066025, [0.6965264922447458, -0.01720100968376781, 0.7, -0.3326717009671358, 0.0, 0.0]),
    (Loss::SmoothedHinge, 0.0, 0.01, true, 0.36274348763565883, [0.8932349069015842, -0.4267076067062736, 0.7, -0.4, 0.041486328917471345, 1.2613694339914268]),
    (Loss::SmoothedHinge, 0.02, 0.05, true, 0.4161598037586579, [0.7329485163558378, -0.3866270578514039, 0.5131329795353512, -0.1171231548004781, 0.0, 1.1590220424916522]),
    (Loss::SmoothedHinge, 0.05, 0.0, true, 0.4301693129943697, [0.7443672807665056, -0.3769524247824406, 0.4619120789605585, 0.0, 0.0, 1.1438101480448417]),
    (Loss::SmoothedHinge, 0.02, 0.05, false, 0.4337575374243772, [0.7070579967018862, -0.004101808350666591, 0.5207105761851777, -0.08911428120820598, 0.0, 0.0]),
    (Loss::Huber { delta: 1.0 }, 0.0, 0.01, true, 0.24355898800907227, [0.7334774561237639, -0.30402299281767364, 0.7, -0.4, -0.1, 0.9624370904912252]),
    (Loss::Huber { delta: 1.0 }, 0.02, 0.05, true, 0.30173826863128383, [0.6313904022542778, -0.28415453981237626, 0.7, -0.2742497083780166, 0.0, 0.902242232108134]),
    (Loss::Huber { delta: 1.0 }, 0.05, 0.0, true, 0.3210699655900617, [0.6209116419959501, -0.27972317567122934, 0.7, 0.0, 0.0, 0.8946903816995532]),
    (Loss::Huber { delta: 1.0 }, 0.02, 0.05, false, 0.3118861046850713, [0.6156145273288247, 0.007496404633661127, 0.7, -0.26212544363779516, 0.0, 0.0]),
    (Loss::Poisson, 0.0, 0.01, true, 0.6241141562672521, [0.44063304950208604, -0.6509440067426046, 0.7, -0.4, -0.1, 1.981807306956884]),
    (Loss::Poisson, 0.02, 0.05, true, 0.6826779226307563, [0.37853863034086316, -0.6373121641132878, 0.7, -0.4, -0.1, 1.9414853630429036]),
    (Loss::Poisson, 0.05, 0.0, true, 0.7177771763963676, [0.35400674435905227, -0.6231661685376044, 0.7, -0.4, 0.0, 1.905473500484072]),
    (Loss::Poisson, 0.02, 0.05, false, 0.758219604647036, [0.23278639595160788, 0.00647472062267136, 0.7, -0.4, -0.1, 0.0]),
    (Loss::Gamma, 0.0, 0.01, true, 1.3504819264893675, [0.6164307113273254, -0.43355635709053725, 0.7, -0.4, -0.1, 1.623041241003482]),
    (Loss::Gamma, 0.02, 0.05, true, 1.4109168609530456, [0.5241871051810784, -0.3999216081177509, 0.7, -0.4, 0.0, 1.5269307806014065]),
    (Loss::Gamma, 0.05, 0.0, true, 1.4386120648092948, [0.5126817733500838, -0.37773565473391, 0.7, -0.23806705201983042, 0.0, 1.483409616344758]),
    (Loss::Gamma, 0.02, 0.05, false, 1.456237144835891, [0.309410009730911, 0.10586486927408754, 0.7, -0.34292945749102227, 0.0, 0.0]),
    (Loss::Tweedie { power: 1.5 }, 0.0, 0.01, true, 4.007603674946577, [0.7089227045399786, -0.6336325548059267, 0.7, -0.4, -0.1, 1.8256414258460452]),
    (Loss::Tweedie { power: 1.5 }, 0.02, 0.05, true, 4.071353401830874, [0.6126500719064176, -0.6040918895912298, 0.7, -0.4, -0.1, 1.7394978618021713]),
    (Loss::Tweedie { power: 1.5 }, 0.05, 0.0, true, 4.103467789199623, [0.6025866859758611, -0.5933207750629315, 0.7, -0.4, 0.0, 1.7170347144167557]),
    (Loss::Tweedie { power: 1.5 }, 0.02, 0.05, false, 4.129572544496273, [0.3788482364630104, -0.02803586495233378, 0.7, -0.4, -0.1, 0.0]),
    (Loss::Absolute, 0.05, 0.0, true, 0.6599204550376343, [0.6009631182999376, -0.30553265711765054, 0.7, 0.0, 0.0, 0.9494933110765712]),
    (Loss::Absolute, 0.02, 0.0, false, 0.6341324953894161, [0.5151321320870293, 0.011204286760105894, 0.7, -0.4, 0.0, 0.0]),
    (Loss::Quantile { tau: 0.3 }, 0.05, 0.0, true, 0.29001872482212904, [0.5442863938337988, -0.35856164724930023, 0.0, 0.0, 0.0, 0.7333780977785896]),
    (Loss::Quantile { tau: 0.3 }, 0.02, 0.0, false, 0.2753761805895057, [0.45703328175520375, -0.13352112045470377, 0.7, -0.3893886558587213, 0.0, 0.0]),
    (Loss::Hinge, 0.05, 0.0, true, 0.7974741657889022, [1.4741496697268248, -0.909119564537495, 0.7, 0.0, 0.0, 2.7710594925969905]),
    (Loss::Hinge, 0.02, 0.0, false, 0.7826421730272566, [1.3875449259903065, -0.01172056015484022, 0.7, -0.4, 0.0, 0.0]),
];

fn kinked(loss: Loss) -> bool {
    loss.smoothness().is_none() && loss.lipschitz().is_some()
}

/// Searches for the optimum, and checks for every model on the way that it is within its bounds, has the stated objective, and has a gap
/// of at least its excess over `least`, the true minimum.
fn watched(rows: &Rows, goal: &Goal, least: f64) -> Optimum {
    let case = format!("{:?} {} {}", goal.loss, goal.l1, goal.l2);
    let found = optimise(&examples(rows), goal, (&[], &[]), &|| false, &mut |best| {
        let here = objective(rows, goal, &best.weights, best.intercept[0]);
        assert!((here - best.objective).abs() <= 1e-11 * here.abs(), "{case}: {here} is not {}", best.objective);
        for (w, rule) in best.weights.iter().zip(goal.rules) {
            assert_eq!(rule.bounds.clamp(*w), *w, "{case}");
        }
        // References are good to 1e-12.
        let missing = best.objective - least - 1e-12 * least.abs();
        assert!(best.gap.is_none_or(|gap| gap >= missing), "{case}: {best:?} for {missing}");
    });
    found.expect("rows with weight")
}

#[test]
fn optima_agree_with_an_independent_solver() {
    for (loss, l1, l2, intercept, least, point) in GOLDEN {
        let rules = rules(if loss == Loss::Squared { 10.0 } else { 1.0 });
        let tolerance = if kinked(loss) { 1e-9 } else { 1e-12 };
        let goal = Goal { tolerance, rules: &rules, ..goal(loss, l1, l2, intercept) };
        let found = watched(&rows(loss), &goal, least);
        let case = format!("{loss:?} {l1} {l2} {intercept}: {found:?}");
        assert_eq!(found.ended, Ended::Certified, "{case}");
        assert!((found.objective / least - 1.0).abs() <= tolerance, "{case}");
        let all = found.weights.iter().chain(&found.intercept).zip(point);
        let enough = if kinked(loss) { 1e-4 } else { 1e-6 };
        assert!(all.clone().all(|(w, exact)| (w - exact).abs() <= enough * (1.0 + exact.abs())), "{case}");
        // Zeros are exact, and so are bounds but for those that only dual points of a kink hold.
        let exact = |(w, exact): (&f64, f64)| (*w == 0.0) == (exact == 0.0);
        let held = |(w, rule): (&f64, &Rule)| {
            [rule.bounds.low(), rule.bounds.high()].iter().all(|bound| *w == *bound || (w - bound).abs() > 1e-6)
        };
        assert!(all.clone().take(5).all(exact), "{case}");
        assert!(kinked(loss) || found.weights.iter().zip(&rules).all(held), "{case}");
    }
}

/// Checks that a factor f of the l2 penalty is equivalent to dividing the column by √f, whose weight is then √f times as large.
#[test]
fn factors_of_l2_are_columns_in_other_units() {
    let factors = [0.25, 4.0, 1.0, 100.0, 0.01];
    let rules = factors.map(|factor| rule(factor, -INFINITY, INFINITY));
    for loss in [Loss::Logistic, Loss::Squared, Loss::SquaredHinge, Loss::Poisson, Loss::Softmax, Loss::Ovr] {
        for intercept in [false, true] {
            let classes = if matches!(loss, Loss::Softmax | Loss::Ovr) { 3 } else { 1 };
            let plain = Goal { tolerance: 1e-15, classes, ..goal(loss, 0.0, 0.02, intercept) };
            let mut scaled = rows(loss);
            for (_, _, columns, values) in &mut scaled {
                values.iter_mut().zip(columns).for_each(|(x, j)| *x /= factors[*j as usize].sqrt());
            }
            let found = optimum(&examples(&rows(loss)), &Goal { rules: &rules, ..plain });
            let exact = optimum(&examples(&scaled), &plain);
            assert!((found.objective / exact.objective - 1.0).abs() < 1e-12, "{loss:?}: {found:?} {exact:?}");
            for (at, (w, v)) in found.weights.iter().zip(&exact.weights).enumerate() {
                let v = v / factors[at / classes].sqrt();
                assert!((w - v).abs() <= 1e-9 * (1.0 + v.abs()), "{loss:?} {at}: {w} is not {v}");
            }
        }
    }
}

/// Checks that an optimum is certified although weights are not unique: unpenalised indicators of a category sum to the constant column,
/// and another unpenalised column occurs twice.
#[test]
fn free_columns_that_say_the_same_are_certified() {
    for loss in [Loss::Logistic, Loss::Squared, Loss::SquaredHinge, Loss::Poisson] {
        for values in [2, 5] {
            let mut dice = Dice(3);
            let row = |i: usize| {
                let (x, group) = (dice.unit(), (i * 7 % 11) % values);
                let mut pairs = vec![(group as u32, 1.0), (5, x), (6, dice.unit()), (7, x)];
                pairs.retain(|pair| pair.1 != 0.0);
                let score = 0.3 * group as f64 - x + dice.unit();
                let (columns, numbers) = pairs.into_iter().unzip();
                (super::problem::label(loss, score), 1.0, columns, numbers)
            };
            let rows: Rows = (0..60).map(row).collect();
            // All but column 6 are free: the category, and one column twice.
            let rules: Vec<Rule> = (0..8).map(|j| rule(if j == 6 { 1.0 } else { 0.0 }, -INFINITY, INFINITY)).collect();
            for intercept in [true, false] {
                let goal = Goal { rules: &rules, tolerance: 1e-9, ..goal(loss, 0.0, 0.01, intercept) };
                let found = optimum(&examples(&rows), &goal);
                assert_eq!(found.ended, Ended::Certified, "{loss:?} {values} {intercept}: {found:?}");
            }
        }
    }
}

/// Returns the least objective that proximal gradient descent finds from the weights `start` (the intercept last). Derivatives are
/// difference quotients, so kinks are smoothed over a narrow width; the objective is always that of the exact loss.
fn descended(rows: &Rows, goal: &Goal, start: &[f64]) -> f64 {
    let total: f64 = rows.iter().map(|row| row.1).sum();
    let dim = start.len() - 1;
    let parts = |point: &[f64]| objective(rows, goal, &point[..dim], if goal.intercept { point[dim] } else { 0.0 });
    let smooth = Goal { l1: 0.0, l2: 0.0, ..*goal };
    let loss = |point: &[f64]| objective(rows, &smooth, &point[..dim], if goal.intercept { point[dim] } else { 0.0 });
    let mut least = parts(start);
    for width in if kinked(goal.loss) { vec![1e-1, 1e-2, 1e-3] } else { vec![1e-6] } {
        let (mut point, mut step) = (start.to_vec(), 1.0);
        for _ in 0..300 {
            // Slopes as differences over the width of the ramp.
            let mut gradient = vec![0.0; dim + 1];
            for (y, weight, columns, values) in rows {
                let dot: f64 = columns.iter().zip(values).map(|(&j, x)| point[j as usize] * x).sum();
                let m = dot + if goal.intercept { point[dim] } else { 0.0 };
                let value = |m: f64| super::problem::value(goal.loss, *y, m);
                let derivative = weight / total * (value(m + width) - value(m - width)) / (2.0 * width);
                columns.iter().zip(values).for_each(|(&j, x)| gradient[j as usize] += derivative * x);
                gradient[dim] += if goal.intercept { derivative } else { 0.0 };
            }
            let moved = |step: f64| -> Vec<f64> {
                let one = |(j, (w, g)): (usize, (&f64, &f64))| {
                    let Some(rule) = goal.rules.get(j) else { return w - step * g };
                    let target = w - step * g;
                    let drawn = (target.abs() - step * rule.factor * goal.l1).max(0.0).copysign(target);
                    rule.bounds.clamp(drawn / (1.0 + step * rule.factor * goal.l2))
                };
                point.iter().zip(&gradient).enumerate().map(one).collect()
            };
            let (here, mut next) = (loss(&point), moved(step));
            let model = |next: &[f64], step: f64| {
                let by = next.iter().zip(&point).zip(&gradient);
                here + by.map(|((a, b), g)| g * (a - b) + (a - b) * (a - b) / (2.0 * step)).sum::<f64>() + width
            };
            while loss(&next) > model(&next, step) && step > 1e-12 {
                step *= 0.5;
                next = moved(step);
            }
            point = next;
            step *= 1.1;
            let value = parts(&point);
            least = if value < least { value } else { least };
        }
    }
    least
}

/// Checks on small problems with all losses, with penalty factors (some of them 0) and bounds, that no certified gap is below the excess
/// over the least objective that another solver finds.
#[test]
fn no_certificate_is_below_the_true_gap() {
    let all = [Loss::Huber { delta: 0.5 }, Loss::Quantile { tau: 0.8 }, Loss::Tweedie { power: 1.3 }];
    let losses: Vec<Loss> = Loss::SCALAR.into_iter().chain(all).collect();
    let mut dice = Dice(5);
    let mut certified = 0;
    for case in 0..losses.len() * 24 {
        let loss = losses[case % losses.len()];
        let columns = 1 + case % 4;
        let row = |dice: &mut Dice| {
            let values: Vec<f64> = (0..columns).map(|_| dice.unit() * 2.0).collect();
            let label = super::problem::label(loss, values[0] + 1.5 * dice.unit());
            (label, 1.0 + dice.unit().abs(), (0..columns as u32).collect(), values)
        };
        let rows: Rows = (0..12 + case % 19).map(|_| row(&mut dice)).collect();
        let mut pick = |from: &[f64]| from[((dice.unit() + 1.0) * 0.5 * from.len() as f64) as usize];
        let rules: Vec<Rule> = (0..columns)
            .map(|_| {
                let (low, high) = (pick(&[-INFINITY, -INFINITY, 0.0, -0.2]), pick(&[INFINITY, INFINITY, 0.3, 1.0]));
                rule(pick(&[0.0, 0.0, 0.1, 1.0, 5.0]), low, high)
            })
            .collect();
        let (l1, l2) = [(0.0, 0.01), (0.02, 0.0), (0.05, 0.1), (0.0, 0.0), (0.0, 1.0)][case % 5];
        let goal = Goal { rules: &rules, ..goal(loss, l1, l2, case % 3 > 0) };
        let mut shown = Vec::new();
        let last = optimise(&examples(&rows), &goal, (&[], &[]), &|| false, &mut |best| shown.push(best.clone()));
        let last = last.expect("rows with weight");
        let start = |best: &Optimum| -> Vec<f64> {
            (0..columns).map(|j| best.weights.get(j).copied().unwrap_or(0.0)).chain([best.intercept[0]]).collect()
        };
        let least = descended(&rows, &goal, &vec![0.0; columns + 1]).min(descended(&rows, &goal, &start(&last)));
        let least = least.min(last.objective);
        for best in &shown {
            assert!(best.weights.iter().zip(&rules).all(|(w, rule)| rule.bounds.clamp(*w) == *w), "{goal:?} {best:?}");
            let missing = best.objective - least - 1e-12 * least.abs();
            assert!(best.gap.is_none_or(|gap| gap >= missing), "{case} {goal:?}: {best:?} for {missing}");
        }
        // Where anything at all is held, there is a certificate in the end.
        let held = rules.iter().any(|Rule { bounds, .. }| bounds.low() > -INFINITY && bounds.high() < INFINITY);
        let certifiable = l1 + l2 > 0.0 || held;
        assert_eq!(last.ended == Ended::Certified, certifiable, "{case} {goal:?}: {last:?}");
        certified += usize::from(certifiable);
    }
    assert!(certified > 250, "{certified} certified");
}

/// Checks certificates and bounds with 401 columns, for which the search uses coordinate descent or a preconditioner from a sample of
/// rows, but no matrix factorisation.
#[test]
fn many_columns_are_certified_within_their_bounds() {
    let mut dice = Dice(11);
    let rows: Rows = (0..100)
        .map(|_| {
            let mut column: Vec<u32> = (0..8).map(|_| ((dice.unit() + 1.0) * 200.0) as u32).collect();
            column.push(400);
            column.sort_unstable();
            column.dedup();
            let value: Vec<f64> = column.iter().map(|_| 1.0 + dice.unit()).collect();
            (f64::from(column[0].is_multiple_of(2)) * 2.0 - 1.0, 1.0, column, value)
        })
        .collect();
    let bounds = [(-INFINITY, INFINITY), (0.0, INFINITY), (-0.05, 0.05), (-INFINITY, 0.1)];
    // The last column, which all rows have, costs nothing.
    let of = |j: usize| rule([1.0, 0.5, 3.0][j % 3], bounds[j % 4].0, bounds[j % 4].1);
    let mut rules: Vec<Rule> = (0..400).map(of).collect();
    rules.push(rule(0.0, -INFINITY, INFINITY));
    for loss in [Loss::Logistic, Loss::Hinge, Loss::SquaredHinge, Loss::SmoothedHinge] {
        for (l1, l2, intercept) in [(0.0, 1e-3, true), (2e-3, 0.0, true), (1e-3, 1e-3, false)] {
            let goal = Goal { tolerance: 1e-7, rules: &rules, ..goal(loss, l1, l2, intercept) };
            let tight = optimum(&examples(&rows), &Goal { tolerance: 1e-9, ..goal });
            let found = watched(&rows, &goal, tight.objective);
            assert_eq!((found.ended, tight.ended), (Ended::Certified, Ended::Certified), "{loss:?} {l1} {l2}");
            let at_bound = found.weights.iter().zip(&rules).filter(|(w, rule)| **w != 0.0 && **w == rule.bounds.high());
            assert!(loss == Loss::Hinge || at_bound.count() > 5, "{loss:?} {l1} {l2}");
        }
    }
}

#[test]
fn classes_have_the_same_bounds_and_a_reason_where_nothing_holds_a_column() {
    let bounded = [rule(1.0, -0.25, 0.5); 5];
    let unheld = [rule(1.0, -INFINITY, INFINITY), rule(0.0, -INFINITY, INFINITY)];
    for loss in [Loss::Softmax, Loss::Ovr] {
        for (l1, l2) in [(0.0, 0.0), (0.01, 0.0), (0.0, 0.01)] {
            let goal = Goal { classes: 3, tolerance: 1e-9, rules: &bounded, ..goal(loss, l1, l2, true) };
            let found = optimum(&examples(&rows(loss)), &goal);
            assert_eq!(found.ended, Ended::Certified, "{goal:?}");
            assert!(found.weights.iter().all(|w| (-0.25..=0.5).contains(w)), "{found:?}");
            assert!(found.weights.contains(&-0.25) && found.weights.contains(&0.5), "{found:?}");
            let goal = Goal { rules: &unheld, ..goal };
            let found = optimum(&examples(&rows(loss)), &goal);
            let ended = if loss == Loss::Softmax || l1 + l2 == 0.0 { Ended::Decrement } else { Ended::Certified };
            assert_eq!((found.ended, found.gap.is_some()), (ended, ended == Ended::Certified), "{goal:?}");
            // Near the optimum all the same: a factor of 1e-9 costs next to nothing.
            let little = [unheld[0], rule(1e-9, -INFINITY, INFINITY)];
            let near = optimum(&examples(&rows(loss)), &Goal { rules: &little, ..goal });
            assert!((found.objective / near.objective - 1.0).abs() < 1e-7, "{goal:?}: {found:?} {near:?}");
        }
    }
}
