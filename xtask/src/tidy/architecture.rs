//! ARCHITECTURE.md names every module, every crate and every dependency that exists, and no other.

use super::{Problem, Source, layers};

const PAGE: &str = "ARCHITECTURE.md";

/// Rows of the page's tables start with a name in backticks: `math/` for a module, `crates/thenar/` for a crate, `glam` for a
/// dependency.
pub fn check(sources: &[Source], problems: &mut Vec<Problem>) {
    let Some(page) = sources.iter().find(|source| source.path == PAGE) else {
        let message = "is missing: it names every crate and every module of the engine".into();
        problems.push(Problem { path: PAGE.into(), line: 0, message });
        return;
    };
    let named = first_cells(&page.text);
    let mut existing: Vec<String> =
        layers::existing_modules(sources).iter().map(|module| format!("{module}/")).collect();
    existing.extend(crates(sources));
    existing.extend(dependencies(sources));
    existing.extend(page_and_packages(sources));
    for path in &existing {
        if !named.iter().any(|(name, _)| name == path) {
            problems.push(page.problem(0, format!("no table row for `{path}`")));
        }
    }
    for (name, line) in &named {
        if !existing.contains(name) {
            problems.push(page.problem(*line, format!("`{name}` does not exist")));
        }
    }
    for (name, line) in &named {
        check_uses(page, name.trim_end_matches('/'), *line, &existing, problems);
    }
}

/// The second cell of a module's row says what it uses, as [`layers::USES`] does.
fn check_uses(page: &Source, module: &str, line: usize, existing: &[String], problems: &mut Vec<Problem>) {
    let Some(uses) = layers::allowed(module) else { return };
    let uses: Vec<&str> = uses.iter().copied().filter(|other| existing.contains(&format!("{other}/"))).collect();
    let row = page.text.lines().nth(line - 1).unwrap_or_default();
    let cell = row.split('|').nth(2).unwrap_or_default().trim();
    let expected = layers::listed(&uses);
    if cell != expected {
        problems
            .push(page.problem(line, format!("`{module}/` uses “{cell}” here, but {expected} in the table of tidy")));
    }
}

/// Folders with a Cargo.toml, with a slash at the end; not the root.
fn crates(sources: &[Source]) -> Vec<String> {
    let folders = sources.iter().filter_map(|source| source.path.strip_suffix("Cargo.toml"));
    folders.filter(|folder| !folder.is_empty()).map(String::from).collect()
}

/// What `[workspace.dependencies]` takes from elsewhere: every entry that is no path.
fn dependencies(sources: &[Source]) -> Vec<String> {
    let manifest = sources.iter().find(|source| source.path == "Cargo.toml").map_or("", |source| &source.text);
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap_or_default();
    let entries = section.lines().take_while(|line| !line.starts_with('[')).filter(|line| !line.contains("path ="));
    entries.filter_map(|line| line.split_once('=')).map(|(name, _)| name.trim().to_string()).collect()
}

/// The studio's page and what its `package.json` takes from npm.
fn page_and_packages(sources: &[Source]) -> Vec<String> {
    let Some(manifest) = sources.iter().find(|source| source.path == "web/package.json") else { return Vec::new() };
    let mut names = vec!["web/".to_string()];
    let mut inside = false;
    for line in manifest.text.lines() {
        match line.trim().split_once(':') {
            Some((key, _)) if key.ends_with("ependencies\"") => inside = true,
            Some((name, _)) if inside => names.push(name.trim_matches('"').to_string()),
            _ => inside = false,
        }
    }
    names
}

/// The names in the first column of the tables: those first cells that are one code span without spaces.
fn first_cells(text: &str) -> Vec<(String, usize)> {
    let mut cells = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(row) = line.trim().strip_prefix('|') else { continue };
        let cell = row.split('|').next().unwrap_or_default().trim();
        let name = cell.strip_prefix('`').and_then(|cell| cell.strip_suffix('`'));
        if let Some(name) = name
            && !name.contains(' ')
        {
            cells.push((name.to_string(), index + 1));
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[workspace.dependencies]\nthenar = { path = \"crates/thenar\" }\nglam = { version = \"1\" }\n\n[profile.dev]\nopt-level = 2\n";

    fn problems(page: &str) -> Vec<String> {
        let source = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
        let sources = [
            source(PAGE, page),
            source("Cargo.toml", MANIFEST),
            source("crates/thenar/Cargo.toml", ""),
            source("crates/thenar/src/lib.rs", ""),
            source("crates/thenar/src/math/mod.rs", ""),
        ];
        let mut problems = Vec::new();
        check(&sources, &mut problems);
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_page_that_names_what_exists_passes() {
        let page = "| crate | what |\n|---|---|\n| `crates/thenar/` | engine |\n| `math/` | nothing | numbers |\n| `glam` | dependency |\n";
        assert_eq!(problems(page), [""; 0]);
    }

    #[test]
    fn what_is_missing_and_what_is_stale_is_found() {
        let page = "| `crates/thenar/` | engine |\n| `gadgets/` | nothing | gone |\n| `serde` | no longer used |\n";
        assert_eq!(
            problems(page),
            [
                "ARCHITECTURE.md: no table row for `math/`",
                "ARCHITECTURE.md: no table row for `glam`",
                "ARCHITECTURE.md:2: `gadgets/` does not exist",
                "ARCHITECTURE.md:3: `serde` does not exist",
            ]
        );
    }

    #[test]
    fn a_row_that_lies_about_what_a_module_uses_is_found() {
        let page = "| `crates/thenar/` | engine |\n| `math/` | world | numbers |\n| `glam` | dependency |\n";
        assert_eq!(problems(page), ["ARCHITECTURE.md:2: `math/` uses “world” here, but nothing in the table of tidy"]);
    }

    #[test]
    fn packages_of_the_page_are_found() {
        let text = "{\n  \"name\": \"page\",\n  \"dependencies\": {\n    \"three\": \"^0.1\"\n  },\n  \"devDependencies\": {\n    \"vite\": \"8\"\n  }\n}\n";
        let sources = [Source { path: "web/package.json".into(), text: text.into() }];
        assert_eq!(page_and_packages(&sources), ["web/", "three", "vite"]);
    }

    #[test]
    fn a_missing_page_is_found() {
        let mut found = Vec::new();
        check(&[], &mut found);
        assert_eq!(found.len(), 1);
    }
}
