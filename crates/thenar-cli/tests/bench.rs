//! `thenar bench`: what it refuses before measuring anything.

mod thenar;

use thenar::refusal;

#[test]
fn a_folder_that_does_not_exist_is_refused_before_the_long_work() {
    for bench in ["clap", "scale", "bar"] {
        let message = refusal(&["bench", bench, "--plot", "no/such/folder"]);
        assert!(message.contains("no/such/folder") && message.contains("does not exist"), "{message}");
    }
}
