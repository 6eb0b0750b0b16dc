//! Output of figures as SVG. Texts remain text, so that they can be searched and read aloud.

use std::fmt::Write;

use super::mark::{Anchor, BLACK, COLOURS, Colour, Drawing, GREY, Mark, PALE};

pub(super) fn draw(drawing: &Drawing) -> String {
    let (w, h) = (drawing.width, drawing.height);
    let [x, y] = &drawing.axes;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\" \
         data-x=\"{x}\" data-y=\"{y}\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\n"
    );
    for (tag, words) in [("title", &drawing.title), ("desc", &drawing.about)] {
        if !words.is_empty() {
            let _ = writeln!(text, "<{tag}>{}</{tag}>", escaped(words));
        }
    }
    let _ = writeln!(text, "<rect width=\"{w}\" height=\"{h}\" fill=\"#fff\" class=\"paper\"/>");
    drawing.marks.iter().for_each(|mark| write_mark(&mut text, mark));
    text += "</svg>\n";
    text
}

fn write_mark(out: &mut String, mark: &Mark) {
    let _ = match mark {
        Mark::Line { points, colour, width, dashes } => {
            let dashes: Vec<_> = dashes.iter().map(f32::to_string).collect();
            let dashes =
                if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", dashes.join(" ")) };
            let (points, class, colour) = (places(points), class('l', *colour), hex(*colour));
            writeln!(
                out,
                "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{dashes}{class}/>"
            )
        }
        Mark::Area { points, colour, opacity } => {
            let (points, class, colour) = (places(points), class('f', *colour), hex(*colour));
            writeln!(out, "<polygon points=\"{points}\" fill=\"{colour}\" fill-opacity=\"{opacity}\"{class}/>")
        }
        Mark::Dot { at: (x, y), radius, colour } => {
            let (class, colour) = (class('f', *colour), hex(*colour));
            writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\"{class}/>")
        }
        Mark::Group { label, marks } => {
            let _ = writeln!(out, "<g data-label=\"{}\">", escaped(label));
            marks.iter().for_each(|mark| write_mark(out, mark));
            writeln!(out, "</g>")
        }
        Mark::Text { at: (x, y), anchor, size, colour, upright, text } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let turn = if *upright { format!(" transform=\"rotate(-90 {x:.1} {y:.1})\"") } else { String::new() };
            let (class, colour, text) = (class('f', *colour), hex(*colour), escaped(text));
            writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" fill=\"{colour}\"{class}{turn}>{text}</text>"
            )
        }
    };
}

fn places(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect::<Vec<_>>().join(" ")
}

/// Returns the `class` attribute of an SVG element, by which style sheets recolour it; `letter` distinguishes lines
/// (`l`) from filled shapes (`f`).
fn class(letter: char, colour: Colour) -> String {
    let name = match colour {
        BLACK => "ink".to_owned(),
        GREY => "frame".to_owned(),
        PALE => "grid".to_owned(),
        other => match COLOURS.iter().position(|known| *known == other) {
            Some(number) => format!("{letter}{number}"),
            None => return String::new(),
        },
    };
    format!(" class=\"{name}\"")
}

fn hex([r, g, b]: Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Escapes text for SVG and HTML, in elements and in quoted attributes.
#[must_use]
pub fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}
