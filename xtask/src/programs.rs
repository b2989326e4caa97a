//! The test programs of the workspace, as cargo built them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What can be run beside others.
pub struct Program {
    /// For people, and to know it again: `thenar/tests/hand.rs`.
    pub name: String,
    command: Command,
}

impl Program {
    pub fn new(name: &str, command: Command) -> Program {
        Program { name: name.to_owned(), command }
    }

    pub fn command(&mut self) -> &mut Command {
        &mut self.command
    }
}

/// The test programs among the artifacts that `cargo test --no-run --message-format=json` tells of, one in a line.
pub fn built(messages: &str) -> Vec<Program> {
    messages.lines().filter_map(program).collect()
}

fn program(message: &str) -> Option<Program> {
    let executable = PathBuf::from(text(message, "executable")?);
    let manifest = PathBuf::from(text(message, "manifest_path")?);
    let source = PathBuf::from(text(message, "src_path")?);
    // Examples and the binaries that tests start are programs as well, built without the test harness.
    let profile = message.split_once("\"profile\":{")?.1.split('}').next()?;
    if !profile.contains("\"test\":true") {
        return None;
    }
    let folder = manifest.parent()?;
    let inside = source.strip_prefix(folder).unwrap_or(&source);
    let name = Path::new(folder.file_name()?).join(inside).to_string_lossy().replace('\\', "/");
    let mut command = Command::new(executable);
    // As `cargo test` starts them.
    command.current_dir(folder).env("CARGO_MANIFEST_DIR", folder);
    Some(Program { name, command })
}

/// The text that a key has in a line of JSON, wherever it stands; `None` where it has another value or none.
fn text(json: &str, key: &str) -> Option<String> {
    let mut rest = json.split_once(&format!("\"{key}\":\""))?.1.chars();
    let mut text = String::new();
    loop {
        match rest.next()? {
            '"' => return Some(text),
            // Paths hold no other escapes than those of `\` and `"`.
            '\\' => text.push(rest.next()?),
            letter => text.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: &str, source: &str, test: bool, executable: &str) -> String {
        format!(
            r#"{{"reason":"compiler-artifact","manifest_path":"/there/crate/Cargo.toml","target":{{"kind":["{kind}"],"src_path":"{source}","test":true}},"profile":{{"opt_level":"3","test":{test}}},"filenames":[],"executable":{executable},"fresh":true}}"#
        )
    }

    #[test]
    fn only_programs_with_tests_are_run() {
        let messages = [
            message("test", "/there/crate/tests/hand.rs", true, r#""t/hand-1""#),
            message("lib", "src/lib.rs", true, r#""t/thenar-2""#),
            message("lib", "src/lib.rs", false, "null"),
            message("bin", "src/main.rs", false, r#""t/thenar""#),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
            "not JSON at all".to_owned(),
        ];
        let programs = built(&messages.join("\n"));
        let started: Vec<_> = programs.iter().map(|program| program.command.get_program().to_owned()).collect();
        assert_eq!(started, ["t/hand-1", "t/thenar-2"]);
        assert_eq!(programs[0].name, "crate/tests/hand.rs");
        assert_eq!(programs[0].command.get_current_dir(), Some(Path::new("/there/crate")));
    }

    #[test]
    fn escaped_paths_are_read() {
        let message = message("test", "tests/hand.rs", true, r#""t""#);
        assert_eq!(text(r#"{"path":"C:\\t\"x\\crate"}"#, "path").as_deref(), Some(r#"C:\t"x\crate"#));
        assert_eq!(text(&message, "opt_level").as_deref(), Some("3"));
        assert_eq!((text(&message, "fresh"), text(r#"{"name":"cut"#, "name")), (None, None));
    }
}
