//! State of the default online learners that is not kept per coordinate, for single-margin and multiclass losses.

use super::{
    averaging::Averaging,
    constant::Constant,
    label_units::LabelUnits,
    mixture_weights::{MixtureWeights, shortest},
    shrinkage::Shrinkage,
    stacking::Stacking,
    step_sizes,
    terms::Terms,
};
use crate::{
    loss::Loss,
    model::{
        settings::{Penalty, Settings},
        state::State,
        summary::{ConstantLane, Mixture},
    },
    simd::lanes::{LANES, Lanes},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// State of the default online learner that is not kept per coordinate: number of rows learnt, units of stored numbers,
/// mixture weights, constant prediction, stacking and shrinkage by the penalty.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Scalars {
    pub(super) averaging: Averaging,
    #[serde(rename = "label_units")]
    pub(super) units: LabelUnits,
    pub(super) mixture: MixtureWeights,
    /// Statistics of the constant prediction, for losses with a single margin.
    #[serde(default)]
    pub(super) constant: Constant,
    /// Linear correction of the mixture; `None` if the loss has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) stacking: Option<Stacking>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) shrinkage: Option<Shrinkage>,
}

/// Reason reported for a missing certificate: the weights are neither bounded nor penalised.
pub(super) const UNBOUNDED: &str = "the weights are neither bounded nor penalised: --radius R gives one (with --row-norm B also where rows come only once), \
     and so does --l2 X --passes auto";

impl Scalars {
    /// Returns the state of an untrained learner. With `full_mixture` the best constant so far (if the
    /// model has an intercept) and stacking are part of the model.
    pub(super) fn new(settings: &Settings, full_mixture: bool) -> Scalars {
        let (loss, has_constant) = (settings.loss, settings.intercept && full_mixture);
        Scalars {
            averaging: Averaging::new(),
            units: LabelUnits::new(loss),
            mixture: MixtureWeights::new(loss, has_constant),
            stacking: Stacking::new(loss).filter(|_| full_mixture),
            constant: Constant::default(),
            shrinkage: Shrinkage::new(settings),
        }
    }

    /// Parses the state stored in a model, and checks that its numbers are within their ranges.
    pub(super) fn parse(settings: &Settings, value: &Value) -> Result<Scalars, String> {
        let scalars = State::parse::<Scalars>(value)?;
        scalars.averaging.check()?;
        scalars.units.check(settings.loss)?;
        scalars.mixture.check()?;
        scalars.stacking.as_ref().map_or(Ok(()), Stacking::check)?;
        scalars.constant.check()?;
        scalars.shrinkage.as_ref().map_or(Ok(()), |shrinkage| shrinkage.check(settings))?;
        Ok(scalars)
    }

    /// Parses the state of a run to be resumed. If that run had no penalty but the settings now have one, shrinkage by
    /// the penalty is based on the rows learnt from now on.
    pub(super) fn resume(settings: &Settings, value: &Value) -> Result<Scalars, String> {
        let mut scalars = Scalars::parse(settings, value)?;
        if scalars.shrinkage.is_none() {
            let penalty = Penalty { path: None, ..settings.penalty };
            scalars.shrinkage = Shrinkage::new(&Settings { penalty, ..settings.clone() });
        }
        Ok(scalars)
    }

    /// Returns, for each lane (one of the learners trained side by side), the factor that converts its points (average
    /// and iterate, without step-size scale) to weights, for margins divided by their unit.
    fn scales(&self, loss: Loss) -> Lanes {
        let labels = self.units.scale(loss) as f32;
        Lanes(step_sizes::grid(loss).0.map(|scale| scale * labels))
    }

    /// Returns the terms for losses with a single margin, whose model contains the constant prediction.
    pub(super) fn terms(&self, loss: Loss, intercept: bool, sign: f64) -> Terms {
        self.terms_with(loss, intercept, sign, self.constant_margin(loss))
    }

    /// Returns the margin of the constant prediction, in the unit of margins; 0 if it is not mixed with the lanes
    /// (learners trained side by side).
    pub(super) fn constant_margin(&self, loss: Loss) -> f64 {
        if self.mixture.has_constant() { self.constant.margin(loss, &self.units) } else { 0.0 }
    }

    /// Returns the terms of a model whose constant prediction has the given margin, in the unit of margins.
    pub(super) fn terms_with(&self, loss: Loss, intercept: bool, sign: f64, constant: f64) -> Terms {
        let (terms, coefficient) = self.terms_without_constant(loss, intercept, sign);
        terms.with_constant(coefficient * constant)
    }

    /// Returns the terms without the constant prediction, and its coefficient in the model's margins; 0 with a log link,
    /// where the offset of all margins is the constant prediction.
    pub(super) fn terms_without_constant(&self, loss: Loss, intercept: bool, sign: f64) -> (Terms, f64) {
        let (scales, (share, rest)) = (self.scales(loss), self.mixture.constant_share());
        let correction = self.stacking.as_ref().map(Stacking::correction).unwrap_or_default();
        let coefficient = |k: usize| f64::from(self.mixture.shares().0[k]) * rest + correction[k];
        let factor = sign * self.units.margin();
        let constant = if loss.variance_power().is_some() { 0.0 } else { factor * (share + correction[LANES]) };
        let terms = Terms {
            averaging: self.averaging,
            scales,
            parts: Lanes(std::array::from_fn(|k| (f64::from(scales.0[k]) * coefficient(k)) as f32)),
            factor,
            offset: self.units.offset(intercept),
            shrink_step: self.shrinkage.as_ref().map(|shrinkage| shrinkage.shrink_step(sign)),
        };
        (terms, constant)
    }

    /// Returns the members of the mixture: the lanes (learners trained side by side) and the constant prediction.
    pub(super) fn members(&self, loss: Loss) -> Mixture {
        let (grid, (share, _)) = (step_sizes::grid(loss), self.mixture.constant_share());
        let correction = self.stacking.as_ref().map(Stacking::correction);
        let coefficient = |k: usize, share: f64| correction.map(|correction| share + correction[k]);
        let mut lanes = self.mixture.lanes(grid);
        for (k, lane) in lanes.iter_mut().enumerate() {
            lane.coefficient = coefficient(k, lane.share);
        }
        Mixture {
            lanes,
            leader: Some(shortest(grid.0[self.mixture.leader()])),
            constant: self
                .mixture
                .has_constant()
                .then(|| ConstantLane { share, coefficient: coefficient(LANES, share) }),
        }
    }
}

/// Converts a gradient, as a multiple of the unit of gradients, to f32, and replaces it by 0 if it is below 2⁻³⁰. So
/// small a gradient changes nothing, and the square of a still smaller one would be subnormal, which makes arithmetic a
/// hundred times slower.
pub(super) fn flushed(g: f64) -> f32 {
    const LEAST: f64 = 1.0 / (1_u64 << 30) as f64;
    // NaN, the product of 0 and an infinite factor, becomes 0.
    if g.abs() >= LEAST { (g as f32).clamp(f32::MIN, f32::MAX) } else { 0.0 }
}
