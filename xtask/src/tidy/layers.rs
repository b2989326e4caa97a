//! The modules of the engine use one another as one table says, and in one direction only.

use super::lexer::{Token, tokens};
use super::{Problem, Source};

/// Each module with those it may use, all of which stand before it. ARCHITECTURE.md shows the same table.
///
/// Modules that do not exist yet have their places, too.
pub const USES: [(&str, &[&str]); 16] = [
    ("math", &[]),
    ("sparse", &["math"]),
    ("geometry", &["math"]),
    ("hand", &["math", "geometry"]),
    ("energy", &["math", "sparse", "geometry", "hand"]),
    ("tracking", &["math", "hand", "energy"]),
    ("body", &["math", "sparse", "geometry", "hand", "energy", "tracking"]),
    ("collide", &["math", "geometry", "energy", "body"]),
    ("solve", &["math", "sparse", "energy"]),
    ("constraint", &["math", "sparse", "energy", "solve"]),
    ("contact", &["math", "sparse", "energy", "body", "collide", "solve", "constraint"]),
    ("strain", &["math", "sparse", "energy", "body", "constraint"]),
    ("haptics", &["math", "constraint"]),
    ("tactile", &["math", "geometry", "hand", "body"]),
    (
        "world",
        &[
            "math",
            "sparse",
            "geometry",
            "hand",
            "energy",
            "tracking",
            "body",
            "collide",
            "solve",
            "constraint",
            "contact",
            "strain",
            "haptics",
            "tactile",
        ],
    ),
    ("host", &["math", "geometry", "energy", "world"]),
];

/// Folder of the engine's modules.
const ENGINE: &str = "crates/thenar/src/";

/// The modules that exist, in order of [`USES`], then any that it does not know.
pub fn existing_modules(sources: &[Source]) -> Vec<String> {
    let mut modules: Vec<String> = Vec::new();
    for source in sources {
        if let Some(module) = module_path(&source.path).and_then(|path| path.first().cloned())
            && !modules.contains(&module)
        {
            modules.push(module);
        }
    }
    modules.sort_by_key(|module| rank(module).unwrap_or(USES.len()));
    modules
}

/// What a module may use, if it has a place in the table.
pub fn allowed(module: &str) -> Option<&'static [&'static str]> {
    rank(module).map(|at| USES[at].1)
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

/// What the table allows and nobody needs is taken out of it: it tells readers who uses whom.
pub fn check_unused(sources: &[Source], problems: &mut Vec<Problem>) {
    let existing = existing_modules(sources);
    let exists = |module: &str| existing.iter().any(|name| name == module);
    for (module, uses) in USES.iter().filter(|(module, _)| exists(module)) {
        let own = sources.iter().filter_map(|source| Some((source, module_path(&source.path)?)));
        let own = own.filter(|(_, path)| path.first().is_some_and(|first| first == module));
        let used: Vec<&str> = own
            .flat_map(|(source, path)| root_names(&tokens(&source.text), path.len()))
            .map(|(name, _)| name)
            .collect();
        for other in uses.iter().filter(|other| exists(other) && !used.contains(other)) {
            let message = format!("`{module}` does not use `{other}`: take it out of the table of modules");
            problems.push(Problem { path: "xtask/src/tidy/layers.rs".into(), line: 0, message });
        }
    }
}

fn check_module(source: &Source, own: &str, path: &[String], problems: &mut Vec<Problem>) {
    let Some(uses) = allowed(own) else {
        let message = format!("module `{own}` has no place in the table of modules (xtask/src/tidy/layers.rs)");
        problems.push(source.problem(0, message));
        return;
    };
    for (name, line) in root_names(&tokens(&source.text), path.len()) {
        match rank(name) {
            Some(_) if name != own && !uses.contains(&name) => {
                let message = format!("`{own}` must not use `{name}`; it may use: {}", listed(uses));
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

/// Names as a sentence or a cell of a table lists them.
pub fn listed(modules: &[&str]) -> String {
    if modules.is_empty() { "nothing".into() } else { modules.join(", ") }
}

fn rank(module: &str) -> Option<usize> {
    USES.iter().position(|(name, _)| *name == module)
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
        assert!(problems("gadgets/mod.rs", "")[0].contains("no place in the table"));
    }

    #[test]
    fn a_neighbour_that_the_table_does_not_name_is_refused() {
        // Tracking stands before collide, but detection has nothing to do with it.
        assert_eq!(
            problems("collide/skin.rs", "use crate::tracking::Targets;"),
            ["1: `collide` must not use `tracking`; it may use: math, geometry, energy, body"]
        );
        assert_eq!(
            problems("math/lanes.rs", "use crate::sparse::Slot;"),
            ["1: `math` must not use `sparse`; it may use: nothing"]
        );
    }

    #[test]
    fn the_table_has_no_circles() {
        for (at, (module, uses)) in USES.iter().enumerate() {
            let places: Vec<usize> = uses.iter().map(|name| rank(name).expect(name)).collect();
            assert!(places.iter().all(|place| *place < at), "{module} uses what comes after it");
            assert!(places.is_sorted(), "{module}: in the order of the table");
        }
    }

    #[test]
    fn what_nobody_uses_is_no_part_of_the_table() {
        let source = |path: &str, text: &str| Source { path: format!("{ENGINE}{path}"), text: text.into() };
        let mut sources = vec![
            source("math/mod.rs", ""),
            source("geometry/mod.rs", "use crate::math::Vec3;"),
            source("hand/mod.rs", "use crate::math::Vec3;"),
            source("hand/skin.rs", ""),
        ];
        let mut problems = Vec::new();
        check_unused(&sources, &mut problems);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.starts_with("`hand` does not use `geometry`"), "{}", problems[0]);
        sources.push(source("hand/nail.rs", "use crate::geometry::Aabb;"));
        problems.clear();
        check_unused(&sources, &mut problems);
        assert!(problems.is_empty());
    }

    #[test]
    fn modules_are_listed_once_in_order() {
        let source = |path: &str| Source { path: format!("{ENGINE}{path}"), text: String::new() };
        let sources = [source("hand/mod.rs"), source("hand/skin.rs"), source("lib.rs"), source("math/mod.rs")];
        assert_eq!(existing_modules(&sources), ["math", "hand"]);
    }
}
