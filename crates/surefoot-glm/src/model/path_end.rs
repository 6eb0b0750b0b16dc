//! Detection of a penalty that was chosen at an end of its path.

use super::{summary::PathPoint, trained_model::Model};
use std::fmt;

/// An end of a penalty path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// The heaviest penalty of the path.
    Heaviest,
    /// The lightest penalty of a path that does not end with a penalty of 0.
    Lightest,
    /// A penalty of 0, the end of a path that has one.
    Without,
}

impl PathEnd {
    /// Returns the name of the end in JSON.
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
    /// Returns the end of the path at which the penalty was chosen; `None` if the penalty was chosen inside the path
    /// or without a path.
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
