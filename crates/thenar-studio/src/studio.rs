//! Starting and ending a studio.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

use axum::body::Bytes;
use thenar::hand::Preset;
use tokio::sync::{Semaphore, oneshot};
use tokio_rustls::TlsAcceptor;

use crate::server::access::{Access, Pairing};
use crate::server::crowd::Crowd;
use crate::server::door;
use crate::server::limits::{MOST_CONNECTIONS, MOST_LIVE};
use crate::server::{Context, router};
use crate::session::{Beginning, Command, Session};
use crate::shared::Shared;

/// Ports that are tried after the one asked for.
const MORE_PORTS: u16 = 50;
/// How far the port of encrypted connections is from the plain one, so that both are easy to remember: 4400 and 4443.
const SECURE_OFFSET: u16 = 43;

/// How a studio is opened.
#[derive(Clone, Debug)]
pub struct StudioOptions {
    /// The port, or the next that is free; 0 lets the system choose.
    pub port: u16,
    /// Devices of the local network may connect, with a pairing code.
    pub lan: bool,
    /// Encrypted connections too, with a certificate of our own: headsets need them for WebXR.
    pub https: bool,
    /// The scene that is loaded first.
    pub scene: String,
    /// Measures of the hand.
    pub measures: Preset,
    /// Number of tetrahedra of a hand; that of the preset where it is missing.
    pub tets: Option<usize>,
    /// Threads that the engine may use.
    pub threads: usize,
    /// Origin of another page that may connect, for work on the page.
    pub allow_origin: Option<String>,
}

impl Default for StudioOptions {
    fn default() -> Self {
        StudioOptions {
            port: 4400,
            lan: false,
            https: false,
            scene: "ball".to_owned(),
            measures: Preset::Adult,
            tets: None,
            threads: 1,
            allow_origin: None,
        }
    }
}

/// Why a studio could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum StudioError {
    /// No port could be had.
    #[error("cannot listen on port {port} of {address}, nor on the {MORE_PORTS} after it: {error}")]
    Port {
        /// Where.
        address: IpAddr,
        /// The first that was tried.
        port: u16,
        /// What the system said about the last.
        error: io::Error,
    },
    /// The scene to begin with.
    #[error(transparent)]
    Scene(#[from] thenar_scene::scene::SceneError),
    /// Threads, random numbers or certificates.
    #[error("cannot start the server: {0}")]
    System(#[from] io::Error),
}

/// What another device needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairingInfo {
    /// Opens the studio there, token included.
    pub url: String,
    /// Or this address …
    pub short_url: String,
    /// … and this code.
    pub code: String,
}

/// A recording that no page has fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfetched {
    /// A name for its file: scene and time.
    pub name: String,
    /// The file.
    pub bytes: Bytes,
}

/// A running studio; it ends when it is dropped.
pub struct Studio {
    shared: Arc<Shared>,
    url: String,
    pairing: Option<PairingInfo>,
    commands: mpsc::Sender<Command>,
    stop: Option<oneshot::Sender<()>>,
    server: Option<JoinHandle<()>>,
    session: Option<JoinHandle<()>>,
}

impl Studio {
    /// Opens a studio and returns as soon as pages can connect.
    ///
    /// # Errors
    /// If there is no free port, or the scene is unknown.
    pub fn start(options: &StudioOptions) -> Result<Studio, StudioError> {
        thenar_scene::library::scene(&options.scene)?;
        let everywhere = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
        // Encrypted connections have a port of their own; then the plain one is for this machine only.
        let plain = listen(if options.lan && !options.https { everywhere } else { here }, options.port)?;
        let port = plain.local_addr()?.port();
        let secure_port = if options.port == 0 { 0 } else { options.port.saturating_add(SECURE_OFFSET) };
        let secure = match options.https {
            true => Some(listen(if options.lan { everywhere } else { here }, secure_port)?),
            false => None,
        };
        let addresses: Vec<String> = lan_address().map(|ip| ip.to_string()).into_iter().collect();
        let tls = if secure.is_some() { Some(door::self_signed(&addresses)?) } else { None };
        let pairing = if options.lan { Some(Pairing::random()?) } else { None };
        let info = match (&pairing, &secure) {
            (None, _) => None,
            (Some(pairing), secure) => {
                let host = addresses.first().map_or("THIS-COMPUTER", String::as_str);
                let short_url = match secure {
                    Some(listener) => format!("https://{host}:{}/", listener.local_addr()?.port()),
                    None => format!("http://{host}:{port}/"),
                };
                let url = format!("{short_url}?token={}", pairing.token);
                Some(PairingInfo { url, short_url, code: pairing.code.clone() })
            }
        };
        let shared = Arc::new(Shared::default());
        let (commands, received) = mpsc::channel();
        let kept = Arc::clone(&shared);
        let access = Arc::new(Access { pairing, extra_origin: options.allow_origin.clone() });
        let context = Context {
            shared: Arc::clone(&shared),
            commands: commands.clone(),
            access,
            secure: false,
            live: Arc::new(Semaphore::new(MOST_LIVE)),
        };
        let (stop, stopped) = oneshot::channel();
        let doors: Vec<(std::net::TcpListener, Option<TlsAcceptor>)> =
            std::iter::once((plain, None)).chain(secure.map(|listener| (listener, tls))).collect();
        let server = thread::Builder::new().name("studio-server".to_owned()).spawn(move || {
            if let Err(error) = serve(doors, context, stopped) {
                tracing::error!("the server ended: {error}");
            }
        })?;
        let beginning = Beginning {
            scene: options.scene.clone(),
            measures: options.measures,
            tets: options.tets,
            threads: options.threads,
        };
        let session = thread::Builder::new().name("studio-simulation".to_owned()).spawn(move || {
            Session::new(&beginning, received, shared).run(&beginning.scene);
        })?;
        Ok(Studio {
            shared: kept,
            url: format!("http://localhost:{port}/"),
            pairing: info,
            commands,
            stop: Some(stop),
            server: Some(server),
            session: Some(session),
        })
    }

    /// The page's address on this machine.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// How other devices connect, if they may.
    #[must_use]
    pub fn pairing(&self) -> Option<&PairingInfo> {
        self.pairing.as_ref()
    }

    /// Waits until the server ends by itself, which it does not if all is well.
    pub fn wait(mut self) {
        if let Some(server) = self.server.take() {
            let _ = server.join();
        }
    }
}

impl Studio {
    /// True if the server has ended by itself.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.server.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends the studio. A recording that is being made is finished and given back with those before that no page has.
    #[must_use = "a recording would be lost"]
    pub fn end(mut self) -> Vec<Unfetched> {
        self.stop_threads();
        let recordings = self.shared.recordings();
        recordings.unfetched().map(|kept| Unfetched { name: kept.name.clone(), bytes: kept.bytes.clone() }).collect()
    }

    fn stop_threads(&mut self) {
        let _ = self.commands.send(Command::Stop);
        drop(self.stop.take());
        for thread in [self.server.take(), self.session.take()].into_iter().flatten() {
            let _ = thread.join();
        }
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        self.stop_threads();
    }
}

/// The first free port from this one on.
fn listen(address: IpAddr, port: u16) -> Result<std::net::TcpListener, StudioError> {
    let last = if port == 0 { 0 } else { port.saturating_add(MORE_PORTS) };
    let mut failure = io::Error::from(io::ErrorKind::AddrInUse);
    for tried in port..=last {
        match std::net::TcpListener::bind(SocketAddr::new(address, tried)) {
            Ok(listener) => {
                listener.set_nonblocking(true)?;
                return Ok(listener);
            }
            Err(error) => failure = error,
        }
    }
    Err(StudioError::Port { address, port, error: failure })
}

/// This machine's address in its network. Nothing is sent: connecting a UDP socket only chooses the way out.
fn lan_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // An address that is set aside for documentation (RFC 5737).
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|ip| !ip.is_unspecified())
}

/// Serves until told to stop.
fn serve(
    doors: Vec<(std::net::TcpListener, Option<TlsAcceptor>)>,
    context: Context,
    stopped: oneshot::Receiver<()>,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let crowd = Crowd::new(MOST_CONNECTIONS);
    let opened: io::Result<()> = runtime.block_on(async {
        for (listener, tls) in doors {
            let app = router(Context { secure: tls.is_some(), ..context.clone() });
            let listener = tokio::net::TcpListener::from_std(listener)?;
            tokio::spawn(door::welcome(listener, tls, app, Arc::clone(&crowd)));
        }
        // The sender is dropped, or never used: either way it is time.
        let _ = stopped.await;
        Ok(())
    });
    // Connections end here, whatever they are doing.
    runtime.shutdown_background();
    opened
}
