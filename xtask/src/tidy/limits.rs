//! No file grows too long to read.

use super::{Problem, Source};

/// Longest file we accept, in lines.
const MOST_LINES: usize = 600;

/// Written by people, so held to the limit. Data (JSON, CSV, OBJ) is not.
const WRITTEN_BY_HAND: [&str; 16] =
    ["rs", "ts", "tsx", "js", "mjs", "py", "md", "toml", "sh", "css", "html", "wgsl", "c", "h", "cpp", "yml"];

pub fn check(source: &Source, problems: &mut Vec<Problem>) {
    let extension = source.path.rsplit('.').next().unwrap_or_default();
    let lines = source.text.lines().count();
    if WRITTEN_BY_HAND.contains(&extension) && lines > MOST_LINES {
        problems.push(source.problem(0, format!("{lines} lines, more than {MOST_LINES}: split it by concept")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, lines: usize) -> usize {
        let mut problems = Vec::new();
        check(&Source { path: path.into(), text: "x\n".repeat(lines) }, &mut problems);
        problems.len()
    }

    #[test]
    fn source_over_the_limit_is_found_and_lock_files_are_not() {
        assert_eq!(count("a.rs", 600), 0);
        assert_eq!(count("a.rs", 601), 1);
        assert_eq!(count("web/src/a.ts", 601), 1);
        assert_eq!(count("Cargo.lock", 5000), 0);
        assert_eq!(count("package-lock.json", 5000), 0);
    }
}
