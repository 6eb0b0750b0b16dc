//! HTML elements of the report: cards (panels), tables and figures. Text is escaped here and nowhere else.

use std::fmt::Write as _;
use surefoot_plot::{Figure, escaped};

/// Width and height of a figure in pixels: legible on a telephone, and narrow enough for two side by side on a desktop.
pub(super) const SIZE: (f64, f64) = (460.0, 250.0);

/// HTML table of numbers; all columns but the first are aligned to the right.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) head: Vec<&'static str>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn html(&self) -> String {
        let head: String = self.head.iter().map(|name| format!("<th scope=\"col\">{}</th>", escaped(name))).collect();
        let mut html = format!("<div class=\"scroll\"><table><thead><tr>{head}</tr></thead><tbody>");
        for row in &self.rows {
            let cells: String = row.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
            let _ = write!(html, "<tr>{cells}</tr>");
        }
        html + "</tbody></table></div>"
    }
}

/// Card: a panel of the report with one or more figures of the same numbers and a table of these numbers.
#[derive(Debug)]
pub(super) struct Card {
    /// Identifier of the HTML element, used by style sheets and links.
    pub(super) id: &'static str,
    pub(super) title: String,
    /// Caption, whose lines become paragraphs.
    pub(super) caption: String,
    /// Figures with their names; if there are several, buttons switch between them.
    pub(super) views: Vec<(&'static str, Figure)>,
    pub(super) numbers: Table,
}

impl Card {
    pub(super) fn html(self) -> String {
        let (id, title) = (self.id, escaped(&self.title));
        let mut html = format!("<article class=\"card {id}\" id=\"{id}\"><h3>{title}</h3>");
        self.caption.lines().for_each(|line| html += &format!("<p>{}</p>", escaped(line)));
        html += "<div class=\"views\">";
        if self.views.len() > 1 {
            for (k, (name, _)) in self.views.iter().enumerate() {
                let checked = if k == 0 { " checked" } else { "" };
                let _ = write!(
                    html,
                    "<input type=\"radio\" name=\"{id}\" id=\"{id}-{k}\"{checked}><label for=\"{id}-{k}\">{}</label>",
                    escaped(name)
                );
            }
        }
        for (_, mut figure) in self.views {
            // The heading of the card already states the title.
            let name = std::mem::take(&mut figure.title);
            let svg = figure.svg();
            let named = if name.is_empty() { title.clone() } else { escaped(&name) };
            let svg = svg.replacen(">\n", &format!(">\n<title>{named}</title>\n"), 1);
            let _ = write!(html, "<figure>{svg}</figure>");
        }
        html += "</div>";
        if !self.numbers.rows.is_empty() {
            let _ = write!(html, "<details><summary>Numbers</summary>{}</details>", self.numbers.html());
        }
        html + "</article>\n"
    }
}

/// Renders a section with a heading as HTML; returns an empty string if `content` is empty.
pub(super) fn section(title: &str, about: &str, content: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    let about = if about.is_empty() { String::new() } else { format!("<p class=\"about\">{}</p>", escaped(about)) };
    format!("<section><h2>{}</h2>{about}<div class=\"cards\">\n{content}</div></section>\n", escaped(title))
}

/// Renders a card (panel) that lists names and their values as HTML.
pub(super) fn facts(title: &str, facts: &[(String, String)]) -> String {
    let row =
        |(name, value): &(String, String)| format!("<div><dt>{}</dt><dd>{}</dd></div>", escaped(name), escaped(value));
    let rows: String = facts.iter().map(row).collect();
    format!("<article class=\"card facts\"><h3>{}</h3><dl>{rows}</dl></article>\n", escaped(title))
}

/// Renders a tile (a large number, with its name above and a remark below) as HTML.
pub(super) fn tile(name: &str, value: &str, remark: &str) -> String {
    let (name, value, remark) = (escaped(name), escaped(value), escaped(remark));
    format!("<div class=\"tile\"><dt>{name}</dt><dd><strong>{value}</strong><small>{remark}</small></dd></div>")
}

/// Formats a number with four significant digits.
pub(super) fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return if x == 0.0 { "0".to_owned() } else { "–".to_owned() };
    }
    let size = x.abs();
    let text = match size {
        _ if !(1e-4..1e7).contains(&size) => format!("{x:.3e}"),
        _ if size >= 1e4 => {
            let whole = crate::words::number::count(size.round() as u64);
            if x < 0.0 { format!("-{whole}") } else { whole }
        }
        _ => format!("{x:.*}", (3 - size.log10().floor() as i32).clamp(0, 7) as usize),
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits() {
        let numbers = [0.0, 0.123456, -1.5, 99.999, 1234.5, 123456.7, -2e5, 1e9, 2.5e-7, f64::NAN];
        let texts = ["0", "0.1235", "−1.500", "100.00", "1234", "123,457", "−200,000", "1.000e9", "2.500e−7", "–"];
        assert_eq!(numbers.map(short), texts);
    }

    #[test]
    fn no_text_becomes_a_tag() {
        let evil = "</script><b>\"'&";
        let card = Card {
            id: "x",
            title: evil.to_owned(),
            caption: evil.to_owned(),
            views: vec![("a", Figure { title: evil.to_owned(), ..Figure::default() }), ("b", Figure::default())],
            numbers: Table { head: vec!["n"], rows: vec![vec![evil.to_owned()]] },
        };
        let pairs = [(evil.to_owned(), evil.to_owned())];
        let html = card.html() + &section(evil, evil, "x") + &facts(evil, &pairs) + &tile(evil, evil, evil);
        assert!(!html.contains("<b>") && !html.contains("</script>"), "{html}");
    }
}
