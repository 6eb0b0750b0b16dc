//! Approximate widths of texts for the layout, since only the program that shows a figure knows its font.

/// Advance widths of printable ASCII in DejaVu Sans, the first font that figures request, in thousandths of the font size.
#[rustfmt::skip]
const ADVANCES: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838,
    838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611,
    685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592,
    818, 592, 592, 525, 636, 337, 636, 838,
];
/// Width of superscript digits, used in labels of logarithmic axes, in thousandths of the font size.
const SUPERSCRIPT: u16 = 401;
/// Width assumed for characters outside ASCII, between those of Greek letters and of operators, in thousandths of the font
/// size.
const OTHER: u16 = 650;

/// Returns the width of a text in pixels, approximately that in DejaVu Sans; exact for ASCII.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let thousandths: u32 = text.chars().map(|letter| u32::from(advance(letter))).sum();
    f64::from(thousandths) / 1000.0 * size
}

fn advance(letter: char) -> u16 {
    match letter {
        ' '..='~' => ADVANCES[letter as usize - ' ' as usize],
        '⁰' | '¹' | '²' | '³' | '⁴'..='⁹' => SUPERSCRIPT,
        _ => OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_widths() {
        assert!(width("mm", 10.0) > width("ii", 10.0) && width("", 10.0) == 0.0);
        assert_eq!(width("m~⁻¹", 1000.0), 974.0 + 838.0 + 650.0 + 401.0);
    }
}
