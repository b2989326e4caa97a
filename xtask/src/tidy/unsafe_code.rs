//! Every `unsafe` says why it is sound.

use super::lexer::tokens;
use super::{Problem, Source};

/// Clippy's `undocumented_unsafe_blocks` knows blocks and impls; this also covers functions (a `# Safety` section or
/// a `SAFETY:` comment), and sources that a build configuration leaves out.
pub fn check(source: &Source, problems: &mut Vec<Problem>) {
    let tokens = tokens(&source.text);
    let lines: Vec<&str> = source.text.lines().collect();
    for (index, token) in tokens.iter().enumerate() {
        if token.text != "unsafe" {
            continue;
        }
        let follower = tokens.get(index + 1).map_or("", |next| next.text);
        // `unsafe(no_mangle)` in an attribute and `unsafe fn(..)` as a type make no promise of their own.
        let is_function_type = follower == "fn" && tokens.get(index + 2).is_some_and(|next| next.text == "(");
        if follower == "(" || is_function_type {
            continue;
        }
        if !is_explained(&lines, token.line) {
            problems.push(source.problem(token.line, format!("`unsafe {follower}` without a SAFETY comment above it")));
        }
    }
}

/// A comment on the line itself, or in the comments, attributes and unfinished statement right above it.
fn is_explained(lines: &[&str], line: usize) -> bool {
    let says_so = |text: &str| text.contains("SAFETY:") || text.contains("# Safety");
    let at = line - 1;
    if says_so(lines[at]) {
        return true;
    }
    for text in lines[..at].iter().rev() {
        let text = text.trim();
        let is_comment = text.starts_with("//") || text.starts_with("#[");
        let is_unfinished = !text.is_empty() && !text.ends_with([';', '{', '}']);
        if is_comment && says_so(text) {
            return true;
        }
        if !is_comment && !is_unfinished {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        let mut problems = Vec::new();
        check(&Source { path: "a.rs".into(), text: text.into() }, &mut problems);
        problems.len()
    }

    #[test]
    fn unexplained_blocks_functions_and_impls_are_found() {
        assert_eq!(count("fn f() {\n    unsafe { g() }\n}\n"), 1);
        assert_eq!(count("/// Does it.\npub unsafe fn f() {}\n"), 1);
        assert_eq!(count("unsafe impl Send for A {}\n"), 1);
        assert_eq!(count("// SAFETY: far away.\n\nlet a = 1;\nunsafe { g() }\n"), 1);
    }

    #[test]
    fn explained_ones_pass() {
        assert_eq!(count("    // SAFETY: checked above.\n    unsafe { g() }\n"), 0);
        assert_eq!(count("// SAFETY: checked above.\nlet a =\n    unsafe { g() };\n"), 0);
        assert_eq!(
            count("/// # Safety\n/// Needs AVX2.\n#[target_feature(enable = \"avx2\")]\npub unsafe fn f() {}\n"),
            0
        );
        assert_eq!(count("// SAFETY: no shared state.\nunsafe impl Send for A {}\n"), 0);
    }

    #[test]
    fn mentions_that_promise_nothing_pass() {
        assert_eq!(
            count("// unsafe\nlet a = \"unsafe {\";\ntype F = unsafe fn(u8);\n#[unsafe(no_mangle)]\nfn f() {}\n"),
            0
        );
    }
}
