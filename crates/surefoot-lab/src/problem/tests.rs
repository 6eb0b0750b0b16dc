//! Tests of gradient oracles against finite differences, and of minima against optimality conditions.

use super::*;

fn all() -> Vec<(&'static str, Box<dyn Problem>)> {
    vec![
        ("chain", Box::new(Chain::new(9, 0.0))),
        ("max", Box::new(Max::new(5, 0.0))),
        ("max, curved", Box::new(Max::new(5, 1.0))),
        ("valley", Box::new(Valley::new(3, 0.7, 0.3, 0.0))),
        ("valley, outside", Box::new(Valley::new(3, 0.7, 0.3, 0.0).at(1.1))),
        ("edge", Box::new(Valley::new(3, 0.7, 0.0, 0.0).at(0.2))),
        ("linear", Box::new(Linear::new(3, 0.1, 0.0))),
        ("bowl", Box::new(Bowl::new(3, 0.0))),
        ("diagonal", Box::new(Diagonal::new(6, 1e-3))),
        ("absolute", Box::new(Absolute::new(4, 20, 0.5, 6.0))),
        ("logistic", Box::new(Logistic::new(5, 200, 0.5, 8.0, Some(3.0)))),
        ("logistic, ridge", Box::new(Logistic::new(5, 200, 0.5, 8.0, Some(3.0)).penalised(0.05))),
        ("logistic, free", Box::new(Logistic::new(5, 200, 0.0, 6.0, None))),
    ]
}

fn somewhere(dim: usize, radius: f64, random: &mut Random) -> Vec<f64> {
    let x: Vec<f64> = (0..dim).map(|_| random.normal()).collect();
    let length = radius * random.unit() / norm(&x);
    x.iter().map(|x| length * x).collect()
}

#[test]
fn gradients_are_slopes_of_the_excess() {
    let mut random = Random::new(3, "slopes", 0);
    for (name, problem) in all() {
        let (dim, mut g) = (problem.dim(), vec![0.0; problem.dim()]);
        for _ in 0..20 {
            let x = somewhere(dim, problem.facts().radius, &mut random);
            let step = somewhere(dim, 1e-6, &mut random);
            let [to, from] = [1.0, -1.0].map(|s| x.iter().zip(&step).map(|(x, d)| x + s * d).collect::<Vec<_>>());
            problem.gradient(&x, &mut random, &mut g);
            let (slope, found) = (2.0 * dot(&g, &step), problem.excess(&to) - problem.excess(&from));
            assert!((slope - found).abs() < 1e-9, "{name}: {slope:e} {found:e}");
        }
    }
}

/// Computed gradients are subgradients, L(x) + ⟨g, u − x⟩ ≤ L(u), and no point has a smaller loss than the known
/// minimum.
#[test]
fn oracles_are_convex_and_minima_are_minima() {
    let mut random = Random::new(4, "convex", 0);
    for (name, problem) in all() {
        let (dim, radius, mut g) = (problem.dim(), problem.facts().radius, vec![0.0; problem.dim()]);
        for _ in 0..300 {
            let [x, u] = [(); 2].map(|()| somewhere(dim, radius, &mut random));
            problem.gradient(&x, &mut random, &mut g);
            let cut = problem.excess(&x) + dot(&g, &u) - dot(&g, &x);
            assert!(cut <= problem.excess(&u) + 1e-12, "{name}");
            assert!(problem.excess(&x) >= -1e-12, "{name}: {:e}", problem.excess(&x));
            assert!(norm(&g) <= problem.facts().gradient * (1.0 + 1e-12), "{name}");
        }
    }
}

/// Logistic regression: the Frank–Wolfe gap ⟨g, x*⟩ + r‖g‖ is 0 at the computed minimiser x* over the ball of radius r.
#[test]
fn solutions_of_logistic_regression() {
    for (radius, steep) in [(Some(3.0), 8.0), (None, 6.0)] {
        let problem = Logistic::new(5, 200, 0.5, steep, radius);
        let (x, mut g) = (problem.solution().to_vec(), vec![0.0; 5]);
        problem.gradient(&x, &mut Random::new(0, "", 0), &mut g);
        let gap = dot(&g, &x) + problem.facts().radius * norm(&g);
        assert!(gap.abs() < 1e-12, "{gap:e}");
        assert!(problem.excess(&x).abs() < 1e-15);
        assert!(norm(&x) <= problem.facts().radius * (1.0 + 1e-12));
    }
}

#[test]
fn streams_have_the_mean_of_the_whole() {
    let whole = Logistic::new(4, 50, 0.5, 8.0, Some(3.0));
    let (x, mut random) = (vec![0.3; 4], Random::new(5, "stream", 0));
    let (mut exact, mut one, mut sum) = (vec![0.0; 4], vec![0.0; 4], vec![0.0; 4]);
    whole.gradient(&x, &mut random, &mut exact);
    let stream = whole.stream(10);
    for _ in 0..20_000 {
        stream.gradient(&x, &mut random, &mut one);
        sum.iter_mut().zip(&one).for_each(|(s, g)| *s += g / 20_000.0);
    }
    assert!(sum.iter().zip(&exact).all(|(s, g)| (s - g).abs() < 2e-3), "{sum:?} {exact:?}");
}

#[test]
fn noise_has_its_second_moment() {
    let (problem, mut random, mut g) = (Bowl::new(7, 2.0), Random::new(6, "noise", 0), vec![0.0; 7]);
    let moment = (0..20_000).map(|_| {
        problem.gradient(&[0.0; 7], &mut random, &mut g);
        dot(&g, &g) / 20_000.0
    });
    let moment: f64 = moment.sum();
    assert!((moment - 4.0).abs() < 0.1, "{moment}");
}

/// The resisting oracle reveals only the first of the largest coordinates, the open oracle all of them.
#[test]
fn the_resisting_oracle_resists() {
    let mut g = [0.0; 4];
    let mut random = Random::new(0, "", 0);
    Max::new(4, 0.0).gradient(&[0.0; 4], &mut random, &mut g);
    assert_eq!(g, [1.0, 0.0, 0.0, 0.0]);
    Max::new(4, 0.0).open().gradient(&[0.0; 4], &mut random, &mut g);
    assert_eq!(g, [0.25; 4]);
}
