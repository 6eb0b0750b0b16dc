//! Splitting of a text into words, which are runs of letters and digits with their marks, in lower case and Unicode normal form C.
//! Everything between two words is skipped, including bytes that are not UTF-8.
//!
//! Marks (general category M) are separate accents, and the vowel signs and viramas of Indic scripts; they belong to the letter before
//! them. An accent may be written as a mark or within its letter; composition makes both the same word. Joiners and soft hyphens, which are
//! invisible, do not end a word and are left out.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Calls `show` with each word of a text, in order.
pub(crate) fn each(text: &[u8], mut show: impl FnMut(&[u8])) {
    let mut word = String::new();
    for chunk in text.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(first) = rest.find(char::is_alphanumeric) {
            rest = &rest[first..];
            let (run, behind) = rest.split_at(rest.find(|c| !goes_on(c)).unwrap_or(rest.len()));
            if run.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9')) {
                show(run.as_bytes());
            } else {
                word.clear();
                // Lower-cased letter by letter, so that the result for a letter does not depend on its neighbours.
                let letters = run.chars().filter(|&c| !is_unseen(c)).flat_map(char::to_lowercase);
                word.extend(letters.nfc());
                show(word.as_bytes());
            }
            rest = behind;
        }
    }
}

/// Whether a character after the first letter of a word continues the word.
fn goes_on(c: char) -> bool {
    c.is_alphanumeric() || !c.is_ascii() && (is_combining_mark(c) || is_unseen(c))
}

/// Whether a character is invisible and is left out of words: a soft hyphen, or a joiner, which only affects how letters are drawn.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &[u8]) -> Vec<String> {
        let mut words = Vec::new();
        each(text, |word| words.push(String::from_utf8(word.to_vec()).unwrap()));
        words
    }

    #[test]
    fn marks_go_with_their_letters() {
        for (text, right) in [
            ("हिन्दी में लिखना, पढ़ना", &["हिन्दी", "में", "लिखना", "पढ़ना"][..]),
            ("தமிழ் மொழி", &["தமிழ்", "மொழி"]),
            ("ภาษาไทย ที่นี่", &["ภาษาไทย", "ที่นี่"]),
            ("שָׁלוֹם مُحَمَّد", &["שָׁלוֹם", "مُحَمَّد"]),
            ("cafe\u{301} CAFE\u{301} café", &["café", "café", "café"]),
            ("Việt Nam", &["việt", "nam"]),
            ("\u{301}a \u{301} -\u{301}b", &["a", "b"]),
            ("x\u{301}\u{323} x\u{323}\u{301}", &["x\u{323}\u{301}", "x\u{323}\u{301}"]),
            ("İstanbul I\u{307}stanbul", &["i\u{307}stanbul", "i\u{307}stanbul"]),
        ] {
            // `right` may be written in either form, composed or decomposed.
            let right: Vec<String> = right.iter().map(|word| word.nfc().collect()).collect();
            for text in [text.to_owned(), text.nfc().collect(), text.nfd().collect()] {
                assert_eq!(words(text.as_bytes()), right, "{text}");
            }
        }
    }

    #[test]
    fn a_letter_is_the_same_word_however_it_is_written() {
        for c in ('\0'..=char::MAX).filter(|c| c.is_alphanumeric()) {
            let composed: String = c.nfc().collect();
            assert_eq!(words(c.nfd().to_string().as_bytes()), words(composed.as_bytes()), "{c:?}");
            assert_eq!(words(c.to_string().as_bytes()), words(composed.as_bytes()), "{c:?}");
        }
    }

    #[test]
    fn what_is_not_seen_ends_no_word() {
        assert_eq!(words("ශ්\u{200d}රී com\u{ad}plete می\u{200c}خواهم".as_bytes()), ["ශ්රී", "complete", "میخواهم"]);
        assert_eq!(words("a\u{200d} \u{200d}b \u{ad} c\u{ad}".as_bytes()), ["a", "b", "c"]);
    }

    #[test]
    fn words_are_runs_of_letters_and_digits_in_lower_case() {
        for (text, right) in [
            ("Free entry, 2 a wkly comp!", &["free", "entry", "2", "a", "wkly", "comp"][..]),
            ("don't e-mail under_score", &["don", "t", "e", "mail", "under", "score"]),
            ("ÉCOLE Straße ΣΟΦΟΣ Ёлка", &["école", "straße", "σοφοσ", "ёлка"]),
            ("日本語、テスト １２", &["日本語", "テスト", "１２"]),
            ("\u{fffd}a\u{200b}b\u{a0}c\u{1f600}d", &["a", "b", "c", "d"]),
            ("  ...  ", &[]),
            ("", &[]),
        ] {
            assert_eq!(words(text.as_bytes()), right, "{text}");
        }
        assert_eq!(words(b"caf\xe9 \x93Win\x94 a\xf0\x9f"), ["caf", "win", "a"]);
    }
}
