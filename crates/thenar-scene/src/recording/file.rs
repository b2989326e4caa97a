//! An MCAP file of JSON channels being written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{Seek, Write};

use mcap::records::MessageHeader;
use mcap::{Attachment, WriteOptions, Writer};

use super::RecordingError;
use super::schema::ChannelSchema;

/// Bytes of messages after which a chunk is closed: what a crash or a full disk can cost, a fraction of a second.
const CHUNK: u64 = 64 << 10;

pub(super) struct McapFile<W: Write + Seek> {
    writer: Writer<W>,
    sequences: BTreeMap<u16, u32>,
}

impl<W: Write + Seek> McapFile<W> {
    pub fn new(writer: W) -> Result<Self, RecordingError> {
        let options = WriteOptions::new()
            .compression(None)
            .chunk_size(Some(CHUNK))
            .profile("thenar")
            .library(concat!("thenar ", env!("CARGO_PKG_VERSION")));
        Ok(McapFile { writer: options.create(writer)?, sequences: BTreeMap::new() })
    }

    pub fn channel(&mut self, topic: &str, schema: &ChannelSchema) -> Result<u16, RecordingError> {
        let schema = self.writer.add_schema(schema.name, "jsonschema", schema.text.as_bytes())?;
        Ok(self.writer.add_channel(schema, topic, "json", &BTreeMap::new())?)
    }

    /// Writes a message at a simulated time, seconds.
    pub fn message(&mut self, channel: u16, time: f64, json: &[u8]) -> Result<(), RecordingError> {
        let sequence = self.sequences.entry(channel).or_insert(0);
        let log_time = nanoseconds(time);
        let header = MessageHeader { channel_id: channel, sequence: *sequence, log_time, publish_time: log_time };
        *sequence = sequence.wrapping_add(1);
        Ok(self.writer.write_to_known_channel(&header, json)?)
    }

    pub fn attach(&mut self, name: &str, media_type: &str, data: &[u8]) -> Result<(), RecordingError> {
        let attachment = Attachment {
            log_time: 0,
            create_time: 0,
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            data: Cow::Borrowed(data),
        };
        Ok(self.writer.attach(&attachment)?)
    }

    pub fn metadata(&mut self, name: &str, entries: BTreeMap<String, String>) -> Result<(), RecordingError> {
        let record = mcap::records::Metadata { name: name.to_owned(), metadata: entries };
        Ok(self.writer.write_metadata(&record)?)
    }

    pub fn finish(mut self) -> Result<W, RecordingError> {
        self.writer.finish()?;
        Ok(self.writer.into_inner())
    }
}

/// Simulated seconds as the nanoseconds of MCAP.
pub(super) fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9).round().max(0.0) as u64
}
