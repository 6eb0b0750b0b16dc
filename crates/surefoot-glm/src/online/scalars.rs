//! What the lanes remember besides coordinates, the same for one margin and for many.

use super::{
    averaging::Clock,
    label_units::Units,
    mixture_weights::{Lead, shortest},
    shrinkage::Shrink,
    step_sizes::Pace,
    terms::Terms,
};
use crate::{
    loss::Loss,
    model::{
        settings::{Penalty, Settings},
        state::State,
        summary::Lane,
    },
    simd::lanes::{LANES, Lanes},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that is not kept a coordinate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Scalars {
    pub(super) clock: Clock,
    pub(super) units: Units,
    pub(super) lead: Lead,
    pub(super) pace: Pace,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) shrink: Option<Shrink>,
}

/// Why there is no certificate.
pub(super) const UNBOUNDED: &str = "the weights are neither bounded nor penalised: --radius R gives one (with --row-norm B also where rows come only once), \
     and so does --l2 X --passes auto";

impl Scalars {
    /// Before the first row.
    pub(super) fn new(settings: &Settings) -> Scalars {
        let loss = settings.loss;
        Scalars {
            clock: Clock::new(),
            units: Units::new(loss),
            lead: Lead::new(Pace::grid(loss)),
            pace: Pace::default(),
            shrink: Shrink::new(settings),
        }
    }

    /// From what a model holds.
    pub(super) fn parse(settings: &Settings, value: &Value) -> Result<Scalars, String> {
        let scalars = State::parse::<Scalars>(value)?;
        scalars.clock.check()?;
        scalars.units.check(settings.loss)?;
        scalars.lead.check()?;
        scalars.pace.check()?;
        scalars.shrink.as_ref().map_or(Ok(()), |shrink| shrink.check(settings))?;
        Ok(scalars)
    }

    /// Loads the scalars of a run that goes on. Lanes that have learnt without the penalty that is now in force begin to be
    /// drawn by it.
    pub(super) fn resume(settings: &Settings, value: &Value) -> Result<Scalars, String> {
        let mut scalars = Scalars::parse(settings, value)?;
        if scalars.shrink.is_none() {
            let penalty = Penalty { path: None, ..settings.penalty };
            scalars.shrink = Shrink::new(&Settings { penalty, ..settings.clone() });
        }
        Ok(scalars)
    }

    /// By what a lane's points are multiplied to become margins, in their unit.
    fn scales(&self, loss: Loss) -> Lanes {
        let labels = self.units.scale(loss) as f32;
        Lanes(self.pace.scales(loss).0.map(|scale| scale * labels))
    }

    pub(super) fn terms(&self, loss: Loss, intercept: bool, sign: f64) -> Terms {
        let scales = self.scales(loss);
        Terms {
            clock: self.clock,
            scales,
            parts: scales * self.lead.shares(),
            factor: sign * self.units.margin(),
            offset: self.units.offset(intercept),
            pull: self.shrink.as_ref().map(|shrink| shrink.pull(sign)),
        }
    }

    /// The lanes, and the scale of the one that leads.
    pub(super) fn lanes(&self, loss: Loss) -> (Vec<Lane>, Option<f64>) {
        let grid = Pace::grid(loss);
        (self.lead.lanes(grid), Some(shortest(grid.0[self.lead.leader()])))
    }

    /// Which end of the grid the leading lane is at: −1, 0 or 1.
    pub(super) fn edge(&self) -> i8 {
        match self.lead.leader() {
            0 => -1,
            k if k == LANES - 1 => 1,
            _ => 0,
        }
    }
}

/// A gradient in its unit as f32, 0 where it is below 2⁻³⁰: a lane that is that sure learns nothing, and the square
/// of a smaller number would be subnormal, which costs a hundred times the time.
pub(super) fn flushed(g: f64) -> f32 {
    const LEAST: f64 = 1.0 / (1_u64 << 30) as f64;
    // Nothing times a factor that has overflowed is still nothing.
    if g.abs() >= LEAST { (g as f32).clamp(f32::MIN, f32::MAX) } else { 0.0 }
}
