//! Warnings about runs and models, worded identically on standard error, in JSON, in the HTML report and in `inspect`.

use crate::words::number;
use serde_json::{Value, json};
use surefoot_glm::{OrderAlarm, Settings, Summary, WorseThanConstant};

/// Warning about a run or a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Warning {
    /// Short identifier of the kind of warning, for programs, such as `worse_than_constant`.
    pub(crate) kind: &'static str,
    /// Message for people, which says what to do.
    pub(crate) message: String,
    /// Names of the columns concerned; empty if the warning is not about columns.
    pub(crate) columns: Vec<String>,
}

impl Warning {
    pub(crate) fn new(kind: &'static str, message: impl Into<String>) -> Warning {
        Warning { kind, message: message.into(), columns: Vec::new() }
    }

    /// Returns the warning as a JSON object.
    pub(crate) fn object(&self) -> Value {
        let mut object = json!({ "kind": self.kind, "message": self.message });
        if !self.columns.is_empty() {
            object["columns"] = json!(self.columns);
        }
        object
    }

    /// Returns the message as a sentence with a capital letter and a full stop.
    pub(crate) fn sentence(&self) -> String {
        let mut letters = self.message.chars();
        letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
    }
}

/// Returns the warning that the rows are not in random order, which makes the reported loss meaningless.
pub(crate) fn order(alarm: &OrderAlarm, settings: &Settings) -> Warning {
    let (printed, loss) = (number::loss(Some(alarm.printed)), order_loss(alarm));
    let message = format!(
        "the order of the rows makes the loss {printed} worthless: on the rows it was trained on the model loses {loss}; \
         they seem to be sorted; {}",
        remedy(settings)
    );
    Warning::new("order", message)
}

/// Returns the warning that the model, or its reported loss, is worse than the best constant prediction.
pub(crate) fn constant(loses: WorseThanConstant, summary: &Summary, settings: &Settings) -> Warning {
    let printed = || (number::loss(summary.loss), number::loss(summary.loss_constant));
    let reasons =
        "there may be too few rows for so many features, outliers among values or labels, or rows that are not alike";
    let remedy = match settings.ball {
        _ if !settings.intercept => "a model with an intercept",
        Some(_) => "a smaller --radius",
        None => "--passes auto --l2 auto",
    };
    let message = match loses {
        WorseThanConstant::Model { loss, constant } => {
            let (loss, constant) = (sum(loss), number::loss(Some(constant)));
            format!(
                "on the rows it was trained on the model loses {loss}, the best constant {constant}: it is worth less than none; {reasons}; \
                 try {remedy}, or another --loss"
            )
        }
        WorseThanConstant::Fresh => {
            let (loss, constant) = printed();
            format!(
                "the loss {loss} is above that of the best constant, {constant}: the model has learnt nothing of use in these rows; {reasons}; \
                 try {remedy}, more rows, or another --loss"
            )
        }
        WorseThanConstant::Few { loss } => {
            let ((printed, constant), loss) = (printed(), number::loss(Some(loss)));
            format!(
                "the loss {printed} is above that of the best constant, {constant}, for what a few rows have cost as they came: on the rows it was trained on \
                 the model loses {loss}, and --test FILE would show what it is worth; if that is not enough, try {remedy}"
            )
        }
    };
    Warning::new("worse_than_constant", message)
}

/// Describes the loss of the model on its training rows; the text begins with "about" if only a sample of the rows was evaluated.
pub(crate) fn order_loss(alarm: &OrderAlarm) -> String {
    let about = if alarm.scored < alarm.rows { "about " } else { "" };
    let about = if alarm.loss.is_some() { about } else { "" };
    format!("{about}{}", sum(alarm.loss))
}

/// Formats a mean loss; `None` stands for a sum of losses that overflowed.
fn sum(loss: Option<f64>) -> String {
    loss.map_or_else(|| "more than can be added up".to_owned(), |loss| number::loss(Some(loss)))
}

/// Returns advice for data whose rows are sorted, such as to use `--shuffle`.
fn remedy(settings: &Settings) -> &'static str {
    match settings.ball {
        Some(_) => "train with --shuffle",
        None => "train with --shuffle, or with --passes auto, which does not depend on the order",
    }
}

/// Returns the alarm about the order of the rows as JSON; `null` for `None`.
pub(crate) fn order_object(alarm: Option<&OrderAlarm>) -> Value {
    alarm.map_or(Value::Null, |alarm| {
        json!({
            "loss": alarm.loss,
            "printed": alarm.printed,
            "rows": alarm.rows,
            "rows_scored": alarm.scored,
        })
    })
}
