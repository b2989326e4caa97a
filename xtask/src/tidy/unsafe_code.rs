//! Every `unsafe` says why it is sound.

use super::lexer::{Token, tokens};
use super::{Problem, Source};

/// Clippy's `undocumented_unsafe_blocks` knows blocks and impls; this also covers functions (a `# Safety` section or
/// a `SAFETY:` comment), and sources that a build configuration leaves out. A function of a trait's implementation
/// needs what the trait says it needs.
pub fn check(source: &Source, problems: &mut Vec<Problem>) {
    let tokens = tokens(&source.text);
    let lines: Vec<&str> = source.text.lines().collect();
    let mut blocks = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.text {
            "{" => blocks.push(opens_trait_implementation(&tokens[..index])),
            "}" => {
                blocks.pop();
            }
            _ => {}
        }
        if token.text != "unsafe" {
            continue;
        }
        let follower = tokens.get(index + 1).map_or("", |next| next.text);
        // `unsafe(no_mangle)` in an attribute and `unsafe fn(..)` as a type make no promise of their own.
        let is_function_type = follower == "fn" && tokens.get(index + 2).is_some_and(|next| next.text == "(");
        let is_declared_by_trait = follower == "fn" && blocks.last() == Some(&true);
        if follower == "(" || is_function_type || is_declared_by_trait {
            continue;
        }
        if !is_explained(&lines, token.line) {
            problems.push(source.problem(token.line, format!("`unsafe {follower}` without a SAFETY comment above it")));
        }
    }
}

/// True if the tokens before a brace end in `impl Trait for Type`.
fn opens_trait_implementation(before: &[Token<'_>]) -> bool {
    let head = before.iter().rev().map(|token| token.text).take_while(|text| !matches!(*text, "{" | "}" | ";"));
    let head: Vec<&str> = head.collect();
    let start = head.iter().rposition(|text| *text == "impl");
    // `fn f() -> impl A` and `for<'a>` are no implementation of a trait; in `head` the words stand back to front.
    start.is_some_and(|at| head[..at].contains(&"for")) && !head.contains(&"fn")
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
    fn functions_of_a_trait_are_explained_by_the_trait() {
        let body = "{\n    #[inline(always)]\n    unsafe fn load() {}\n}\n";
        assert_eq!(count(&format!("// SAFETY: sound.\nunsafe impl<T: Real> Vector for Array<T> {body}")), 0);
        assert_eq!(count(&format!("impl<T: Real> Array<T> {body}")), 1);
        assert_eq!(count(&format!("trait Vector {body}")), 1);
        assert_eq!(count("impl A for B {\n    fn f() {\n        unsafe { g() }\n    }\n}\n"), 1);
    }

    #[test]
    fn mentions_that_promise_nothing_pass() {
        assert_eq!(
            count("// unsafe\nlet a = \"unsafe {\";\ntype F = unsafe fn(u8);\n#[unsafe(no_mangle)]\nfn f() {}\n"),
            0
        );
    }
}
