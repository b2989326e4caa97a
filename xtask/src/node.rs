//! Packages from npm that the tests read.

use crate::stage::{self, Outcome};
use crate::system;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Installs exactly what `package-lock.json` of that folder names. Without Node or a network the tests that need
/// these files skip themselves, so this stage is then skipped, not failed.
pub fn install_packages(folder: &Path, log: &Path) -> Outcome {
    let lock = match fs::read(folder.join("package-lock.json")) {
        Ok(lock) => lock,
        Err(error) => return Outcome::Failed(format!("tests/npm/package-lock.json: {error}")),
    };
    // A copy of the lock file inside node_modules says what was installed last.
    let installed = folder.join("node_modules").join(".installed-lock.json");
    if fs::read(&installed).is_ok_and(|old| old == lock) {
        return Outcome::Passed("already installed".into());
    }
    if !system::has_program(NPM)
        && let Err(remedy) = system::install_debian_packages(&["nodejs", "npm"], log)
    {
        return Outcome::Skipped(format!("no npm, so tests that read files from npm skip themselves; {remedy}"));
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
            Outcome::Skipped(format!("no network, so tests that read files from npm skip themselves ({error})"))
        }
        Err(error) => Outcome::Failed(error),
    }
}

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
    fn a_missing_network_is_told_from_a_broken_lock_file() {
        assert!(is_offline("npm error code EAI_AGAIN\nnpm error syscall getaddrinfo"));
        assert!(!is_offline("npm error code EUSAGE\nnpm error `npm ci` can only install packages when ..."));
        assert!(!is_offline("npm error code EINTEGRITY"));
    }
}
