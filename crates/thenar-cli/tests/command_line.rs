//! The contract of the command line that holds for every command.

mod thenar;

use thenar::{get, run, start, stderr, stdout};

#[test]
fn help_and_version_go_to_standard_output() {
    for words in [&["--help"][..], &["help"], &["hand", "--help"], &["help", "hand"], &["hand", "help", "import"]] {
        let output = run(words);
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
        assert!(stdout(&output).contains("Usage: thenar"), "{words:?}");
        assert_eq!(stderr(&output), "", "{words:?}");
    }
    let version = run(&["--version"]);
    assert_eq!(stdout(&version), format!("thenar {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn without_arguments_the_studio_opens_and_says_where() {
    let mut studio = start(&[]);
    let line = studio.line();
    let address = line.strip_prefix("The studio is open at http://localhost:").expect(&line).trim_end_matches('/');
    let health = get(address.parse().expect(&line), "/health");
    assert!(health.starts_with("HTTP/1.1 200") && health.contains("\"malformed\":0"), "{health}");
}

#[test]
fn misspelt_names_are_refused_with_the_nearest_one() {
    for (words, nearest) in [
        (&["hnad"][..], "'hand'"),
        (&["hand", "--side", "rihgt"], "'right'"),
        (&["hand", "--hand", "adult-lage"], "'adult-large'"),
        (&["hand", "--refine", "index-pas"], "'index-pad'"),
        (&["hand", "--jsn"], "'--json'"),
    ] {
        let output = run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(stderr(&output).contains(nearest), "{words:?}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{words:?}");
    }
}
