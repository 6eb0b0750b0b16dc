//! The command line as typed, with the chosen penalty in place of `auto`.

/// Returns the typed command line with `flag value` in place of `flag auto`, without `--select`, and with `--standardize yes` if needed to
/// obtain the same penalty; `None` if `flag auto` was not typed.
pub(crate) fn with_penalty(words: &[String], flag: &str, value: &str, standardize: bool) -> Option<String> {
    let (mut words, joined) = (words.to_vec(), format!("{flag}=auto"));
    let at = words.iter().position(|word| *word == joined).or_else(|| {
        let pair = words.windows(2).position(|pair| pair[0] == flag && pair[1] == "auto");
        pair.map(|at| at + 1)
    })?;
    words[at] = if words[at] == joined { format!("{flag}={value}") } else { value.to_owned() };
    let is_given = |word: &String| word == "--standardize" || word.starts_with("--standardize=");
    if standardize && !words.iter().any(is_given) {
        words.splice(at + 1..at + 1, ["--standardize", "yes"].map(str::to_owned));
    }
    remove(&mut words, "--select");
    Some(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
}

/// Removes a flag and its value from a command line.
fn remove(words: &mut Vec<String>, flag: &str) {
    if let Some(at) = words.iter().position(|word| word == flag) {
        words.drain(at..(at + 2).min(words.len()));
    }
    words.retain(|word| !word.starts_with(&format!("{flag}=")));
}

/// Quotes a word for use in a shell, if necessary.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_penalty_takes_the_place_of_auto() {
        for (typed, standardize, again) in [
            ("fit a.svm --l2 auto", true, "fit a.svm --l2 0.25 --standardize yes"),
            ("fit --l2=auto a.svm", true, "fit --l2=0.25 --standardize yes a.svm"),
            ("fit a --l2 auto --standardize no -o m", false, "fit a --l2 0.25 --standardize no -o m"),
            ("fit a --select 1se --l2 auto", true, "fit a --l2 0.25 --standardize yes"),
            ("fit it's --l2 auto --l1 1", false, "fit 'it'\\''s' --l2 0.25 --l1 1"),
        ] {
            let words: Vec<String> = typed.split(' ').map(str::to_owned).collect();
            assert_eq!(with_penalty(&words, "--l2", "0.25", standardize).as_deref(), Some(again));
        }
        assert_eq!(with_penalty(&["fit".into(), "--l1".into(), "auto".into()], "--l2", "1", true), None);
    }
}
