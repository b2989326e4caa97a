//! The modules of the engine depend on one another in one direction only.

use super::lexer::{Token, tokens};
use super::{Problem, Source};

/// Each module may use those before it. The same order as in ARCHITECTURE.md.
pub const ORDER: [&str; 14] = [
    "math", "sparse", "geometry", "hand", "energy", "tracking", "collide", "contact", "strain", "solve", "haptics",
    "tactile", "world", "host",
];

/// Folder of the engine's modules.
const ENGINE: &str = "crates/thenar/src/";

/// The modules that exist, in order of [`ORDER`], then any that the order does not know.
pub fn existing_modules(sources: &[Source]) -> Vec<String> {
    let mut modules: Vec<String> = Vec::new();
    for source in sources {
        if let Some(module) = module_path(&source.path).and_then(|path| path.first().cloned())
            && !modules.contains(&module)
        {
            modules.push(module);
        }
    }
    modules.sort_by_key(|module| rank(module).unwrap_or(ORDER.len()));
    modules
}

pub fn check(sources: &[Source], problems: &mut Vec<Problem>) {
    for source in sources {
        if let Some(path) = module_path(&source.path)
            && let Some(own) = path.first()
        {
            check_module(source, own, &path, problems);
        }
    }
}

fn check_module(source: &Source, own: &str, path: &[String], problems: &mut Vec<Problem>) {
    let Some(own_rank) = rank(own) else {
        let message = format!("module `{own}` has no place in the order of modules (xtask/src/tidy/layers.rs)");
        problems.push(source.problem(0, message));
        return;
    };
    for (name, line) in root_names(&tokens(&source.text), path.len()) {
        match rank(name) {
            Some(used) if used > own_rank => {
                let message = format!("`{own}` must not use `{name}`, which comes after it: {}", ORDER.join(" < "));
                problems.push(source.problem(line, message));
            }
            Some(_) => {}
            None => {
                let message = format!("`crate::{name}` hides which module it comes from: name the module");
                problems.push(source.problem(line, message));
            }
        }
    }
}

fn rank(module: &str) -> Option<usize> {
    ORDER.iter().position(|name| *name == module)
}

/// `crates/thenar/src/hand/skin.rs` is `[hand, skin]`, `hand/mod.rs` is `[hand]`, `lib.rs` is `[]`.
fn module_path(path: &str) -> Option<Vec<String>> {
    let inner = path.strip_prefix(ENGINE)?.strip_suffix(".rs")?;
    let mut names: Vec<String> = inner.split('/').map(String::from).collect();
    if matches!(names.last().map(String::as_str), Some("mod" | "lib")) {
        names.pop();
    }
    Some(names)
}

/// The names looked up in the root of the crate, by `crate::name` or by enough `super::`, with their lines.
fn root_names<'a>(tokens: &[Token<'a>], file_depth: usize) -> Vec<(&'a str, usize)> {
    let mut names = Vec::new();
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    // Brace depths at which inline modules opened: each makes `super` reach one module less far.
    let mut inline_modules = Vec::new();
    let mut braces = 0;
    let mut at = 0;
    while at < tokens.len() {
        match text(at) {
            "{" => {
                if at >= 2 && text(at - 2) == "mod" {
                    inline_modules.push(braces);
                }
                braces += 1;
            }
            "}" => {
                braces -= 1;
                if inline_modules.last() == Some(&braces) {
                    inline_modules.pop();
                }
            }
            "crate" if text(at + 1) == "::" => {
                first_names(tokens, at + 2, &mut names);
                at += 1;
            }
            "super" if text(at + 1) == "::" => {
                let mut climbed = 1;
                at += 2;
                while text(at) == "super" && text(at + 1) == "::" {
                    climbed += 1;
                    at += 2;
                }
                if climbed == file_depth + inline_modules.len() {
                    first_names(tokens, at, &mut names);
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    names
}

/// The first name of a path, or of each path in a `{..}` group. Macros at the root are no modules.
fn first_names<'a>(tokens: &[Token<'a>], at: usize, names: &mut Vec<(&'a str, usize)>) {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    if text(at) != "{" {
        if let Some(token) = tokens.get(at)
            && text(at + 1) != "!"
        {
            names.push((token.text, token.line));
        }
        return;
    }
    let mut depth = 0;
    for (offset, token) in tokens[at..].iter().enumerate() {
        match token.text {
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                if depth == 0 {
                    return;
                }
            }
            name if depth == 1 && matches!(text(at + offset - 1), "{" | ",") && name != "self" => {
                names.push((name, token.line));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, text: &str) -> Vec<String> {
        let mut problems = Vec::new();
        check(&[Source { path: format!("{ENGINE}{path}"), text: text.into() }], &mut problems);
        problems.iter().map(|problem| format!("{}: {}", problem.line, problem.message)).collect()
    }

    #[test]
    fn looking_down_is_fine() {
        assert_eq!(
            problems("hand/skin.rs", "use crate::math::Vec3;\nuse super::Digit;\nuse crate::hand::Side;"),
            [""; 0]
        );
        assert_eq!(problems("lib.rs", "pub use crate::world::World;"), [""; 0]);
        assert_eq!(
            problems("hand/skin.rs", "/// See [`crate::world`].\nconst A: &str = \"crate::world::B\";"),
            [""; 0]
        );
    }

    #[test]
    fn looking_up_is_found_in_every_way_to_write_it() {
        for code in [
            "use crate::world::World;",
            "use crate::{math::Vec3, world::{self, World}};",
            "use crate::{\n    math::{Mat3, Vec3},\n    world,\n};",
            "fn f() { crate::world::step(); }",
            "use super::super::world::World;",
            "use super::super::{math, world};",
            "mod tests { use super::super::super::world::World; }",
            "#[cfg(test)]\nmod tests {\n    use crate::world::World;\n}",
            "mod a { fn f() {} }\nfn g() { super::super::world::step(); }",
        ] {
            assert_eq!(problems("hand/skin.rs", code).len(), 1, "{code}");
        }
        assert!(
            problems("hand/skin.rs", "\nuse crate::world::World;")[0].starts_with("2: `hand` must not use `world`")
        );
    }

    #[test]
    fn detours_around_the_check_are_found() {
        assert!(problems("hand/skin.rs", "use crate::World;")[0].contains("name the module"));
        assert!(problems("hand/skin.rs", "use crate::*;")[0].contains("name the module"));
        assert!(problems("gadgets/mod.rs", "")[0].contains("no place in the order"));
    }

    #[test]
    fn modules_are_listed_once_in_order() {
        let source = |path: &str| Source { path: format!("{ENGINE}{path}"), text: String::new() };
        let sources = [source("hand/mod.rs"), source("hand/skin.rs"), source("lib.rs"), source("math/mod.rs")];
        assert_eq!(existing_modules(&sources), ["math", "hand"]);
    }
}
