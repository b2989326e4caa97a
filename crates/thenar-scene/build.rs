//! Says where the scene library lies: beside `crates/` in the repository, inside the package elsewhere. (`scenes` in this folder
//! is a link, which `cargo package` follows and not every system has.)

use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let repository = here.join("..").join("..").join("scenes");
    let scenes = if repository.join("ball.toml").is_file() { repository } else { here.join("scenes") };
    println!("cargo:rustc-env=THENAR_SCENES={}", scenes.display());
}
