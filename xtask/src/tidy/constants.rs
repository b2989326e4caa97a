//! Every number with a name in the contact layer is explained in the table of its module's documentation.

use super::lexer::{Token, tokens};
use super::{Problem, Source};

/// Modules whose numbers need a reason that can be read in one place.
const MODULES: [&str; 9] =
    ["body", "collide", "constraint", "contact", "haptics", "solve", "strain", "tactile", "world"];

/// Types whose constants are numbers.
const NUMBERS: [&str; 5] = ["f64", "f32", "u32", "u64", "usize"];

/// The heading of the table.
const HEADING: &str = "//! # Constants";

/// Each `const NAME: number` outside tests has a row under `# Constants` in the module's `mod.rs`; a row begins with one
/// or more names: ``//! | `NAME`, `OTHER` | value | why |``.
pub fn check(sources: &[Source], problems: &mut Vec<Problem>) {
    for module in MODULES {
        let folder = format!("crates/thenar/src/{module}/");
        let own: Vec<&Source> = sources
            .iter()
            .filter(|s| s.is_rust() && s.path.starts_with(&folder) && !s.path.ends_with("_tests.rs"))
            .collect();
        let Some(page) = own.iter().find(|s| s.path == format!("{folder}mod.rs")) else { continue };
        let listed = rows(&page.text);
        let mut declared = Vec::new();
        for source in &own {
            for (name, line) in constants(&tokens(&source.text)) {
                if !listed.iter().any(|(row, _)| *row == name) {
                    let message =
                        format!("`{name}` is missing in the table `# Constants` of {folder}mod.rs: say why it is so");
                    problems.push(source.problem(line, message));
                }
                declared.push(name);
            }
        }
        for (index, (name, line)) in listed.iter().enumerate() {
            if !declared.contains(name) {
                problems.push(page.problem(*line, format!("no constant of `{module}` is named `{name}`")));
            } else if listed[..index].iter().any(|(before, _)| before == name) {
                problems.push(page.problem(*line, format!("`{name}` stands in the table twice")));
            }
        }
    }
}

/// The names in the first cells of the table, with their lines from 1.
fn rows(text: &str) -> Vec<(&str, usize)> {
    let lines = text.lines().enumerate().skip_while(|(_, line)| line.trim_end() != HEADING).skip(1);
    let mut names = Vec::new();
    for (index, line) in lines.take_while(|(_, line)| line.starts_with("//!") && !line.starts_with("//! # ")) {
        let Some(cell) = line.strip_prefix("//! | `").and_then(|rest| rest.split('|').next()) else { continue };
        // the prefix took the first backtick: names stand in every second piece from the first on
        names.extend(cell.split('`').step_by(2).filter(|name| !name.trim().is_empty()).map(|name| (name, index + 1)));
    }
    names
}

/// Constants of a number type with their lines, those of `#[cfg(test)]` items left out.
fn constants<'a>(tokens: &[Token<'a>]) -> Vec<(&'a str, usize)> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if ["#", "[", "cfg", "(", "test", ")", "]"].iter().enumerate().all(|(k, part)| text(at + k) == *part) {
            at = after_item(tokens, at + 7);
            continue;
        }
        if text(at) == "const" && text(at + 2) == ":" && NUMBERS.contains(&text(at + 3)) && text(at + 4) == "=" {
            found.push((text(at + 1), tokens[at].line));
        }
        at += 1;
    }
    found
}

/// Behind the item that begins at `at`: its first semicolon or its closing brace.
fn after_item(tokens: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0;
    for (offset, token) in tokens[at..].iter().enumerate() {
        match token.text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => {
                depth -= 1;
                if depth == 0 && token.text == "}" {
                    return at + offset + 1;
                }
            }
            ";" if depth == 0 => return at + offset + 1,
            _ => {}
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(page: &str, code: &str) -> Vec<String> {
        let source = |file: &str, text: &str| Source { path: format!("crates/thenar/src/{file}"), text: text.into() };
        let sources = [source("contact/mod.rs", page), source("contact/pair.rs", code), source("hand/mod.rs", code)];
        let mut problems = Vec::new();
        check(&sources, &mut problems);
        problems.iter().map(ToString::to_string).collect()
    }

    const PAGE: &str = "//! Contact.\n//!\n//! | method | where |\n//! | `penalty` | here |\n//!\n//! # Constants\n//!\n\
        //! | constant | value | why |\n//! |---|---|---|\n//! | `DEEP` | 6 mm | `a` finger |\n//! | `NEAR`, `FAR` | 1, 2 | hands |\n\nmod pair;\n";

    #[test]
    fn constants_that_the_table_explains_pass() {
        let code = "const DEEP: f64 = 6e-3;\nfn f() {\n    const NEAR: usize = 1;\n}\nimpl A {\n    pub(super) const FAR: u32 = 2;\n}\n\
            const NAMES: [&str; 1] = [\"a\"];\n// const OLD: f64 = 1.0;\n";
        assert_eq!(problems(PAGE, code), [""; 0]);
    }

    #[test]
    fn a_constant_without_a_row_is_found_wherever_it_stands() {
        let known = "const DEEP: f64 = 6e-3; const NEAR: f32 = 1.0; const FAR: u64 = 2;\n";
        for code in ["const NEW: f64 = 1.0;", "pub const NEW: f32 = 1.0;", "fn f() { const NEW: usize = 3; }"] {
            let found = problems(PAGE, &format!("{known}{code}\n"));
            let expected = "crates/thenar/src/contact/pair.rs:2: `NEW` is missing in the table `# Constants` of \
                crates/thenar/src/contact/mod.rs: say why it is so";
            assert_eq!(found, [expected], "{code}");
        }
    }

    #[test]
    fn rows_that_name_no_constant_or_one_twice_are_found() {
        assert_eq!(
            problems(PAGE, "const DEEP: f64 = 6e-3;\nconst NEAR: f64 = 1.0;\n"),
            ["crates/thenar/src/contact/mod.rs:11: no constant of `contact` is named `FAR`"]
        );
        let twice = PAGE.replace("`FAR`", "`DEEP`");
        assert_eq!(
            problems(&twice, "const DEEP: f64 = 6e-3;\nconst NEAR: f64 = 1.0;\n"),
            ["crates/thenar/src/contact/mod.rs:11: `DEEP` stands in the table twice"]
        );
    }

    #[test]
    fn a_module_without_a_table_has_no_constants() {
        assert_eq!(problems("//! Contact.\n", "const DEEP: f64 = 6e-3;\n").len(), 1);
        assert_eq!(problems("//! Contact.\n", "fn f() {}\n"), [""; 0]);
    }

    #[test]
    fn tests_may_have_their_own() {
        let code = "const DEEP: f64 = 6e-3; const NEAR: f32 = 1.0;\n#[cfg(test)]\nmod tests {\n    const A: f64 = 1.0;\n}\n\
            #[cfg(test)]\nuse std::fs;\nconst FAR: u64 = 2;\n#[cfg(test)]\nconst B: [u8; 2] = [0; 2];\n";
        assert_eq!(problems(PAGE, code), [""; 0]);
    }
}
