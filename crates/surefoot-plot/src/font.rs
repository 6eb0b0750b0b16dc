//! The letters of figures.

use std::sync::LazyLock;

use ttf_parser::{Face, GlyphId};

static DATA: &[u8] = include_bytes!("../assets/DejaVuSans-subset.ttf");

static FACE: LazyLock<Face<'static>> =
    LazyLock::new(|| Face::parse(DATA, 0).expect("the font that comes with the crate"));

/// A letter: its outline, how far the next one is, and the units of a line's height.
pub(super) fn glyph(letter: char) -> (GlyphId, f64) {
    let id = FACE.glyph_index(letter).or_else(|| FACE.glyph_index('?')).unwrap_or_default();
    let advance = FACE.glyph_hor_advance(id).unwrap_or_default();
    (id, f64::from(advance) / f64::from(FACE.units_per_em()))
}

/// The scale from the font's units to pixels at a size.
pub(super) fn scale(size: f64) -> f64 {
    size / f64::from(FACE.units_per_em())
}

pub(super) fn outline(id: GlyphId, builder: &mut dyn ttf_parser::OutlineBuilder) {
    let _ = FACE.outline_glyph(id, builder);
}

/// The width of a text in pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|letter| glyph(letter).1 * size).sum()
}

/// Whether there is a glyph for every letter of a text.
#[must_use]
pub fn has_letters(text: &str) -> bool {
    text.chars().all(|letter| FACE.glyph_index(letter).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_widths() {
        assert!(width("mm", 10.0) > width("ii", 10.0) && width("", 10.0) == 0.0);
        assert!(has_letters("aZ0αβδεκσμΣ√≤≥±−·×÷‖½²⁰⁻⁹") && !has_letters("字"));
    }
}
