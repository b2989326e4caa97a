//! Packages from npm that the tests read, and the studio's page with its tests in a real browser.

use crate::stage::{self, Outcome};
use crate::{suite, system};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Installs exactly what `package-lock.json` of that folder names. Without Node or a network the tests that need
/// these files skip themselves, so this stage is then skipped, not failed.
pub fn install_packages(folder: &Path, log: &Path) -> Outcome {
    let lock = match fs::read(folder.join("package-lock.json")) {
        Ok(lock) => lock,
        Err(error) => return Outcome::Failed(format!("{}: {error}", folder.join("package-lock.json").display())),
    };
    let installed = folder.join("node_modules").join(INSTALLED);
    if fs::read(&installed).is_ok_and(|old| old == lock) {
        return Outcome::Passed("already installed".into());
    }
    if !system::has_program(NPM)
        && let Err(remedy) = system::install_debian_packages(&["nodejs", "npm"], log)
    {
        return Outcome::Skipped(format!("no npm, so what needs packages from npm is left out; {remedy}"));
    }
    let mut ci = Command::new(NPM);
    // Few retries: without a network the answer should come soon.
    ci.args(["ci", "--fetch-retries=1", "--fetch-retry-mintimeout=2000"]).current_dir(folder);
    match stage::run_command(&mut ci, log) {
        Ok(()) => match fs::write(&installed, &lock) {
            Ok(()) => Outcome::Passed(String::new()),
            Err(error) => Outcome::Failed(format!("{}: {error}", installed.display())),
        },
        Err(error) if is_offline(&fs::read_to_string(log).unwrap_or_default()) => {
            Outcome::Skipped(format!("no network, so what needs packages from npm is left out ({error})"))
        }
        Err(error) => Outcome::Failed(error),
    }
}

/// Tests the studio's page: its code by itself, then in Chromium with the built binary. Screenshots land in
/// `target/studio`.
pub fn test_page(root: &Path, cargo: &mut Command, log: &Path) -> Outcome {
    let web = root.join("web");
    if !web.join("node_modules").join(INSTALLED).is_file() {
        return Outcome::Skipped("the packages of the page are not installed".into());
    }
    let has_browser = BROWSERS.iter().any(|name| system::has_program(name));
    if !has_browser && let Err(remedy) = system::install_debian_packages(&["chromium"], log) {
        return Outcome::Skipped(format!("no Chromium; {remedy}"));
    }
    // The page is built and embedded on the way. As the tests build it: by itself the binary would have other features of its
    // dependencies, and half of them would be compiled once more.
    let build = stage::run_command(cargo.args(suite::BUILD), log);
    if let Err(error) = build {
        return Outcome::Failed(error);
    }
    let mut test = Command::new(NPM);
    test.args(["test", "--silent"]).current_dir(web);
    if let Err(error) = stage::run_command(&mut test, log) {
        return Outcome::Failed(error);
    }
    let text = fs::read_to_string(log).unwrap_or_default();
    Outcome::Passed(format!("{} tests", passed_tests(&text)))
}

/// Names under which Chromium may be installed.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Sum of the numbers of passed tests in the reports of Node's test runner.
fn passed_tests(log: &str) -> usize {
    let counts = log.lines().filter_map(|line| line.trim_start_matches(['#', 'ℹ', ' ']).strip_prefix("pass "));
    counts.filter_map(|count| count.trim().parse::<usize>().ok()).sum()
}

/// A copy of the lock file inside `node_modules` that says what was installed last.
const INSTALLED: &str = ".installed-lock.json";

const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// npm's codes for a network that cannot be reached.
fn is_offline(log: &str) -> bool {
    ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ENETUNREACH", "ETIMEDOUT", "ECONNRESET", "ENOTCACHED"]
        .iter()
        .any(|code| log.contains(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_tests_are_counted() {
        assert_eq!(passed_tests("# tests 3\n# pass 2\n# fail 1\nℹ pass 12\n  passed 7\n"), 14);
    }

    #[test]
    fn a_missing_network_is_told_from_a_broken_lock_file() {
        assert!(is_offline("npm error code EAI_AGAIN\nnpm error syscall getaddrinfo"));
        assert!(!is_offline("npm error code EUSAGE\nnpm error `npm ci` can only install packages when ..."));
        assert!(!is_offline("npm error code EINTEGRITY"));
    }
}
