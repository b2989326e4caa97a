//! What the machine offers: programs on the path, and packages where we may install them.

use crate::stage;
use std::path::Path;
use std::process::{Command, Stdio};

/// True if the program starts and answers `--version`.
pub fn has_program(name: &str) -> bool {
    let output = Command::new(name).arg("--version").stdin(Stdio::null()).output();
    output.is_ok_and(|output| output.status.success())
}

/// Installs Debian packages if this is Debian (or a relative with apt) and we are root; else says what to install.
pub fn install_debian_packages(packages: &[&str], log: &Path) -> Result<(), String> {
    let wanted = packages.join(" ");
    if !has_program("apt-get") {
        return Err(format!("please install: {wanted} (this is no Debian, so `cargo xtask` cannot)"));
    }
    if !is_root() {
        return Err(format!("please run: sudo apt-get install {wanted}"));
    }
    let mut update = Command::new("apt-get");
    update.args(["update", "--quiet"]);
    // A stale package list may still be good enough: installing decides.
    let _ = stage::run_command(&mut update, log);
    let mut install = Command::new("apt-get");
    install
        .args(["install", "--yes", "--no-install-recommends"])
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive");
    stage::run_command(&mut install, log)
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").stdin(Stdio::null()).output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
