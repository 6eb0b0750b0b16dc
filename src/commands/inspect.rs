//! `surefoot inspect`: shows the contents of a model.

use crate::{
    failure::Failure,
    flags::cli::InspectArgs,
    terminal::{
        columns::Columns,
        lines::{self, headed},
        results, warnings,
    },
    words::{
        certificates, labels,
        number::{self, shortest},
        weights::{self, Weights},
    },
};
use serde_json::{Value, json};
use std::{fmt::Write as _, path::Path};
use surefoot_glm::Model;
use surefoot_io::{load_model, printable};

pub(crate) fn run(args: &InspectArgs) -> Result<(), Failure> {
    let path = Path::new(&args.model);
    let model = load_model(path)?;
    let size = path.metadata().map_or(0, |metadata| metadata.len());
    let view = View { name: path.display().to_string(), size, model: &model, weights: Weights::new(&model, args.top) };
    let text = if args.json { format!("{}\n", view.object()) } else { view.table() };
    lines::print(text.as_bytes())
}

struct View<'a> {
    name: String,
    size: u64,
    model: &'a Model,
    weights: Weights<'a>,
}

impl View<'_> {
    fn object(&self) -> Value {
        let Model { settings, labels, summary, .. } = self.model;
        let weights = &self.weights;
        let top = weights.largest.iter().map(|weight| match weights.class(weight.column) {
            None => json!({"feature": weights.feature(weight.feature), "weight": weight.value}),
            Some(class) => json!({"feature": weights.feature(weight.feature), "class": class, "weight": weight.value}),
        });
        let intercept = &self.model.intercept;
        let intercept = if settings.loss.is_multiclass() { json!(intercept) } else { json!(intercept.first()) };
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
            "weight": number::number_or_null(Some(summary.weight)),
            "loss": number::number_or_null(summary.loss),
            "loss_constant": number::number_or_null(summary.loss_constant),
            "lane": number::number_or_null(summary.lane),
            "lanes": summary.lanes,
            "constant_lane": summary.constant_lane,
            "path": summary.path,
            "certificate": certificates::object(&self.model.certificates, &self.model.settings),
            "order": warnings::order_object(summary.order.as_ref()),
            "state": self.model.state.is_some(),
            "unfinished": self.model.unfinished,
            "columns": Columns::of(self.model).map(|columns| columns.object()),
            "top": top.collect::<Vec<_>>(),
        })
    }

    fn table(&self) -> String {
        let mut text = String::new();
        for (name, value) in self.facts() {
            let _ = writeln!(text, "{name:<12}{}", printable(&value));
        }
        self.lanes(&mut text);
        self.path(&mut text);
        text += &self.weights.table();
        text
    }

    /// Appends the table of the penalties that were tried (the regularisation path) to `text`, and marks the chosen
    /// one.
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
        if let Some(end) = self.model.path_end() {
            let _ = writeln!(text, "{end}");
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
            ("data", format!("{}{bits}", labels::data(&settings.reading))),
        ];
        facts.extend(headed("columns", Columns::of(self.model).map(|columns| columns.full()).unwrap_or_default()));
        facts.extend(labels::coding(&self.model.labels, &settings.reading.classes).map(|coding| ("labels", coding)));
        let order = summary.order.map(|alarm| ("order", warnings::order(&alarm, settings).sentence()));
        facts.extend([
            ("trained on", format!("{}{zero}, {} nonzeros", number::rows(summary.rows), number::count(summary.nnz))),
            ("mean loss", number::loss(summary.loss)),
        ]);
        facts.extend(order);
        facts.extend([
            ("constant", format!("{} is the loss of the best constant", number::loss(summary.loss_constant))),
            ("intercept", weights::intercept(self.model)),
            ("features", number::count(self.model.index.len() as u64)),
        ]);
        if !settings.is_unpenalised() {
            facts.push(("objective", results::objective(settings)));
            facts.extend(results::groups(settings));
        }
        if let Some(ball) = settings.ball {
            facts.push(("domain", format!("‖w‖ ≤ {}, the intercept included", shortest(ball.radius))));
        }
        facts.extend(headed("certificate", certificates::words(&self.model.certificates, settings)));
        facts
    }

    fn lanes(&self, text: &mut String) {
        let summary = &self.model.summary;
        let stacked = summary.lanes.iter().any(|lane| lane.coefficient.is_some());
        if !summary.lanes.is_empty() {
            let coefficient = if stacked { "  coefficient" } else { "" };
            let _ = writeln!(text, "\n{:>12}{:>12}{:>8}{coefficient}", "lane", "statistic", "share");
        }
        let mut line = |name: &str, statistic: &str, share: f64, coefficient: Option<f64>, mark: &str| {
            let coefficient = coefficient.map_or_else(String::new, |coefficient| format!("{coefficient:>13.3}"));
            let bar = "█".repeat((12.0 * share).round() as usize);
            let line = format!("{name:>12}{statistic:>12}{:>7.1}%{coefficient}  {bar}{mark}", 100.0 * share);
            let _ = writeln!(text, "{}", line.trim_end());
        };
        let constant_leads = summary.constant_lane.is_some_and(|constant| constant.share > 0.5);
        let leads = |leads: bool| if leads { "  leads" } else { "" };
        for lane in &summary.lanes {
            let mark = leads(Some(lane.scale) == summary.lane && !constant_leads);
            let (scale, statistic) = (shortest(lane.scale), number::loss(Some(lane.statistic)));
            line(&scale, statistic.trim(), lane.share, lane.coefficient, mark);
        }
        if let Some(constant) = &summary.constant_lane {
            line("constant", "", constant.share, constant.coefficient, leads(constant_leads));
        }
    }
}
