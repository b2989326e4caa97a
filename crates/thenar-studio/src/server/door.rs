//! Listening, with or without encryption.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// Longest that a visitor may take to agree on encryption.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// A connection, encrypted or not.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

type Visitor = (Box<dyn Stream>, SocketAddr);

/// Where visitors come in.
pub struct Door {
    address: SocketAddr,
    visitors: Receiver<Visitor>,
}

impl Door {
    /// Opens a bound socket to visitors.
    pub fn open(listener: TcpListener, tls: Option<TlsAcceptor>) -> io::Result<Door> {
        let address = listener.local_addr()?;
        let (sender, visitors) = channel(16);
        tokio::spawn(welcome(listener, tls, sender));
        Ok(Door { address, visitors })
    }
}

/// Accepts connections; those that are encrypted agree on it beside each other, so that none holds up the rest.
async fn welcome(listener: TcpListener, tls: Option<TlsAcceptor>, visitors: Sender<Visitor>) {
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
        let visitors = visitors.clone();
        match &tls {
            None => {
                let visitor: Visitor = (Box::new(stream), address);
                if visitors.send(visitor).await.is_err() {
                    return;
                }
            }
            Some(tls) => {
                let handshake = tls.accept(stream);
                tokio::spawn(async move {
                    if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE, handshake).await {
                        let visitor: Visitor = (Box::new(stream), address);
                        let _ = visitors.send(visitor).await;
                    }
                });
            }
        }
    }
}

impl Listener for Door {
    type Io = Box<dyn Stream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.visitors.recv().await {
            Some(visitor) => visitor,
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

/// Who asks.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

impl Connected<IncomingStream<'_, Door>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        Peer(*stream.remote_addr())
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
