//! The contract of the command line that holds for every command.

mod thenar;

use thenar::{run, stderr, stdout};

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
fn without_arguments_the_main_job_runs_and_says_what_to_try_next() {
    let output = run(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("tetrahedra") && text.contains("thenar hand --png"), "{text}");
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
