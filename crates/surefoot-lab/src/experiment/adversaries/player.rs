//! Online learners that play against an adversary, and sources of hints for them.

use surefoot::{Hinted, Learner, Vector};

use super::DIM;
use crate::Random;

pub(super) trait Player {
    fn at(&self, i: usize) -> f64;
    fn tell(&mut self, weight: f64, gradient: &[f64]);
    /// Returns the upper bound on the regret so far: over the whole domain if the learner has such a bound, otherwise against comparators
    /// at this distance.
    fn bound(&self, distance: f64) -> f64;
    fn takes_hints(&self) -> bool;
    fn hint(&mut self, weight: f64, hint: &[f64]);
}

struct Plain<L>(L);

impl<L: Learner<f64>> Player for Plain<L> {
    fn at(&self, i: usize) -> f64 {
        self.0.at(i)
    }

    fn tell(&mut self, weight: f64, gradient: &[f64]) {
        self.0.tell(weight, gradient);
    }

    fn bound(&self, distance: f64) -> f64 {
        self.0.regret_bound().or_else(|| self.0.regret_bound_at(distance)).unwrap_or(f64::NAN)
    }

    fn takes_hints(&self) -> bool {
        false
    }

    fn hint(&mut self, _: f64, _: &[f64]) {}
}

struct WithHints<L>(Plain<L>);

impl<L: Hinted<f64>> Player for WithHints<L> {
    fn at(&self, i: usize) -> f64 {
        self.0.at(i)
    }

    fn tell(&mut self, weight: f64, gradient: &[f64]) {
        self.0.tell(weight, gradient);
    }

    fn bound(&self, distance: f64) -> f64 {
        self.0.bound(distance)
    }

    fn takes_hints(&self) -> bool {
        true
    }

    fn hint(&mut self, weight: f64, hint: &[f64]) {
        self.0.0.hint(weight, hint);
    }
}

pub(super) fn plain(learner: impl Learner<f64> + 'static) -> Box<dyn Player> {
    Box::new(Plain(learner))
}

pub(super) fn hinted(learner: impl Hinted<f64> + 'static) -> Box<dyn Player> {
    Box::new(WithHints(Plain(learner)))
}

/// Deliberate mistake (planted error): plays the iterates of learner `seen` but claims the regret bound of learner `told`; both receive
/// the same gradients.
pub(super) struct Shadow {
    pub(super) seen: Box<dyn Player>,
    pub(super) told: Box<dyn Player>,
}

impl Player for Shadow {
    fn at(&self, i: usize) -> f64 {
        self.seen.at(i)
    }

    fn tell(&mut self, weight: f64, gradient: &[f64]) {
        self.seen.tell(weight, gradient);
        self.told.tell(weight, gradient);
    }

    fn bound(&self, distance: f64) -> f64 {
        self.told.bound(distance)
    }

    fn takes_hints(&self) -> bool {
        self.told.takes_hints()
    }

    fn hint(&mut self, weight: f64, hint: &[f64]) {
        self.seen.hint(weight, hint);
        self.told.hint(weight, hint);
    }
}

/// Deliberate mistake (planted error): plays the iterates of a learner with the opposite sign, but claims its regret bound.
pub(super) struct Reversed(pub(super) Box<dyn Player>);

impl Player for Reversed {
    fn at(&self, i: usize) -> f64 {
        -self.0.at(i)
    }

    fn tell(&mut self, weight: f64, gradient: &[f64]) {
        self.0.tell(weight, gradient);
    }

    fn bound(&self, distance: f64) -> f64 {
        self.0.bound(distance)
    }

    fn takes_hints(&self) -> bool {
        self.0.takes_hints()
    }

    fn hint(&mut self, weight: f64, hint: &[f64]) {
        self.0.hint(weight, hint);
    }
}

/// Learner whose iterate is this value in all coordinates and never changes.
pub(super) struct Resting(pub(super) f64);

impl Learner<f64> for Resting {
    fn dim(&self) -> usize {
        DIM
    }

    fn at(&self, _: usize) -> f64 {
        self.0
    }

    fn tell<V: Vector<f64> + ?Sized>(&mut self, _: f64, _: &V) {}
}

impl Hinted<f64> for Resting {
    fn hint<V: Vector<f64> + ?Sized>(&mut self, _: f64, _: &V) {}
}

/// Source of the hints, which predict the gradient of the next round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hinting {
    None,
    Last,
    Noisy,
    Exact,
}

impl Hinting {
    /// Returns all sources of hints to be tried with a learner; only [`Hinting::None`] if it takes no hints.
    pub(super) fn of(player: &dyn Player) -> &'static [Hinting] {
        if player.takes_hints() { &[Self::None, Self::Last, Self::Noisy, Self::Exact] } else { &[Self::None] }
    }

    pub(super) fn hint(
        self,
        player: &mut dyn Player,
        weight: f64,
        last: &[f64],
        foreseen: Option<&[f64]>,
        random: &mut Random,
    ) {
        match (self, foreseen) {
            (Self::Last, _) => player.hint(weight, last),
            (Self::Noisy, _) => {
                // Noise is scaled to the gradient, since a hint of size 1 would round away a gradient of 1e-100.
                let size = last.iter().fold(0.0_f64, |size, g| size.max(g.abs()));
                let noisy: Vec<f64> = last.iter().map(|g| g + 0.3 * size * random.normal()).collect();
                player.hint(weight, &noisy);
            }
            (Self::Exact, Some(gradient)) => player.hint(weight, gradient),
            (Self::Exact | Self::None, _) => {}
        }
    }
}
