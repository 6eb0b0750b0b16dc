//! The learner of the lanes in plain f64, without what matters only in the first rows (best constant, stacking).

/// Number of lanes, the learners trained side by side with different step-size scales.
pub(super) const LANES: usize = 4;
type Four = [f64; LANES];

/// Interpolation parameter: gradients are taken at β·average + (1 − β)·iterate.
const BETA: f64 = 0.4;

/// Loss of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Logistic loss, labels −1 and +1.
    Logistic,
    /// Half the squared error.
    Squared,
    /// Poisson deviance with a log link.
    Poisson,
}

impl Link {
    /// Loss of margin `m` for label `y`, less the least that the label can have.
    #[must_use]
    pub fn value(self, y: f64, m: f64) -> f64 {
        match self {
            Link::Logistic => (-y * m).max(0.0) + (-(y * m).abs()).exp().ln_1p(),
            Link::Squared => 0.5 * (m - y) * (m - y),
            Link::Poisson => m.min(500.0).exp() - y * m - if y > 0.0 { y - y * y.ln() } else { 0.0 },
        }
    }

    fn derivative(self, y: f64, m: f64) -> f64 {
        match self {
            Link::Logistic => -y / (1.0 + (y * m).exp()),
            Link::Squared => m - y,
            Link::Poisson => m.min(500.0).exp() - y,
        }
    }

    fn grid(self) -> Four {
        if self == Link::Squared { [0.3, 1.0, 3.0, 10.0] } else { [0.1, 0.3, 1.0, 3.0] }
    }
}

/// Rows of a data set; the intercept is no feature.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    /// Labels: −1 and +1 for logistic loss.
    pub label: Vec<f64>,
    /// Start of each row in `index` and `value`, and the end of the last.
    pub start: Vec<usize>,
    /// Features, numbered from 0.
    pub index: Vec<u32>,
    /// Values of the features.
    pub value: Vec<f64>,
}

impl Examples {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.label.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.label.is_empty()
    }

    /// Number of features.
    #[must_use]
    pub fn features(&self) -> usize {
        self.index.iter().max().map_or(0, |&most| most as usize + 1)
    }

    /// Appends a row.
    pub fn push(&mut self, label: f64, pairs: impl Iterator<Item = (u32, f64)>) {
        if self.start.is_empty() {
            self.start.push(0);
        }
        self.label.push(label);
        for (index, value) in pairs {
            self.index.push(index);
            self.value.push(value);
        }
        self.start.push(self.index.len());
    }

    fn pairs(&self, r: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.start[r]..self.start[r + 1];
        self.index[range.clone()].iter().map(|&j| j as usize).zip(self.value[range].iter().copied())
    }
}

/// State of one coordinate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Coordinate {
    pub(super) theta: Four,
    pub(super) average: Four,
    pub(super) squares: Four,
    pub(super) hint: Four,
    pub(super) step: f64,
    pub(super) updates: f64,
    /// Largest |x| so far; 0 before the first.
    pub(super) scale: f64,
}

/// Learners with four step-size scales and their mixture.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    link: Link,
    pub(super) coordinates: Vec<Coordinate>,
    /// Rows learnt.
    pub(super) rows: f64,
    /// Mean square of the labels, mean label, and their number.
    labels: [f64; 3],
    statistic: Four,
    wrong_side: Four,
    /// Discounted sums of loss and weight.
    recent: [f64; 2],
    pub(super) shares: Four,
}

/// Margins of the lanes at their output and query points, and that of the model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Margins {
    pub(super) output: Four,
    pub(super) query: Four,
    pub(super) model: f64,
}

/// Gradient sums of a round for one coordinate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) gradient: Four,
    pub(super) squares: Four,
    pub(super) count: f64,
}

impl Sums {
    /// Adds a row with the value `x` and the derivatives `g`.
    pub(super) fn add(&mut self, x: f64, g: &Four) {
        for ((gradient, squares), g) in self.gradient.iter_mut().zip(&mut self.squares).zip(g) {
            *gradient += g * x;
            *squares += g * x * g * x;
        }
        self.count += 1.0;
    }
}

/// Total charges of rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Charges {
    values: Four,
    wrong_side: Four,
    mixture: f64,
    squares: f64,
    labels: f64,
    pub(super) rows: f64,
}

fn each(f: impl Fn(usize) -> f64) -> Four {
    std::array::from_fn(f)
}

impl Coordinate {
    fn rates(&self) -> Four {
        let damping = self.updates / (self.updates + 4.0);
        each(|k| (damping / (self.squares[k] + 1e-38)).sqrt())
    }

    /// Averages at round `t`, and directions of the iterates.
    pub(super) fn points(&self, t: f64) -> (Four, Four) {
        let rates = self.rates();
        let direction = each(|k| (self.theta[k] + self.hint[k]) * rates[k]);
        let share = 1.0 - (self.step / t).powf(1.5);
        (each(|k| self.average[k] + (direction[k] - self.average[k]) * share), direction)
    }

    fn raise(&mut self, value: f64) {
        if value.abs() > self.scale {
            let ratio = self.scale / value.abs();
            self.theta.iter_mut().chain(&mut self.hint).for_each(|x| *x *= ratio);
            self.squares.iter_mut().for_each(|x| *x *= ratio * ratio);
            self.scale = value.abs();
        }
    }

    /// Ends the rounds up to `t` in which the iterate stayed where it is.
    pub(super) fn advance(&mut self, t: f64) {
        self.average = self.points(t).0;
        self.step = t;
    }
}

impl Lanes {
    pub(super) fn new(link: Link, features: usize) -> Lanes {
        let mut coordinates = vec![Coordinate::default(); features + 1];
        coordinates[features].scale = 1.0;
        let grid = link.grid();
        let mut lanes = Lanes {
            link,
            coordinates,
            rows: 0.0,
            labels: [0.0; 3],
            statistic: each(|k| 2.0 * (grid[k] / grid[0]).ln()),
            wrong_side: [0.0; LANES],
            recent: [0.0; 2],
            shares: [0.0; LANES],
        };
        lanes.share();
        lanes
    }

    fn scales(&self) -> Four {
        let sigma = if self.link == Link::Squared { self.labels[0].sqrt() } else { 1.0 };
        self.link.grid().map(|scale| scale * sigma)
    }

    fn offset(&self) -> f64 {
        if self.link != Link::Poisson {
            return 0.0;
        }
        if self.labels[1] > 0.0 { self.labels[1].ln() } else { -(self.rows + 1.0).ln() }
    }

    pub(super) fn margins(&self, rows: &Examples, r: usize, t: f64, of: impl Fn(usize) -> Coordinate) -> Margins {
        let (mut output, mut direction) = ([0.0; LANES], [0.0; LANES]);
        for (j, x) in rows.pairs(r).chain([(self.coordinates.len() - 1, 1.0)]) {
            let c = of(j);
            if c.scale > 0.0 {
                let (average, towards) = c.points(t);
                for k in 0..LANES {
                    output[k] += average[k] * x / c.scale;
                    direction[k] += towards[k] * x / c.scale;
                }
            }
        }
        let (scales, offset) = (self.scales(), self.offset());
        let output = each(|k| output[k] * scales[k] + offset);
        let query = each(|k| BETA * output[k] + (1.0 - BETA) * (direction[k] * scales[k] + offset));
        Margins { output, query, model: (0..LANES).map(|k| self.shares[k] * output[k]).sum() }
    }

    pub(super) fn gradient(&self, y: f64, margins: &Margins) -> Four {
        let cut = if self.link == Link::Poisson { 3.0 * (self.labels[0].sqrt() + y) * 3.0 } else { f64::INFINITY };
        margins.query.map(|m| self.link.derivative(y, m).clamp(-cut, cut))
    }

    pub(super) fn charge(&self, y: f64, margins: &Margins) -> Charges {
        let mixture = self.link.value(y, margins.model);
        let typical = if self.recent[1] > 0.0 { self.recent[0] / self.recent[1] } else { mixture };
        let charge = |m: f64| {
            let ratio = self.link.value(y, m) / typical.max(1e-300);
            match self.link {
                Link::Logistic => self.link.value(y, m),
                Link::Squared => ratio.ln_1p(),
                Link::Poisson => {
                    if ratio <= 10.0 {
                        ratio
                    } else {
                        10.0 * (1.0 + (ratio / 10.0).ln())
                    }
                }
            }
        };
        let wrong = |m: f64| if self.link == Link::Logistic { self.link.value(1.0, -m.abs()) } else { 0.0 };
        Charges {
            values: margins.output.map(charge),
            wrong_side: margins.output.map(wrong),
            mixture,
            squares: y * y,
            labels: y,
            rows: 1.0,
        }
    }

    /// Counts rows whose charges were computed at a common state.
    pub(super) fn count(&mut self, charges: &Charges) {
        let rows = self.rows + charges.rows;
        // The product of the factors 1 − 2/(t + 2) of the rows.
        let keep = |t: f64| t * (t + 1.0);
        let keep = keep(self.rows) / keep(rows);
        let kept_of_own = if charges.rows > 1.0 { 1.0 - charges.rows / rows } else { 1.0 };
        for k in 0..LANES {
            self.statistic[k] = self.statistic[k] * keep + charges.values[k] * kept_of_own;
            self.wrong_side[k] = self.wrong_side[k] * keep + charges.wrong_side[k] * kept_of_own;
        }
        self.recent[0] = self.recent[0] * keep + charges.mixture * kept_of_own;
        self.recent[1] = self.recent[1] * keep + charges.rows * kept_of_own;
        let part = charges.rows / rows;
        self.labels[0] += (charges.squares / charges.rows - self.labels[0]) * part;
        self.labels[1] += (charges.labels / charges.rows - self.labels[1]) * part;
        self.rows = rows;
        self.share();
    }

    fn share(&mut self) {
        let doubt = if self.recent[1] > 0.0 { 1.0 / self.recent[1] } else { 0.0 };
        let evidence = each(|k| self.statistic[k] + self.wrong_side[k] * doubt);
        let best = evidence.iter().copied().fold(f64::INFINITY, f64::min);
        let raw = evidence.map(|e| (best - e).exp());
        let sum: f64 = raw.iter().sum();
        self.shares = raw.map(|e| e / sum);
    }

    /// Learns a row as the sequential learner does; returns its loss before.
    pub(super) fn learn(&mut self, rows: &Examples, r: usize) -> f64 {
        let (t, y) = (self.rows + 1.0, rows.label[r]);
        if self.link == Link::Squared && self.rows == 0.0 {
            self.labels[0] = y * y;
        }
        let intercept = self.coordinates.len() - 1;
        for (j, x) in rows.pairs(r) {
            self.coordinates[j].raise(x);
        }
        let margins = self.margins(rows, r, t, |j| self.coordinates[j]);
        let g = self.gradient(y, &margins);
        for (j, x) in rows.pairs(r).chain([(intercept, 1.0)]) {
            let c = &mut self.coordinates[j];
            if c.scale > 0.0 {
                c.advance(t);
                let x = x / c.scale;
                for (k, g) in g.iter().enumerate() {
                    c.theta[k] -= g * x;
                    c.squares[k] += g * x * g * x;
                }
                c.updates += 1.0;
            }
        }
        let charges = self.charge(y, &margins);
        let loss = charges.mixture;
        self.count(&charges);
        loss
    }

    pub(super) fn raise(&mut self, rows: &Examples, r: usize) {
        for (j, x) in rows.pairs(r) {
            self.coordinates[j].raise(x);
        }
    }

    /// Mean loss of the model on rows.
    pub(super) fn test(&self, rows: &Examples) -> f64 {
        let t = self.rows + 1.0;
        let loss = |r: usize| self.link.value(rows.label[r], self.margins(rows, r, t, |j| self.coordinates[j]).model);
        (0..rows.len()).map(loss).sum::<f64>() / rows.len() as f64
    }

    /// Pairs of coordinate and value of a row relative to the scale, with the intercept.
    pub(super) fn relative<'a>(&'a self, rows: &'a Examples, r: usize) -> impl Iterator<Item = (usize, f64)> + 'a {
        let all = rows.pairs(r).chain([(self.coordinates.len() - 1, 1.0)]);
        all.map(|(j, x)| (j, x / self.coordinates[j].scale)).filter(|(_, x)| x.is_finite())
    }
}

impl Charges {
    pub(super) fn loss(&self) -> f64 {
        self.mixture
    }

    pub(super) fn add(&mut self, other: &Charges) {
        for k in 0..LANES {
            self.values[k] += other.values[k];
            self.wrong_side[k] += other.wrong_side[k];
        }
        self.mixture += other.mixture;
        self.squares += other.squares;
        self.labels += other.labels;
        self.rows += other.rows;
    }
}
