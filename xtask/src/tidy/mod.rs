//! Rules that no compiler checks.

mod architecture;
mod constants;
mod layers;
mod lexer;
mod limits;
mod unsafe_code;
mod words;

use std::fmt;
use std::fs;
use std::path::Path;

/// Where and what is wrong.
#[derive(Debug, PartialEq)]
pub struct Problem {
    /// Path from the root of the workspace, with forward slashes.
    pub path: String,
    /// Line from 1; 0 if the problem is about the file as a whole.
    pub line: usize,
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}

/// A text file of the workspace.
pub struct Source {
    /// Path from the root of the workspace, with forward slashes.
    pub path: String,
    pub text: String,
}

impl Source {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// A problem at a line of this file (0: the file as a whole).
    fn problem(&self, line: usize, message: impl Into<String>) -> Problem {
        Problem { path: self.path.clone(), line, message: message.into() }
    }
}

/// What a run of all rules found.
pub struct Report {
    pub files: usize,
    pub problems: Vec<Problem>,
}

/// Applies all rules to the workspace at `root`.
pub fn check(root: &Path) -> Result<Report, String> {
    let mut sources = Vec::new();
    collect(root, "", &mut sources)?;
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(Report { files: sources.len(), problems: problems(&sources) })
}

fn problems(sources: &[Source]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for source in sources {
        limits::check(source, &mut problems);
        words::check(source, &mut problems);
        if source.is_rust() {
            unsafe_code::check(source, &mut problems);
        }
    }
    layers::check(sources, &mut problems);
    layers::check_unused(sources, &mut problems);
    constants::check(sources, &mut problems);
    architecture::check(sources, &mut problems);
    problems
}

/// What holds no source of ours; in a linked worktree `.git` is a file.
const SKIPPED: [&str; 5] = ["target", "node_modules", "dist", "page", ".git"];

fn collect(folder: &Path, prefix: &str, sources: &mut Vec<Source>) -> Result<(), String> {
    let error = |error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(error)? {
        let entry = entry.map_err(error)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type().map_err(error)?;
        if SKIPPED.contains(&name.as_str()) {
            continue;
        }
        if kind.is_dir() {
            collect(&entry.path(), &format!("{path}/"), sources)?;
        } else if kind.is_file()
            && let Ok(text) = String::from_utf8(fs::read(entry.path()).map_err(error)?)
        {
            // What is not UTF-8 is a picture or a model, not a source.
            sources.push(Source { path, text });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_outside_build_folders_is_read() {
        let root = std::env::temp_dir().join(format!("thenar-tidy-{}", std::process::id()));
        for folder in ["crates/a/src", "target/release", "web/node_modules/b"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::write(root.join("crates/a/src/lib.rs"), "fn f() { unsafe { g() } }").unwrap();
        fs::write(root.join("hand.png"), [0x89, b'P', 0xff]).unwrap();
        fs::write(root.join("target/release/built.rs"), "").unwrap();
        fs::write(root.join("web/node_modules/b/index.js"), "").unwrap();
        let report = check(&root);
        fs::remove_dir_all(&root).unwrap();
        let report = report.unwrap();
        assert_eq!(report.files, 1);
        assert_eq!(
            report.problems[0].to_string(),
            "crates/a/src/lib.rs:1: `unsafe {` without a SAFETY comment above it"
        );
    }
}
