//! Builds the page of `web/` with Node, where it is not built yet, and embeds it. Where Node or the network is missing, the
//! studio gets a plain page that says so; the build never fails for that. A published package has no `web/` beside it and brings
//! the page along, built, in its folder `page/` (`cargo xtask package`).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// What the page is made from, below `web/`.
const SOURCES: [&str; 6] =
    ["index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "src"];
/// Says in `web/dist` what it was built from.
const STAMP: &str = ".sources";

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let web = here.join("..").join("..").join("web");
    println!("cargo:rerun-if-env-changed=THENAR_STUDIO_PAGE");
    let packaged = here.join("page");
    let sources = SOURCES.iter().map(|source| web.join(source));
    // Cargo runs this again for every build if it waits for a change of what is not there.
    for watched in sources.chain([here.join("pictures"), packaged.clone()]).filter(|path| path.exists()) {
        println!("cargo:rerun-if-changed={}", watched.display());
    }
    let is_packaged = !web.join("package.json").is_file() && packaged.join("index.html").is_file();
    let outcome = if is_packaged { chosen() } else { page(&web) };
    if let Err(why) = &outcome {
        println!("cargo:warning=the studio's page is not built: {why}");
    }
    let built = if is_packaged { packaged } else { web.join("dist") };
    let files = if outcome.is_ok() { found(&built, "/") } else { Vec::new() };
    let pictures = found(&here.join("pictures"), "");
    let mut code = String::new();
    list(&mut code, "FILES", &files, &out, "");
    list(&mut code, "PICTURES", &pictures, &out, ".png");
    let _ = writeln!(code, "pub const WHY_NOT: Option<&str> = {:?};", outcome.err());
    fs::write(out.join("page.rs"), code).expect("the build folder can be written");
}

/// Whether a page is wanted at all.
fn chosen() -> Result<(), String> {
    match env::var("THENAR_STUDIO_PAGE") {
        Ok(choice) if choice == "none" => Err("THENAR_STUDIO_PAGE=none".to_owned()),
        _ => Ok(()),
    }
}

/// Makes sure that `dist` is what the sources say.
fn page(web: &Path) -> Result<(), String> {
    chosen()?;
    if !web.join("package.json").is_file() {
        return Err("there is no folder web/ beside crates/".to_owned());
    }
    let wanted = fingerprint(web);
    let stamp = web.join("dist").join(STAMP);
    let is_current = || fs::read_to_string(&stamp).is_ok_and(|built| built == wanted);
    if is_current() && web.join("dist").join("index.html").is_file() {
        return Ok(());
    }
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    // What is installed is good if it came from the same lock file.
    let lock = fs::read(web.join("package-lock.json")).unwrap_or_default();
    let installed = web.join("node_modules").join(".installed-lock.json");
    if !fs::read(&installed).is_ok_and(|old| old == lock) {
        run(web, npm, &["ci", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-retry-mintimeout=2000"])?;
        fs::write(&installed, &lock).map_err(|error| format!("{}: {error}", installed.display()))?;
    }
    run(web, npm, &["run", "build"])?;
    fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Result<(), String> {
    let shown = format!("npm {}", arguments.join(" "));
    let output = Command::new(program).args(arguments).current_dir(folder).stdin(Stdio::null()).output();
    let output = output.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "Node.js is missing; get it from https://nodejs.org or your system".to_owned(),
        _ => format!("{shown}: {error}"),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(if output.stderr.is_empty() { &output.stdout } else { &output.stderr });
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(4).collect();
    Err(format!("`{shown}` in web/ failed: {}", lines.join(" | ")))
}

/// A hash (FNV-1a) of names and contents of all sources.
fn fingerprint(web: &Path) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut take = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for source in SOURCES {
        let path = web.join(source);
        let files = if path.is_dir() { found(&path, source) } else { vec![(source.to_owned(), path)] };
        for (name, path) in files {
            take(name.as_bytes());
            take(&fs::read(path).unwrap_or_default());
        }
    }
    format!("{hash:016x}")
}

/// All files below a folder in order of their names, which begin with `prefix`.
fn found(folder: &Path, prefix: &str) -> Vec<(String, PathBuf)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        if entry.path().is_dir() {
            files.extend(found(&entry.path(), &format!("{prefix}{name}/")));
        } else {
            files.push((format!("{prefix}{name}"), entry.path()));
        }
    }
    files.sort();
    files
}

/// A list of names (without `ending`) and contents as Rust; the contents are copied, so that a later build of the page changes nothing.
fn list(code: &mut String, name: &str, files: &[(String, PathBuf)], out: &Path, ending: &str) {
    let _ = writeln!(code, "pub const {name}: &[(&str, &[u8])] = &[");
    for (number, (path, source)) in files.iter().enumerate() {
        let copy = out.join(format!("{name}-{number}"));
        fs::copy(source, &copy).expect("the build folder can be written");
        let key = path.strip_suffix(ending).unwrap_or(path);
        let _ = writeln!(code, "    ({key:?}, include_bytes!({:?})),", copy.display().to_string());
    }
    let _ = writeln!(code, "];");
}
