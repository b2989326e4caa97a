//! The page, embedded at build time; without it, a plain one that says how to get it.

/// What `build.rs` found: `FILES`, `PICTURES` and `WHY_NOT`.
mod embedded {
    include!(concat!(env!("OUT_DIR"), "/page.rs"));
}

/// Asks for the pairing code.
pub const PAIRING: &str = include_str!("pairing.html");

/// True if the page of `web/` is in this binary.
#[must_use]
pub fn is_built() -> bool {
    embedded::WHY_NOT.is_none()
}

/// Why the page is missing, if it is.
#[must_use]
pub fn why_not() -> Option<&'static str> {
    embedded::WHY_NOT
}

/// A file by its path, such as `/index.html`.
pub fn file(path: &str) -> Option<&'static [u8]> {
    if path == "/index.html" && !is_built() {
        return Some(include_bytes!("no_page.html"));
    }
    find(embedded::FILES, path)
}

/// The picture of a scene.
pub fn picture(scene: &str) -> Option<&'static [u8]> {
    find(embedded::PICTURES, scene)
}

fn find(files: &[(&str, &'static [u8])], name: &str) -> Option<&'static [u8]> {
    files.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes)
}

/// By the end of the name.
pub fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        "glb" => "model/gltf-binary",
        "wasm" => "application/wasm",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
