//! Detection of the svmlight format from the first bytes of a text.

use crate::text::number;

/// Whether a text is certainly svmlight, judged by its first lines: each consists of a number and pairs of an integer and a number, and at
/// least one has a pair. The last line may be incomplete.
pub(crate) fn begins(head: &[u8]) -> bool {
    let whole = head.iter().rposition(|&byte| byte == b'\n').map_or(head, |last| &head[..last]);
    let lines = whole.split(|&byte| byte == b'\n').map(|line| line.split(|&b| b == b'#').next().unwrap_or_default());
    let lines = lines.map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()).take(10);
    let is_pair = |token: &[u8]| {
        token.starts_with(b"qid:") || number::index(token, 0).is_some_and(|(_, end)| token.get(end) == Some(&b':'))
    };
    let (mut pairs, mut sound) = (false, true);
    for line in lines {
        let mut tokens = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|token| !token.is_empty());
        let label = tokens.next().unwrap_or_default();
        let mut rest = tokens.peekable();
        sound &= is_pair(label) || number::value(label, 0).is_some_and(|(_, end)| end == label.len());
        pairs |= rest.peek().is_some();
        sound &= rest.all(is_pair);
    }
    pairs && sound
}
