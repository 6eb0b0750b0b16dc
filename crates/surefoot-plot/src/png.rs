//! Drawings as PNG.

use tiny_skia::{Color, FillRule, LineCap, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform};

use super::font;
use super::mark::{Anchor, Colour, Drawing, Mark};

/// Pixels of the picture for one of the drawing.
const FINE: f32 = 2.0;

pub(super) fn draw(drawing: &Drawing) -> Vec<u8> {
    let [width, height] = [drawing.width, drawing.height].map(|x| (x as f32 * FINE).ceil() as u32);
    let mut picture = Pixmap::new(width, height).expect("a figure has an area");
    picture.fill(Color::WHITE);
    drawing.marks.iter().for_each(|mark| draw_mark(&mut picture, mark));
    picture.encode_png().expect("a picture in memory")
}

fn draw_mark(picture: &mut Pixmap, mark: &Mark) {
    let fine = Transform::from_scale(FINE, FINE);
    match mark {
        Mark::Line { points, colour, width, dashes } => {
            let mut builder = PathBuilder::new();
            for (i, &(x, y)) in points.iter().enumerate() {
                let (x, y) = (x as f32, y as f32);
                if i == 0 { builder.move_to(x, y) } else { builder.line_to(x, y) }
            }
            let dash = (!dashes.is_empty()).then(|| StrokeDash::new(dashes.to_vec(), 0.0)).flatten();
            let stroke = Stroke { width: *width as f32, dash, line_cap: LineCap::Butt, ..Stroke::default() };
            if let Some(path) = builder.finish() {
                picture.stroke_path(&path, &paint(*colour), &stroke, fine, None);
            }
        }
        Mark::Area { points, colour, opacity } => {
            let mut builder = PathBuilder::new();
            for (i, &(x, y)) in points.iter().enumerate() {
                let (x, y) = (x as f32, y as f32);
                if i == 0 { builder.move_to(x, y) } else { builder.line_to(x, y) }
            }
            builder.close();
            let pale = colour.map(|c| (255.0 - (255.0 - f64::from(c)) * opacity).round() as u8);
            fill(picture, builder.finish(), pale, fine);
        }
        Mark::Group { marks, .. } => marks.iter().for_each(|mark| draw_mark(picture, mark)),
        Mark::Dot { at: (x, y), radius, colour } => {
            let path = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32);
            fill(picture, path, *colour, fine);
        }
        Mark::Text { at: (x, y), anchor, size, colour, upright, text } => {
            let width = font::width(text, *size);
            let start = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => -width / 2.0,
                Anchor::End => -width,
            };
            let turn = Transform::from_rotate(if *upright { -90.0 } else { 0.0 });
            let place = turn.post_translate(*x as f32, *y as f32).post_concat(fine);
            fill(picture, letters(text, start, *size), *colour, place);
        }
    }
}

fn paint(colour: Colour) -> Paint<'static> {
    let [r, g, b] = colour;
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, 255);
    paint
}

fn fill(picture: &mut Pixmap, path: Option<Path>, colour: Colour, transform: Transform) {
    if let Some(path) = path {
        picture.fill_path(&path, &paint(colour), FillRule::Winding, transform, None);
    }
}

/// The outlines of a text that begins at `start` on the base line.
fn letters(text: &str, start: f64, size: f64) -> Option<Path> {
    let mut pen = Pen { builder: PathBuilder::new(), start: start as f32, scale: font::scale(size) as f32 };
    for letter in text.chars() {
        let (id, advance) = font::glyph(letter);
        font::outline(id, &mut pen);
        pen.start += (advance * size) as f32;
    }
    pen.builder.finish()
}

/// Takes outlines in the font's units, whose y grows upwards.
struct Pen {
    builder: PathBuilder,
    start: f32,
    scale: f32,
}

impl Pen {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.start + self.scale * x, -self.scale * y)
    }
}

impl ttf_parser::OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.builder.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.builder.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.builder.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.place(x1, y1), self.place(x2, y2), self.place(x, y));
        self.builder.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.builder.close();
    }
}
