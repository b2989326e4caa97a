//! The pages that are connected: who controls, and who may get the next frame.

use axum::body::Bytes;
use axum::extract::ws::Message;
use tokio::sync::mpsc::Sender;

use crate::wire::{Renderer, ServerMessage, State, Want};

/// Messages that may wait for a viewer. Frames wait for their acknowledgement; the rest is rare, so a viewer with this many
/// waiting has gone.
pub const MOST_WAITING: usize = 1024;

/// A connection, for as long as the server runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewerId(pub u64);

/// One page.
pub struct Viewer {
    pub id: ViewerId,
    pub renderer: Renderer,
    pub want: Want,
    /// The last frame was acknowledged: the next may be sent.
    pub credit: bool,
    /// Number of the next frame.
    pub seq: u32,
    /// Which moment it has seen.
    pub seen: u64,
    /// The first group of a haptic loop's ticks that it has not seen.
    pub felt: u64,
    out: Sender<Message>,
    gone: bool,
}

impl Viewer {
    /// Queues a message; a viewer that does not read is given up.
    pub fn send(&mut self, message: Message) {
        if self.out.try_send(message).is_err() {
            self.gone = true;
        }
    }

    pub fn tell(&mut self, message: &ServerMessage) {
        self.send(Message::Text(message.json().into()));
    }

    pub fn send_binary(&mut self, bytes: Bytes) {
        self.send(Message::Binary(bytes));
    }
}

/// All pages, the oldest first.
#[derive(Default)]
pub struct Viewers {
    all: Vec<Viewer>,
    controller: Option<ViewerId>,
    next: u64,
}

impl Viewers {
    /// A page joins; the first one controls.
    pub fn join(&mut self, out: Sender<Message>, renderer: Renderer) -> ViewerId {
        let id = ViewerId(self.next);
        self.next += 1;
        let want = Want::default();
        let viewer = Viewer { id, renderer, want, credit: false, seq: 0, seen: 0, felt: 0, out, gone: false };
        self.all.push(viewer);
        self.controller.get_or_insert(id);
        id
    }

    /// A page leaves; if it controlled, the oldest one does now.
    pub fn leave(&mut self, id: ViewerId) {
        self.all.retain(|viewer| viewer.id != id);
        if self.controller == Some(id) {
            self.controller = self.all.first().map(|viewer| viewer.id);
        }
    }

    pub fn take_control(&mut self, id: ViewerId) {
        if self.get(id).is_some() {
            self.controller = Some(id);
        }
    }

    pub fn controls(&self, id: ViewerId) -> bool {
        self.controller == Some(id)
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn get(&mut self, id: ViewerId) -> Option<&mut Viewer> {
        self.all.iter_mut().find(|viewer| viewer.id == id)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Viewer> {
        self.all.iter_mut()
    }

    pub fn tell_all(&mut self, message: &ServerMessage) {
        let text = Message::Text(message.json().into());
        self.all.iter_mut().for_each(|viewer| viewer.send(text.clone()));
    }

    /// Sends everyone how it goes, and whether they control.
    pub fn tell_state(&mut self, state: &State) {
        let (viewers, controller) = (self.all.len(), self.controller);
        for viewer in &mut self.all {
            let state = State { controller: controller == Some(viewer.id), viewers, ..state.clone() };
            viewer.tell(&ServerMessage::State(state));
        }
    }

    /// Takes out those that do not read any more; their connections end when their queues close.
    pub fn drop_gone(&mut self) {
        let gone: Vec<ViewerId> = self.all.iter().filter(|viewer| viewer.gone).map(|viewer| viewer.id).collect();
        gone.into_iter().for_each(|id| self.leave(id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_passes_to_the_oldest_and_a_full_queue_ends_a_viewer() {
        let (out, _kept) = tokio::sync::mpsc::channel(2);
        let mut viewers = Viewers::default();
        let ids: Vec<ViewerId> = (0..3).map(|_| viewers.join(out.clone(), Renderer::Hardware)).collect();
        assert!(viewers.controls(ids[0]));
        viewers.take_control(ids[2]);
        assert!(viewers.controls(ids[2]) && !viewers.controls(ids[0]));
        viewers.leave(ids[2]);
        assert!(viewers.controls(ids[0]));
        viewers.take_control(ids[2]);
        assert!(viewers.controls(ids[0]), "who has left cannot control");
        viewers.tell_all(&ServerMessage::Pong { t: 1.0 });
        viewers.drop_gone();
        assert_eq!(viewers.len(), 2);
        viewers.tell_all(&ServerMessage::Pong { t: 2.0 });
        viewers.drop_gone();
        assert!(viewers.is_empty());
    }
}
