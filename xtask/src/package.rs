//! Packages of all crates that users install or depend on, as they would be published.

use crate::stage::{self, Outcome};
use std::fs;
use std::path::Path;
use std::process::Command;

/// What is published, each after those it depends on.
const CRATES: [&str; 7] =
    ["thenar", "thenar-rapier", "thenar-scene", "thenar-devices", "thenar-draw", "thenar-studio", "thenar-cli"];
/// What every package must hold.
const FILES: [&str; 3] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Checks what would be packaged, without packing it: quick, and part of `cargo xtask test`. With `full`, the engine is packed, unpacked and
/// built from there; the others need it published, and are built by nobody before that.
pub fn check(cargo: &dyn Fn() -> Command, full: bool, log: &Path) -> Outcome {
    for name in CRATES {
        let listed = cargo().args(["package", "--list", "--allow-dirty", "--offline", "--package", name]).output();
        let listed = match listed {
            Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
            Ok(output) => return Outcome::Failed(format!("{name}: {}", String::from_utf8_lossy(&output.stderr))),
            Err(error) => return Outcome::Failed(format!("{name}: {error}")),
        };
        if let Some(missing) = missing(name, &listed) {
            return Outcome::Failed(format!("the package of {name} has no {missing}"));
        }
    }
    if !full {
        return Outcome::Passed(format!("{} crates", CRATES.len()));
    }
    let built = stage::run_command(cargo().args(["package", "--allow-dirty", "--package", CRATES[0]]), log);
    match built {
        Ok(()) => Outcome::Passed(format!("{} crates, {} built from its package", CRATES.len(), CRATES[0])),
        Err(error) => Outcome::Failed(error),
    }
}

/// The first file that a package lacks.
fn missing(name: &str, listed: &str) -> Option<&'static str> {
    let needs_scenes = (name == "thenar-scene").then_some("scenes/ball.toml");
    let needed = FILES.into_iter().chain(needs_scenes);
    needed.into_iter().find(|file| !listed.lines().any(|line| line.replace('\\', "/") == *file))
}

/// Packs all crates into `target/package/`, the built page of the studio included.
pub fn pack(root: &Path, cargo: &dyn Fn() -> Command, log: &Path) -> Outcome {
    let (built, page) = (root.join("web/dist"), root.join("crates/thenar-studio/page"));
    if let Err(error) = stage::run_command(cargo().args(["build", "--release", "--package", "thenar-cli"]), log) {
        return Outcome::Failed(error);
    }
    if !built.join("index.html").is_file() {
        return Outcome::Failed("the page of the studio is not built: Node.js is missing".into());
    }
    let copied = copy(&built, &page).map_err(|error| format!("{}: {error}", page.display()));
    let packed = copied.and_then(|()| {
        let mut package = cargo();
        // Verifying would build each of them alone, which the tests have done together.
        package.args(["package", "--no-verify", "--allow-dirty"]);
        for name in CRATES {
            package.args(["--package", name]);
        }
        stage::run_command(&mut package, log)
    });
    let _ = fs::remove_dir_all(&page);
    match packed {
        Ok(()) => Outcome::Passed(format!("{} crates in target/package/", CRATES.len())),
        Err(error) => Outcome::Failed(error),
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_without_a_licence_or_without_its_scenes_is_found() {
        let whole = "Cargo.toml\nLICENSE-APACHE\nLICENSE-MIT\nREADME.md\nscenes/ball.toml\nsrc/lib.rs\n";
        assert_eq!(missing("thenar-scene", whole), None);
        assert_eq!(missing("thenar", &whole.replace("LICENSE-MIT\n", "")), Some("LICENSE-MIT"));
        assert_eq!(missing("thenar-scene", &whole.replace("scenes/", "other/")), Some("scenes/ball.toml"));
    }
}
