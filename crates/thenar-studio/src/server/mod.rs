//! The web server: the page, its pictures, the last recording, and the live connection. Nothing else can be read.

pub mod access;
mod connection;
pub mod crowd;
pub mod door;
pub mod limits;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc;

use axum::Router;
use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{ConnectInfo, Path, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::Semaphore;

use crate::page;
use crate::session::Command;
use crate::shared::{Counts, Shared};
use crate::shelf::Kept;
use access::{Access, query_value};
use door::Peer;

/// The page may load from here only; nothing outside is ever asked for.
const POLICY: &str = "default-src 'self'; connect-src 'self' ws: wss:; img-src 'self' data: blob:; \
                      style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; \
                      form-action 'self'";

/// What every request can reach.
#[derive(Clone)]
pub struct Context {
    pub shared: Arc<Shared>,
    pub commands: mpsc::Sender<Command>,
    pub access: Arc<Access>,
    /// Connections are encrypted.
    pub secure: bool,
    /// One for each live connection that may be open.
    pub live: Arc<Semaphore>,
}

/// All addresses of the server.
pub fn router(context: Context) -> Router {
    Router::new()
        .route("/live", get(live))
        .route("/health", get(health))
        .route("/recording.mcap", get(last_recording))
        .route("/recordings/{name}", get(recording))
        .route("/pair", get(pair))
        .route("/scenes/{name}", get(picture))
        .fallback(get(file))
        .layer(middleware::from_fn_with_state(context.clone(), guard))
        .with_state(context)
}

/// Lets in who may, and says on every answer what a page may do.
async fn guard(
    State(context): State<Context>,
    ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let (headers, uri) = (request.headers(), request.uri());
    let access = &context.access;
    let refusal = if !access.allows_host(headers) {
        Some((StatusCode::FORBIDDEN, "This server is reached as localhost or by its address."))
    } else if !access.allows_origin(headers) {
        Some((StatusCode::FORBIDDEN, "Only the studio's own page may connect."))
    } else if uri.path() == "/pair" || access.allows_peer(headers, peer, uri.query()) {
        None
    } else if uri.path() == "/" {
        return protected(html(StatusCode::UNAUTHORIZED, page::PAIRING));
    } else {
        Some((StatusCode::UNAUTHORIZED, "Pair first: open the address that the studio printed."))
    };
    if let Some(refusal) = refusal {
        Counts::add(&context.shared.counts.refused);
        return protected(refusal.into_response());
    }
    // Who came with the token keeps it as a cookie, and the token leaves the address bar.
    let by_token = query_value(uri.query(), "token").is_some() && uri.path() == "/";
    if let (true, Some(pairing)) = (by_token, &access.pairing) {
        return protected(admitted(&pairing.cookie(context.secure)));
    }
    protected(next.run(request).await)
}

fn protected(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
    response
}

/// To the page, with the cookie that opens everything.
fn admitted(cookie: &str) -> Response {
    match HeaderValue::from_str(cookie) {
        Ok(cookie) => {
            let headers = [(SET_COOKIE, cookie), (LOCATION, HeaderValue::from_static("/"))];
            (StatusCode::SEE_OTHER, headers).into_response()
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn pair(State(context): State<Context>, uri: Uri) -> Response {
    let code = query_value(uri.query(), "code");
    match (&context.access.pairing, code) {
        (None, _) => (StatusCode::SEE_OTHER, [(LOCATION, HeaderValue::from_static("/"))]).into_response(),
        (Some(pairing), Some(code)) if pairing.accepts_code(code) => admitted(&pairing.cookie(context.secure)),
        _ => {
            Counts::add(&context.shared.counts.refused);
            html(StatusCode::UNAUTHORIZED, page::PAIRING)
        }
    }
}

async fn live(State(context): State<Context>, upgrade: WebSocketUpgrade) -> Response {
    let Ok(permit) = Arc::clone(&context.live).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "Too many pages are connected.").into_response();
    };
    upgrade.max_message_size(limits::LONGEST_BINARY).max_frame_size(limits::LONGEST_BINARY).on_upgrade(
        async move |socket| {
            connection::serve(socket, context.shared, context.commands).await;
            drop(permit);
        },
    )
}

async fn health(State(context): State<Context>) -> Response {
    let counts = &context.shared.counts;
    let health = serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"),
        "viewers": context.shared.viewers().len(),
        "steps_per_s": context.shared.state().steps_per_s,
        "page": page::is_built(),
        "malformed": counts.malformed.load(Ordering::Relaxed),
        "hasty": counts.hasty.load(Ordering::Relaxed),
        "refused": counts.refused.load(Ordering::Relaxed),
    });
    ([(CONTENT_TYPE, "application/json")], health.to_string()).into_response()
}

async fn last_recording(State(context): State<Context>) -> Response {
    send(context.shared.recordings().fetch(None), "Nothing has been recorded yet.")
}

async fn recording(State(context): State<Context>, Path(name): Path<String>) -> Response {
    send(context.shared.recordings().fetch(Some(&name)), "There is no such recording any more.")
}

fn send(kept: Option<Kept>, otherwise: &'static str) -> Response {
    let Some(kept) = kept else { return (StatusCode::NOT_FOUND, otherwise).into_response() };
    let headers = [
        (CONTENT_TYPE, "application/octet-stream".to_owned()),
        // Browsers prefer this name to one that a page proposes.
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{}\"", kept.name)),
        (CACHE_CONTROL, "no-store".to_owned()),
    ];
    (headers, Body::from(kept.bytes)).into_response()
}

async fn picture(uri: Uri) -> Response {
    let name = uri.path().strip_prefix("/scenes/").and_then(|file| file.strip_suffix(".png"));
    match name.and_then(page::picture) {
        Some(bytes) => ([(CONTENT_TYPE, "image/png")], bytes).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// A file of the page, by exact name.
async fn file(uri: Uri) -> Response {
    let path = if uri.path() == "/" { "/index.html" } else { uri.path() };
    let Some(bytes) = page::file(path) else { return (StatusCode::NOT_FOUND, "Not found.").into_response() };
    // Names of assets change with their content.
    let cache = if path.starts_with("/assets/") { "max-age=31536000, immutable" } else { "no-cache" };
    ([(CONTENT_TYPE, page::content_type(path)), (CACHE_CONTROL, cache)], bytes).into_response()
}

fn html(status: StatusCode, text: &'static str) -> Response {
    (status, [(CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response()
}
