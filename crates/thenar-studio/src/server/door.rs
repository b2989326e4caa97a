//! Listening, with or without encryption, and serving who comes.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use super::crowd::{Crowd, Place};
use super::limits::HEAD;

/// Longest that a visitor may take to agree on encryption.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Who asks.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// Accepts connections and serves them beside each other, so that none holds up the rest.
pub async fn welcome(listener: TcpListener, tls: Option<TlsAcceptor>, app: Router, crowd: Arc<Crowd>) {
    loop {
        let (stream, address) = match listener.accept().await {
            Ok(visitor) => visitor,
            Err(error) => {
                // Too many open files, for example: better later.
                tracing::warn!("cannot accept a connection: {error}");
                tokio::time::sleep(Duration::from_millis(200)).await;
                continue;
            }
        };
        // Small messages must not wait for more.
        if stream.set_nodelay(true).is_err() {
            continue;
        }
        let Some(place) = crowd.admit() else { continue };
        let number = place.number();
        let task = tokio::spawn(visit(stream, Peer(address), tls.clone(), app.clone(), place));
        crowd.remember(number, task.abort_handle());
    }
}

async fn visit(stream: TcpStream, peer: Peer, tls: Option<TlsAcceptor>, app: Router, place: Place) {
    match tls {
        None => serve(stream, peer, app, place).await,
        Some(tls) => {
            if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await {
                serve(stream, peer, app, place).await;
            }
        }
    }
}

/// Answers requests until the visitor leaves, is too slow, or has its WebSocket, which goes on by itself.
async fn serve<S>(stream: S, peer: Peer, app: Router, place: Place)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (app, place) = (TowerToHyperService::new(app), Arc::new(place));
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        place.is_served();
        request.extensions_mut().insert(ConnectInfo(peer));
        let (answer, place) = (app.call(request), Arc::clone(&place));
        async move {
            let answer = answer.await;
            place.waits();
            answer
        }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD);
    if let Err(error) = builder.serve_connection(TokioIo::new(stream), service).with_upgrades().await {
        tracing::debug!("a connection ended: {error}");
    }
}

/// Encryption with a certificate made for this run: browsers warn, and headsets need it for WebXR.
///
/// # Errors
/// If the system gives no random numbers.
pub fn self_signed(addresses: &[String]) -> io::Result<TlsAcceptor> {
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    names.extend_from_slice(addresses);
    let made = rcgen::generate_simple_self_signed(names).map_err(io::Error::other)?;
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .map_err(io::Error::other)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
