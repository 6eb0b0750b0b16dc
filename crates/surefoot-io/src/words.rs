//! The words of a text: runs of letters and digits, in lower case. Whatever stands between two is passed over, bytes that are no
//! UTF-8 too.

/// Shows each word, in the order of the text.
pub(crate) fn each(text: &[u8], mut show: impl FnMut(&[u8])) {
    let mut word = String::new();
    for chunk in text.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(first) = rest.find(char::is_alphanumeric) {
            rest = &rest[first..];
            let (run, behind) = rest.split_at(rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len()));
            if run.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9')) {
                show(run.as_bytes());
            } else {
                word.clear();
                // By letter: what a letter becomes does not depend on those beside it.
                word.extend(run.chars().flat_map(char::to_lowercase));
                show(word.as_bytes());
            }
            rest = behind;
        }
    }
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
