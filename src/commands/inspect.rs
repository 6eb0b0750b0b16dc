//! `surefoot inspect`: what is in a model.

use crate::{
    certificate,
    cli::InspectArgs,
    failure::Failure,
    number::{self, shortest},
    reading,
    report::{self, number_or_null},
    results,
};
use serde_json::{Value, json};
use std::{fmt::Write as _, path::Path};
use surefoot_glm::{Model, Reading, Role};
use surefoot_io::load_model;

pub(crate) fn run(args: &InspectArgs) -> Result<(), Failure> {
    let path = Path::new(&args.model);
    let model = load_model(path)?;
    let size = path.metadata().map_or(0, |metadata| metadata.len());
    let view = View { name: path.display().to_string(), size, model: &model, top: largest(&model, args.top) };
    let text = if args.json { format!("{}\n", view.object()) } else { view.table() };
    report::print(text.as_bytes())
}

/// A weight of a feature, and of which column.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Weight {
    feature: u64,
    column: usize,
    value: f64,
}

/// The `top` weights that are largest by absolute value, ties in the order of the features.
fn largest(model: &Model, top: usize) -> Vec<Weight> {
    let columns = model.intercept.len().max(1);
    let weight =
        |(at, &value): (usize, &f64)| Weight { feature: model.index[at / columns], column: at % columns, value };
    let mut weights: Vec<_> = model.weight.iter().enumerate().map(weight).collect();
    let place = |weight: &Weight| (weight.feature, weight.column);
    let order = |a: &Weight, b: &Weight| b.value.abs().total_cmp(&a.value.abs()).then(place(a).cmp(&place(b)));
    if top < weights.len() {
        // Only the largest are put in order: models are large.
        weights.select_nth_unstable_by(top, order);
        weights.truncate(top);
    }
    weights.sort_unstable_by(order);
    weights
}

struct View<'a> {
    name: String,
    size: u64,
    model: &'a Model,
    top: Vec<Weight>,
}

impl View<'_> {
    fn object(&self) -> Value {
        let Model { settings, labels, summary, .. } = self.model;
        let top = self.top.iter().map(|weight| match self.class(weight.column) {
            None => json!({"feature": self.feature(weight.feature), "weight": weight.value}),
            Some(class) => json!({"feature": self.feature(weight.feature), "class": class, "weight": weight.value}),
        });
        let intercept = &self.model.intercept;
        let intercept = if settings.loss.has_margins() { json!(intercept) } else { json!(intercept.first()) };
        json!({
            "model": self.name,
            "size": self.size,
            "settings": settings,
            "labels": labels,
            "intercept": intercept,
            "features": self.model.index.len(),
            "rows": summary.rows,
            "rows_zero_weight": summary.rows_zero_weight,
            "nnz": summary.nnz,
            "weight": number_or_null(Some(summary.weight)),
            "loss": number_or_null(summary.loss),
            "loss_constant": number_or_null(summary.loss_constant),
            "lane": number_or_null(summary.lane),
            "lanes": summary.lanes,
            "path": summary.path,
            "certificate": certificate::object(&self.model.certificates),
            "state": self.model.state.is_some(),
            "unfinished": self.model.unfinished,
            "top": top.collect::<Vec<_>>(),
        })
    }

    fn table(&self) -> String {
        let mut text = String::new();
        for (name, value) in self.facts() {
            let _ = writeln!(text, "{name:<12}{value}");
        }
        self.lanes(&mut text);
        self.path(&mut text);
        self.weights(&mut text);
        text
    }

    /// Penalties that were tried; the one that was taken is marked.
    fn path(&self, text: &mut String) {
        let (summary, penalty) = (&self.model.summary, &self.model.settings.penalty);
        if summary.path.is_empty() {
            return;
        }
        let _ = writeln!(text, "\n{:>14}{:>14}{:>14}", "--l1", "--l2", "loss");
        for point in &summary.path {
            let mark = if (point.l1, point.l2) == (penalty.l1, penalty.l2) { "  taken" } else { "" };
            let loss = number::loss(Some(point.loss));
            let _ = writeln!(text, "{:>14.3e}{:>14.3e}{loss:>14}{mark}", point.l1, point.l2);
        }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let Model { settings, summary, .. } = self.model;
        let whole = if self.model.unfinished.is_some() { ", unfinished: fit --resume goes on" } else { "" };
        let state = if self.model.state.is_some() { "" } else { ", without the state to train on" };
        let bits = settings.reading.bits.map_or_else(String::new, |bits| format!(", hashed to {bits} bits"));
        let zero = match summary.rows_zero_weight {
            0 => String::new(),
            zero => format!(", {} of weight 0", number::count(zero)),
        };
        let mut facts = vec![
            ("model", format!("{}, {}{whole}{state}", self.name, number::bytes(self.size))),
            ("loss", settings.loss.to_string()),
            ("data", format!("{}{bits}", data(&settings.reading))),
        ];
        facts.extend(reading::coding(&self.model.labels, &settings.reading.classes).map(|coding| ("labels", coding)));
        facts.extend([
            ("trained on", format!("{}{zero}, {} pairs", number::rows(summary.rows), number::count(summary.nnz))),
            ("mean loss", number::loss(summary.loss)),
            ("constant", format!("{} is the loss of the best constant", number::loss(summary.loss_constant))),
            ("intercept", self.intercept()),
            ("features", number::count(self.model.index.len() as u64)),
        ]);
        if !settings.penalty.is_none() {
            facts.push(("objective", results::objective(settings)));
        }
        if let Some(ball) = settings.ball {
            facts.push(("domain", format!("‖w‖ ≤ {}, the intercept included", shortest(ball.radius))));
        }
        let words = certificate::words(&self.model.certificates, settings);
        facts.extend(words.into_iter().enumerate().map(|(i, words)| (if i == 0 { "certificate" } else { "" }, words)));
        facts
    }

    fn intercept(&self) -> String {
        match self.model.intercept.as_slice() {
            _ if !self.model.settings.intercept => "none".to_owned(),
            [one] => shortest(*one),
            many => {
                let least = many.iter().copied().fold(f64::INFINITY, f64::min);
                let largest = many.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                format!("one a class, {} to {}", shortest(least), shortest(largest))
            }
        }
    }

    fn lanes(&self, text: &mut String) {
        let summary = &self.model.summary;
        if !summary.lanes.is_empty() {
            let _ = writeln!(text, "\n{:>12}{:>12}{:>8}", "lane", "statistic", "share");
        }
        for lane in &summary.lanes {
            let mark = if Some(lane.scale) == summary.lane { "  leads" } else { "" };
            let (scale, statistic) = (shortest(lane.scale), number::loss(Some(lane.statistic)));
            let _ = writeln!(text, "{scale:>12}{statistic:>12}{:>7.1}%{mark}", 100.0 * lane.share);
        }
    }

    fn weights(&self, text: &mut String) {
        let names: Vec<_> = self.top.iter().map(|weight| self.feature(weight.feature)).collect();
        let classes: Vec<_> = self.top.iter().filter_map(|weight| self.class(weight.column)).collect();
        let width = |texts: &[String], least| texts.iter().map(|text| text.chars().count()).fold(least, usize::max);
        let (width, wide) = (width(&names, 12), width(&classes, 5));
        // Only where there are classes.
        let column = |class: Option<&str>| class.map_or_else(String::new, |class| format!("  {class:>wide$}"));
        if !self.top.is_empty() {
            let _ = writeln!(text, "\n{:>width$}{}  weight", "feature", column(classes.first().map(|_| "class")));
        }
        for (k, (feature, weight)) in names.iter().zip(&self.top).enumerate() {
            let sign = if weight.value.is_sign_negative() { "" } else { " " };
            let class = column(classes.get(k).map(String::as_str));
            let _ = writeln!(text, "{feature:>width$}{class}  {sign}{}", shortest(weight.value));
        }
    }

    /// The label of a column, where there is one a class.
    fn class(&self, column: usize) -> Option<String> {
        let label = self.model.labels.classes.get(column)?;
        Some(reading::label(*label, &self.model.settings.reading.classes))
    }

    /// The name of a feature; its id if it has none.
    fn feature(&self, id: u64) -> String {
        self.model.names.of(id).map_or_else(|| id.to_string(), str::to_owned)
    }
}

/// The format, and what is known of the columns.
fn data(reading: &Reading) -> String {
    let format = &reading.format;
    if reading.table.is_unknown() {
        return if format == "svmlight" {
            format!("{format}, indices from {}", reading.index_base)
        } else {
            format.clone()
        };
    }
    let columns = &reading.table.columns;
    let count = |role| columns.iter().filter(|column| column.role == role).count();
    let of = |role| columns.iter().find(|column| column.role == role).map(|column| column.name.as_str());
    let (numbers, categories, ignored) = (count(Role::Number), count(Role::Category), count(Role::Ignored));
    let label = of(Role::Label).map_or_else(String::new, |name| format!(", label '{name}'"));
    let weight = of(Role::Weight).map_or_else(String::new, |name| format!(", weight '{name}'"));
    let offset = columns.iter().find(|column| column.role.is_offset());
    let offset = offset.map_or_else(String::new, |column| format!(", offset '{}'", column.name));
    format!(
        "{format}{label}{weight}{offset}, columns: {numbers} of numbers, {categories} of categories, {ignored} ignored"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_weights_come_first_whatever_their_sign() {
        let (labels, summary) = (Default::default(), Default::default());
        let (index, weight) = (vec![2, 3, 5, 7], vec![0.5, -2.0, 2.0, 0.1]);
        let model = Model {
            settings: Default::default(),
            labels,
            intercept: vec![0.0],
            index,
            weight,
            names: Default::default(),
            summary,
            certificates: Vec::new(),
            state: None,
            unfinished: None,
        };
        let of = |feature, column, value| Weight { feature, column, value };
        assert_eq!(largest(&model, 3), [of(3, 0, -2.0), of(5, 0, 2.0), of(2, 0, 0.5)]);
        assert_eq!(largest(&model, 0), []);
        assert_eq!(largest(&model, 9).len(), 4);
        let classes = Model { intercept: vec![0.0; 2], index: vec![2, 3], ..model };
        assert_eq!(largest(&classes, 2), [of(2, 1, -2.0), of(3, 0, 2.0)]);
    }
}
