//! The cards (panels) of the HTML report about weights, data, settings and times.

use super::{
    Run,
    html::{facts, short},
};
use crate::{
    terminal::{columns::Columns, lines::headed, results},
    words::{
        labels,
        number::{self, shortest},
        weights::Weights,
    },
};
use std::fmt::Write as _;
use surefoot_glm::Model;
use surefoot_plot::escaped;

/// Greatest number of weights shown in the report.
const SHOWN: usize = 20;

fn fact(name: &str, value: impl Into<String>) -> (String, String) {
    (name.to_owned(), value.into())
}

/// Returns a card (panel of the report) with the largest weights, each with a bar that shows its sign and size.
pub(super) fn weights(model: &Model) -> String {
    let shown = Weights::new(model, SHOWN);
    let Some(largest) = shown.largest.first().map(|weight| weight.value.abs()).filter(|w| *w > 0.0) else {
        return String::new();
    };
    let many = !model.labels.classes.is_empty();
    let class = if many { "<th scope=\"col\">class</th>" } else { "" };
    let mut html = format!(
        "<article class=\"card weights\" id=\"weights\"><h3>Largest weights</h3><p>{} of {}, to be multiplied by raw values. \
         Intercept {}.</p><div class=\"scroll\"><table><thead><tr><th scope=\"col\">feature</th>{class}<th scope=\"col\">weight</th>\
         <th scope=\"col\"><span class=\"unseen\">bar</span></th></tr></thead><tbody>",
        shown.largest.len(),
        number::count(model.weight.len() as u64),
        escaped(&intercept(model)),
    );
    for weight in &shown.largest {
        let name = escaped(&shown.feature(weight.feature));
        let class = shown.class(weight.column).map_or_else(String::new, |c| format!("<td>{}</td>", escaped(&c)));
        let (sign, share) = (if weight.value < 0.0 { "minus" } else { "plus" }, weight.value.abs() / largest);
        let value = short(weight.value);
        let _ = write!(
            html,
            "<tr><th scope=\"row\">{name}</th>{class}<td>{value}</td><td class=\"bar {sign}\"><i style=\"--share:{share:.4}\"></i></td></tr>"
        );
    }
    html + "</tbody></table></div></article>\n"
}

fn intercept(model: &Model) -> String {
    match model.intercept.as_slice() {
        _ if !model.settings.intercept => "none".to_owned(),
        [one] => short(*one),
        many => format!("one per class, {}", many.iter().take(20).map(|x| short(*x)).collect::<Vec<_>>().join(", ")),
    }
}

/// Returns the entries (name, value) of the card about the data that describe how the columns of the table are used;
/// `None` as input gives no entries.
fn columns(taken: Option<&Columns<'_>>) -> impl Iterator<Item = (String, String)> {
    headed("columns", taken.map(Columns::full).unwrap_or_default()).map(|(name, line)| fact(name, line))
}

pub(super) fn data(run: &Run<'_>, model: &Model) -> String {
    let results = run.results;
    let summary = results.summary;
    let mut list: Vec<_> = run
        .inputs
        .iter()
        .take(8)
        .map(|input| {
            let size = input.size().map_or_else(String::new, |size| format!(", {}", number::bytes(size)));
            fact("file", format!("{input}{size}"))
        })
        .collect();
    if run.inputs.len() > list.len() {
        list.push(fact("files", format!("{} more", run.inputs.len() - 8)));
    }
    list.push(fact("format", labels::data(&model.settings.reading)));
    list.extend(columns(results.taken.as_ref()));
    list.push(fact("rows read", number::count(summary.rows)));
    list.push(fact("of weight 0", number::count(summary.rows_zero_weight)));
    list.push(fact("sum of weights", shortest(summary.weight)));
    if results.skipped > 0 {
        list.push(fact("at fault, passed over", number::count(results.skipped)));
    }
    let rows = summary.rows.max(1) as f64;
    list.push(fact(
        "nonzeros",
        format!("{}, {} per row", number::count(summary.nnz), short(summary.nnz as f64 / rows)),
    ));
    list.push(fact("features", number::count(results.features().unwrap_or_default())));
    list.push(fact("collisions", number::count(results.collisions().unwrap_or_default())));
    let missing = results.found.missing();
    let cells = |(column, cells): (String, u64)| format!("{} in {column}", number::count(cells));
    let missing: Vec<_> = missing.into_iter().map(cells).collect();
    list.push(fact("missing cells", if missing.is_empty() { "none".to_owned() } else { missing.join(", ") }));
    let unseen = results.unseen.map(|unseen| unseen.notes()).unwrap_or_default();
    list.extend(unseen.into_iter().map(|line| fact("test rows", line)));
    list.extend(labels::coding(&model.labels, &model.settings.reading.classes).map(|coding| fact("labels", coding)));
    facts("Data", &list)
}

pub(super) fn settings(model: &Model, run: Option<&Run<'_>>) -> String {
    let settings = &model.settings;
    let mut list = vec![fact("loss", results::task(settings.loss))];
    list.push(fact("intercept", if settings.intercept { "yes" } else { "no" }));
    if !settings.is_unpenalised() {
        list.push(fact("objective", results::objective(settings)));
        list.extend(results::groups(settings).into_iter().map(|(what, groups)| fact(what, groups)));
    }
    if let Some(ball) = settings.ball {
        list.push(fact("domain", format!("‖w‖ ≤ {}, the intercept included", shortest(ball.radius))));
        list.extend(ball.row_norm.map(|norm| fact("longest row", shortest(norm))));
    }
    list.extend(settings.reading.bits.map(|bits| fact("ids hashed to", format!("{bits} bits"))));
    let pairs: Vec<_> = settings.reading.interact.iter().map(|(a, b)| format!("{a}:{b}")).collect();
    if !pairs.is_empty() {
        list.push(fact("interactions", pairs.join(", ")));
    }
    if let Some(run) = run {
        list.push(fact("passes", run.passes().to_string()));
        let holdout = run.plan.period().map_or_else(|| "none".to_owned(), |period| format!("one row in {period}"));
        list.push(fact("held out", holdout));
        let order = match run.shuffle {
            Some(seed) => format!("shuffled, another order in each pass, seed {seed}"),
            None => "as in the files".to_owned(),
        };
        list.push(fact("order of rows", order));
    } else {
        list.push(fact("trained on", number::rows(model.summary.rows)));
        list.push(fact("data", labels::data(&settings.reading)));
        list.extend(columns(Columns::of(model).as_ref()));
    }
    list.push(fact("surefoot", env!("CARGO_PKG_VERSION")));
    facts("Settings", &list)
}

pub(super) fn times(run: &Run<'_>) -> String {
    let seconds = |s: f64| format!("{s:.2} s");
    let mut list: Vec<_> = run.record.stages.iter().map(|(name, s)| fact(name, seconds(*s))).collect();
    list.push(fact("in all", seconds(run.results.seconds)));
    if let Some(learning) = run.learning() {
        let a_second = |n: u64| number::count((n as f64 / learning) as u64);
        list.push(fact("rows a second", a_second(run.rows())));
        if run.bytes > 0 {
            list.push(fact("bytes a second", number::bytes((run.bytes as f64 / learning) as u64)));
        }
    }
    list.push(fact("ended", run.ended.clone()));
    facts("Times", &list)
}
