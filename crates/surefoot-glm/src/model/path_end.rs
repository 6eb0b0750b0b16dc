//! Whether the penalty chosen on a path (a grid of penalties) lies at an end of the path.

use super::{summary::PathPoint, trained_model::Model};
use std::fmt;

/// End of a penalty path, a descending grid of penalties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// The heaviest penalty of the path was chosen.
    Heaviest,
    /// The lightest penalty of a path that does not go down to a penalty of 0 was chosen.
    Lightest,
    /// A penalty of 0 was chosen, on a path that ends with it.
    Without,
}

impl PathEnd {
    /// Returns the name of this end in JSON output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PathEnd::Heaviest => "heaviest",
            PathEnd::Lightest => "lightest",
            PathEnd::Without => "none",
        }
    }
}

impl fmt::Display for PathEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PathEnd::Heaviest => {
                "the heaviest penalty of the path is taken: what the weights that it holds add to the rest is hardly worth having"
            }
            PathEnd::Lightest => {
                "the lightest penalty of the path is taken: lighter ones explain no more of the rows, and without one there is no optimum"
            }
            PathEnd::Without => "no penalty is taken: on held-out rows none of the path does better",
        })
    }
}

impl Model {
    /// Returns the end of the penalty path at which the model's penalty was chosen; `None` if it lies inside the path,
    /// or if there is no path.
    #[must_use]
    pub fn path_end(&self) -> Option<PathEnd> {
        let (path, penalty) = (&self.summary.path, &self.settings.penalty);
        let is_taken = |point: &PathPoint| (point.l1, point.l2) == (penalty.l1, penalty.l2);
        let (first, last) = (path.first()?, path.last()?);
        // A penalty of 0 is the last of its path.
        let is_none = (last.l1 == 0.0 && first.l1 > 0.0) || (last.l2 == 0.0 && first.l2 > 0.0);
        match (is_taken(first), is_taken(last)) {
            _ if path.len() < 2 => None,
            (true, _) => Some(PathEnd::Heaviest),
            (_, true) => Some(if is_none { PathEnd::Without } else { PathEnd::Lightest }),
            _ => None,
        }
    }
}
