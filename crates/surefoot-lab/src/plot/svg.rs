//! Drawings as SVG. Letters are text, so that they can be searched and read aloud.

use std::fmt::Write;

use super::mark::{Anchor, Colour, Drawing, Mark};

pub(super) fn draw(drawing: &Drawing) -> String {
    let (w, h) = (drawing.width, drawing.height);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
         font-family=\"DejaVu Sans, Verdana, sans-serif\">\n<rect width=\"{w}\" height=\"{h}\" fill=\"#fff\"/>\n"
    );
    drawing.marks.iter().for_each(|mark| write_mark(&mut text, mark));
    text += "</svg>\n";
    text
}

fn write_mark(out: &mut String, mark: &Mark) {
    let _ = match mark {
        Mark::Line { points, colour, width, dashes } => {
            let points: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let dashes: Vec<_> = dashes.iter().map(f32::to_string).collect();
            let dashes =
                if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", dashes.join(" ")) };
            let (points, colour) = (points.join(" "), hex(*colour));
            writeln!(
                out,
                "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{dashes}/>"
            )
        }
        Mark::Dot { at: (x, y), radius, colour } => {
            writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{}\"/>", hex(*colour))
        }
        Mark::Text { at: (x, y), anchor, size, colour, upright, text } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let turn = if *upright { format!(" transform=\"rotate(-90 {x:.1} {y:.1})\"") } else { String::new() };
            let (colour, text) = (hex(*colour), escaped(text));
            writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" fill=\"{colour}\"{turn}>{text}</text>"
            )
        }
    };
}

fn hex([r, g, b]: Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Text for SVG and HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
