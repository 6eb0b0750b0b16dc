//! The first lines that a fit prints, after its first rows are read: the task, and the inferred properties of the data.

use super::{console::Console, lines::Events, reporter::Reporter};
use serde_json::{Value, json};
use surefoot_glm::Plan;
use surefoot_io::{Format, Head, Options};

/// Information for the first lines that a fit prints, known before any row is read.
#[derive(Debug)]
pub(crate) struct Opening {
    /// Description of the loss and of the labels that the loss expects.
    pub(crate) task: String,
    /// Name of the output file for the model; `None` if the calling program takes the model.
    pub(crate) goes: Option<String>,
    /// Whether the format of the data was given by a flag, not inferred.
    pub(crate) is_given: bool,
    /// Description of the order in which rows are learnt; empty if the order is that of the files.
    pub(crate) order: String,
    pub(crate) plan: Plan,
}

impl Reporter {
    /// Prints the first lines of a fit; does nothing when called again.
    pub(crate) fn open(&mut self, options: &Options) {
        let Some(opening) = self.opening.take() else { return };
        let found = Data { options, is_given: opening.is_given };
        let goes = opening.goes.map_or_else(String::new, |name| format!("; model goes to {name}"));
        self.console.say(&format!("fit: {}; {}{}{goes}", opening.task, found.words(), opening.order));
        found.warn(&self.console);
        found.emit(&mut self.events);
        self.head(&opening.plan);
    }
}

/// Data whose inferred properties (format, delimiter, quotes, header) are formatted as one line.
struct Data<'a> {
    options: &'a Options,
    is_given: bool,
}

impl Data<'_> {
    fn format(&self) -> Option<&'static Format> {
        self.options.format.or_else(|| self.options.found.format())
    }

    fn words(&self) -> String {
        let format = self.format().map_or("to be found out", |format| format.name);
        let guess = if self.is_given { "" } else { " (guessed)" };
        let Some(head) = self.options.found.head() else { return format!("format {format}{guess}") };
        let dialect: Vec<_> = [delimiter(head, format), quote(head)].into_iter().flatten().collect();
        let dialect = if dialect.is_empty() { String::new() } else { format!(" with {}", dialect.join(" and ")) };
        let line = if head.is_header { "line 1 is a header" } else { "line 1 is a row" };
        format!("format {format}{dialect}{guess}, {line}")
    }

    fn warn(&self, console: &Console) {
        let Some(Head { is_header, is_sure: false, .. }) = self.options.found.head() else { return };
        console.warn(match is_header {
            true => "line 1 was taken for a header, which is not certain: if it is a row, say --header no",
            false => "line 1 was taken for a row, which is not certain: if it names the columns, say --header yes",
        });
    }

    fn emit(&self, events: &mut Events) {
        let format = self.format().map(|format| format.name);
        let head = self.options.found.head();
        let line = head.map_or(Value::Null, |head| json!(if head.is_header { "header" } else { "row" }));
        events.emit(&json!({
            "event": "data",
            "format": format,
            "delimiter": head.map(|head| char::from(head.delimiter).to_string()),
            "quote": head.and_then(|head| head.quote).map(|quote| char::from(quote).to_string()),
            "line_1": line,
            "certain": head.map(|head| head.is_sure),
        }));
    }
}

/// Describes the quote character of the cells; `None` if it is the double quote.
fn quote(head: Head) -> Option<String> {
    match head.quote {
        Some(b'"') => None,
        Some(mark) => Some(format!("{} for quotes", char::from(mark))),
        None => Some("quotes as text".to_owned()),
    }
}

/// Describes the delimiter of the cells; `None` if it is the usual one of the format or there is only one column.
fn delimiter(head: Head, format: &str) -> Option<String> {
    match (head.delimiter, format) {
        _ if head.width < 2 => None,
        (b',', "csv") | (b'\t', "tsv") => None,
        (b' ', _) => Some("runs of blanks between cells".to_owned()),
        (b'\t', _) => Some("tabs between cells".to_owned()),
        (other, _) => Some(format!("'{}' between cells", char::from(other))),
    }
}
