//! Words that must not appear: paths of one machine, addresses of registries, marks of unfinished work.

use super::{Problem, Source};

/// Split in two so that this file does not contain what it forbids.
const FORBIDDEN: [([&str; 2], &str); 14] = [
    (["/wo", "rk/"], "a path of one machine"),
    (["/ho", "me/"], "a path of one machine"),
    (["/ro", "ot/"], "a path of one machine"),
    (["/Us", "ers/"], "a path of one machine"),
    (["C:\\Us", "ers"], "a path of one machine"),
    (["registry.np", "mjs"], "the address of a registry"),
    (["registry.ya", "rnpkg"], "the address of a registry"),
    (["index.cra", "tes.io"], "the address of a registry"),
    (["artif", "actory"], "the address of a registry"),
    (["\"resol", "ved\": \"http"], "the address of a registry (set omit-lockfile-registry-resolved=true in .npmrc)"),
    (["TO", "DO"], "unfinished work: do it, or open an issue"),
    (["FIX", "ME"], "unfinished work: do it, or open an issue"),
    (["to", "do!("], "unfinished work: do it, or open an issue"),
    (["unimpl", "emented!("], "unfinished work: do it, or return an error"),
];

pub fn check(source: &Source, problems: &mut Vec<Problem>) {
    for ([start, end], what) in FORBIDDEN {
        let word = format!("{start}{end}");
        if !source.text.contains(&word) {
            continue;
        }
        for (index, line) in source.text.lines().enumerate() {
            if contains_word(line, &word) {
                problems.push(source.problem(index + 1, format!("`{word}` is {what}")));
            }
        }
    }
}

/// True if `word` occurs in `line` and is not the tail or the head of a longer name (`somehome/` is no path of a machine).
fn contains_word(line: &str, word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let ends_in_name = word.ends_with(is_name);
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let joined_before =
            before.is_some_and(|c| is_name(c) || (word.starts_with('/') && matches!(c, '.' | '}' | ')')));
        let joined_after = ends_in_name && after.is_some_and(is_name);
        !joined_before && !joined_after
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let mut problems = Vec::new();
        check(&Source { path: "a.rs".into(), text: text.into() }, &mut problems);
        problems.iter().map(|problem| problem.line).collect()
    }

    #[test]
    fn every_forbidden_word_is_found_on_its_line() {
        for ([start, end], _) in FORBIDDEN {
            assert_eq!(lines(&format!("fine\nlet a = \"{start}{end}\";\n")), [2], "{start}{end}");
        }
    }

    #[test]
    fn longer_names_that_hold_a_forbidden_word_are_fine() {
        let tail = "rk/notes";
        assert_eq!(lines(&format!("see frame/wo{tail} and ./wo{tail}")), []);
        assert_eq!(lines(&format!("MAS{}S", ["TO", "DO"].concat())), []);
    }
}
