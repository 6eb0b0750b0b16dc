//! Checks for contradictory settings of a fit, made before any data are read.

use crate::{data::Data, fit::Fit, setting::Contradiction};
use surefoot_glm::{Bounds, Penalty};

impl Fit<'_> {
    /// Checks that the settings of the fit contradict neither each other nor the kind of data, such as data that can be read only once.
    ///
    /// # Errors
    /// The first contradiction found.
    pub fn check(&self, data: &Data) -> Result<(), Contradiction> {
        self.check_ball()?;
        self.settings.check_ranges().map_err(Contradiction::Range)?;
        self.check_plan()?;
        self.check_gap(data)
    }

    fn check_ball(&self) -> Result<(), Contradiction> {
        let (settings, wanted) = (&self.settings, &self.options.wanted);
        let (penalty, ball) = (settings.penalty, settings.ball.is_some());
        let bounded = !penalty.bounds.is_free() || !settings.groups.is_empty();
        let is_penalised = penalty.l1 > 0.0 || penalty.l2 > 0.0 || penalty.path.is_some();
        let weighted = settings.class_weights.is_some();
        let found = [
            (ball && (!penalty.is_none() || bounded), Contradiction::BallAndPenalty),
            (!settings.groups.factors.is_empty() && !is_penalised, Contradiction::FactorsWithoutPenalty),
            (ball && weighted, Contradiction::BallAndClassWeights),
            (ball && settings.loss.is_multiclass(), Contradiction::BallAndClasses(settings.loss)),
            (wanted.trials.is_some() && (ball || weighted), Contradiction::TrialsAndBallOrClassWeights),
            (ball && (wanted.offset.is_some() || wanted.exposure.is_some()), Contradiction::BallAndOffsets),
        ];
        first(found)
    }

    fn check_plan(&self) -> Result<(), Contradiction> {
        let (settings, plan) = (&self.settings, self.plan);
        let optimum = plan.optimum.is_some();
        let chosen = settings.penalty.path.is_some() && settings.loss.is_multiclass();
        let tolerance = plan.optimum.is_none_or(|tolerance| tolerance > 0.0 && tolerance.is_finite());
        let found = [
            (!tolerance, Contradiction::Range("the tolerance of the optimum is to be above 0".to_owned())),
            (optimum && settings.ball.is_some(), Contradiction::BallAndOptimum),
            (optimum && plan.holdout.is_some(), Contradiction::HoldoutAndOptimum),
            (!optimum && chosen, Contradiction::ChoiceNeedsOptimum(settings.loss)),
            (plan.passes == 0 || plan.holdout.is_some_and(|period| period < 2), Contradiction::Passes),
        ];
        first(found)
    }

    /// If `until_gap` is set, checks that it is positive and that the run will yield certified bounds on the excess loss to compare with
    /// it.
    fn check_gap(&self, data: &Data) -> Result<(), Contradiction> {
        let Some(gap) = self.until_gap else { return Ok(()) };
        if !(gap > 0.0 && gap.is_finite()) {
            return Err(Contradiction::Range("the gap to stop at is to be above 0".to_owned()));
        }
        if self.plan.optimum.is_some() {
            let Penalty { l1, l2, path, bounds, .. } = self.settings.penalty;
            let is_box = |bounds: Bounds| bounds.low().is_finite() && bounds.high().is_finite();
            let boxed = is_box(bounds) || self.settings.groups.bounds.iter().any(|(_, bounds)| is_box(*bounds));
            let penalised = l1 > 0.0 || l2 > 0.0 || path.is_some() || boxed;
            return if penalised { Ok(()) } else { Err(Contradiction::GapWithoutPenalty) };
        }
        let Some(ball) = self.settings.ball else { return Err(Contradiction::GapWithoutBall) };
        let twice = self.plan.passes > 1 || self.shuffle.is_some() || data.can_reread();
        match (ball.row_norm, self.settings.loss.classifies()) {
            _ if twice => Ok(()),
            (Some(_), true) => Ok(()),
            (None, true) => Err(Contradiction::GapNeedsRowNorm),
            (_, false) => Err(Contradiction::GapNeedsClasses),
        }
    }
}

/// Returns the first contradiction whose condition (the `bool`) is true, as an error.
fn first<const N: usize>(found: [(bool, Contradiction); N]) -> Result<(), Contradiction> {
    found.into_iter().find(|(holds, _)| *holds).map_or(Ok(()), |(_, contradiction)| Err(contradiction))
}
