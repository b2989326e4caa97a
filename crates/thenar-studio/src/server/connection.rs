//! One page's connection: what it says is checked, counted and handed on; what it should hear is sent.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tokio::sync::mpsc::{Receiver, channel};

use super::limits::{Allowance, LONGEST_TEXT, LONGEST_UPLOAD, MOST_MALFORMED, MOST_VIEWERS};
use crate::catalogue;
use crate::session::Command;
use crate::shared::{Counts, Shared};
use crate::viewers::{MOST_WAITING, ViewerId};
use crate::wire::{self, PROTOCOL, PageMessage, Renderer, ServerMessage};

/// A page that takes longer than this to take a message has gone.
const STUCK: Duration = Duration::from_secs(20);
/// A page says hello within this time.
const HELLO: Duration = Duration::from_secs(10);

/// Serves a page until it leaves.
pub async fn serve(socket: WebSocket, shared: Arc<Shared>, commands: mpsc::Sender<Command>) {
    let (mut to_page, mut from_page) = socket.split();
    let hello = tokio::time::timeout(HELLO, hello(&mut from_page, &shared)).await;
    let Ok(Some(renderer)) = hello else {
        let message = "The first message must be a hello of protocol 1.".to_owned();
        let refusal = ServerMessage::Error { message, remedy: "Load the page again.".to_owned() };
        let _ = to_page.send(Message::Text(refusal.json().into())).await;
        let _ = to_page.close().await;
        return;
    };
    let (out, queue) = channel(MOST_WAITING);
    let Some(id) = join(&shared, out, renderer) else {
        let message = format!("{MOST_VIEWERS} pages are connected already.");
        let refusal = ServerMessage::Error { message, remedy: "Close one of them.".to_owned() };
        let _ = to_page.send(Message::Text(refusal.json().into())).await;
        let _ = to_page.close().await;
        return;
    };
    let _ = commands.send(Command::Join(id));
    let writer = tokio::spawn(write(to_page, queue));
    Listener { id, shared: Arc::clone(&shared), commands, upload: None, malformed: 0 }.listen(from_page).await;
    // The queue closes with the viewer, and the writer ends with its queue.
    shared.viewers().leave(id);
    shared.tell_state();
    let _ = writer.await;
}

async fn hello(from_page: &mut SplitStream<WebSocket>, shared: &Shared) -> Option<Renderer> {
    let Some(Ok(Message::Text(text))) = from_page.next().await else { return None };
    match wire::parse(&text) {
        Ok(PageMessage::Hello { protocol: PROTOCOL, renderer }) => Some(renderer),
        _ => {
            Counts::add(&shared.counts.malformed);
            None
        }
    }
}

/// Takes the page among the viewers and greets it; `None` if there are too many.
fn join(shared: &Shared, out: tokio::sync::mpsc::Sender<Message>, renderer: Renderer) -> Option<ViewerId> {
    let (options, state) = (shared.options().clone(), shared.state().clone());
    let mut viewers = shared.viewers();
    if viewers.len() >= MOST_VIEWERS {
        return None;
    }
    let id = viewers.join(out, renderer);
    let role = if viewers.controls(id) { "control" } else { "watch" };
    if let Some(viewer) = viewers.get(id) {
        viewer.tell(&catalogue::hello(role, options));
    }
    viewers.tell_state(&state);
    Some(id)
}

async fn write(mut to_page: SplitSink<WebSocket, Message>, mut queue: Receiver<Message>) {
    while let Some(message) = queue.recv().await {
        if !matches!(tokio::time::timeout(STUCK, to_page.send(message)).await, Ok(Ok(()))) {
            return;
        }
    }
    let _ = to_page.close().await;
}

/// A recording on its way here.
struct Upload {
    name: String,
    length: usize,
    bytes: Vec<u8>,
}

struct Listener {
    id: ViewerId,
    shared: Arc<Shared>,
    commands: mpsc::Sender<Command>,
    upload: Option<Upload>,
    malformed: u32,
}

impl Listener {
    async fn listen(mut self, mut from_page: SplitStream<WebSocket>) {
        let mut allowance = Allowance::new();
        while let Some(Ok(message)) = from_page.next().await {
            if self.shared.viewers().get(self.id).is_none() {
                return;
            }
            if !allowance.take() {
                Counts::add(&self.shared.counts.hasty);
                continue;
            }
            let heard = match message {
                Message::Text(text) => self.hear_text(&text),
                Message::Binary(bytes) => self.hear_bytes(&bytes),
                Message::Ping(_) | Message::Pong(_) => Ok(()),
                Message::Close(_) => return,
            };
            if let Err(what) = heard {
                tracing::debug!("dropped a message: {what}");
                Counts::add(&self.shared.counts.malformed);
                self.malformed += 1;
                if self.malformed > MOST_MALFORMED {
                    return;
                }
            }
        }
    }

    fn hear_text(&mut self, text: &str) -> Result<(), String> {
        if text.len() > LONGEST_TEXT {
            return Err(format!("{} bytes of text", text.len()));
        }
        match wire::parse(text)? {
            PageMessage::Ping { t } => {
                if let Some(viewer) = self.shared.viewers().get(self.id) {
                    viewer.tell(&ServerMessage::Pong { t });
                }
            }
            PageMessage::LoadRecording { name, bytes } => {
                if bytes == 0 || bytes > LONGEST_UPLOAD {
                    let message = format!("The recording has {bytes} bytes.");
                    let remedy = format!("Choose one of at most {} MiB.", LONGEST_UPLOAD >> 20);
                    if let Some(viewer) = self.shared.viewers().get(self.id) {
                        viewer.tell(&ServerMessage::Error { message, remedy });
                    }
                    return Ok(());
                }
                // Only its last part, and only to name it in messages.
                let name = name.rsplit(['/', '\\']).next().unwrap_or_default().chars().take(80).collect();
                self.upload = Some(Upload { name, length: bytes, bytes: Vec::new() });
            }
            message => {
                let controlled = self.shared.viewers().controls(self.id);
                let _ = self.commands.send(Command::Say { from: self.id, controlled, message });
            }
        }
        Ok(())
    }

    fn hear_bytes(&mut self, bytes: &Bytes) -> Result<(), String> {
        let Some((header, piece)) = bytes.split_at_checked(wire::HEADER) else { return Err("no header".to_owned()) };
        if header[0] != wire::UPLOAD || header[1] != 1 {
            return Err(format!("binary message of kind {} version {}", header[0], header[1]));
        }
        let Some(mut upload) = self.upload.take() else { return Err("a piece of no recording".to_owned()) };
        if upload.bytes.len() + piece.len() > upload.length {
            return Err("more pieces than were announced".to_owned());
        }
        upload.bytes.extend_from_slice(piece);
        if upload.bytes.len() < upload.length {
            self.upload = Some(upload);
        } else {
            let command = Command::Recording { from: self.id, name: upload.name, bytes: upload.bytes };
            let _ = self.commands.send(command);
        }
        Ok(())
    }
}
