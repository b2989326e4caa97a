//! The records of an MCAP file, one after the other, each with its place.
//!
//! The framing is checked here, because the library trusts the lengths inside attachments; so are the checksums of chunks,
//! attachments, the data section and the summary, so that a file is whole, cut short, or refused.

use mcap::records::{Record, op};

use super::RecordingError;

/// Opcode and length of a record.
const FRAMING: usize = 9;

/// How a file ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With all that belongs there, and every checksum is right.
    Whole,
    /// In the middle, as after a crash or on a full disk. What came before is good.
    Cut {
        /// Where the first record begins that is not whole, bytes from the start.
        offset: usize,
    },
}

/// Calls `visit` with each record of the file that matters, chunks unpacked, and says how the file ends.
pub(super) fn for_each_record(
    bytes: &[u8],
    visit: &mut dyn FnMut(Record<'_>, usize) -> Result<(), RecordingError>,
) -> Result<End, RecordingError> {
    if !bytes.starts_with(mcap::MAGIC) {
        return Err(RecordingError::NotMcap);
    }
    // On a full disk a chunk may have been closed in the middle of a record, or without its checksum.
    let has_end = bytes.ends_with(mcap::MAGIC);
    let mut file = Framed { bytes, at: mcap::MAGIC.len(), start: 0 };
    let data_end = loop {
        let offset = file.at;
        let Some((opcode, body)) = file.next()? else { return Ok(End::Cut { offset }) };
        match opcode {
            op::DATA_END => break offset,
            op::FOOTER => return Err(damaged(offset, "the footer comes before the end of the data")),
            op::CHUNK => {
                let inside = match chunk(offset, body) {
                    Err(_) if !has_end => return Ok(End::Cut { offset }),
                    inside => inside?,
                };
                let start = offset + FRAMING + body.len() - inside.len();
                let mut inside = Framed { bytes: inside, at: 0, start };
                while inside.at < inside.bytes.len() {
                    let offset = inside.start + inside.at;
                    match inside.next()? {
                        Some((op::CHUNK, _)) => return Err(damaged(offset, "a chunk within a chunk")),
                        Some((opcode, body)) => give(opcode, body, offset, visit)?,
                        None if has_end => return Err(damaged(offset, "its chunk ends within it")),
                        None => return Ok(End::Cut { offset }),
                    }
                }
            }
            _ => give(opcode, body, offset, visit)?,
        }
    };
    match parse(op::DATA_END, &bytes[data_end + FRAMING..file.at], data_end)? {
        Record::DataEnd(end) => verify(end.data_section_crc, &bytes[..data_end], data_end, "the data")?,
        _ => return Err(damaged(data_end, "the end of the data is no such record")),
    }
    summary(&mut file)
}

/// What follows the data: an index for viewers, the footer and the magic again. Nothing there is needed to replay, but it
/// must be what was written.
fn summary(file: &mut Framed<'_>) -> Result<End, RecordingError> {
    let summary = file.at;
    loop {
        let offset = file.at;
        let Some((opcode, body)) = file.next()? else { return Ok(End::Cut { offset }) };
        if opcode != op::FOOTER {
            continue;
        }
        let Record::Footer(footer) = parse(opcode, body, offset)? else {
            return Err(damaged(offset, "the footer is no such record"));
        };
        // The checksum takes in the footer up to itself.
        verify(footer.summary_crc, &file.bytes[summary..file.at - 4], offset, "the summary")?;
        let rest = &file.bytes[file.at..];
        return match rest {
            mcap::MAGIC => Ok(End::Whole),
            _ if mcap::MAGIC.starts_with(rest) => Ok(End::Cut { offset: file.at }),
            _ => Err(damaged(file.at, "the file does not end with the magic of MCAP")),
        };
    }
}

/// Records side by side.
struct Framed<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where `bytes` stand in the file.
    start: usize,
}

impl<'a> Framed<'a> {
    /// Opcode and body of the next record; `None` if the bytes end within it.
    fn next(&mut self) -> Result<Option<(u8, &'a [u8])>, RecordingError> {
        let Some(framing) = self.bytes.get(self.at..self.at + FRAMING) else { return Ok(None) };
        let length = u64::from_le_bytes(std::array::from_fn(|i| framing[1 + i]));
        let left = self.bytes.len() - self.at - FRAMING;
        let Some(length) = usize::try_from(length).ok().filter(|length| *length <= left) else {
            // A file that has its end was not cut: this length is wrong.
            if self.bytes.ends_with(mcap::MAGIC) {
                return Err(RecordingError::Cut { offset: self.start + self.at, claimed: length, left });
            }
            return Ok(None);
        };
        let body = &self.bytes[self.at + FRAMING..self.at + FRAMING + length];
        self.at += FRAMING + length;
        Ok(Some((framing[0], body)))
    }
}

/// The records in a chunk, if they are what was written.
fn chunk(offset: usize, body: &[u8]) -> Result<&[u8], RecordingError> {
    let Record::Chunk { header, data } = parse(op::CHUNK, body, offset)? else {
        return Err(damaged(offset, "the chunk is no such record"));
    };
    if !header.compression.is_empty() {
        let what = format!("it is compressed by `{}`; only plain chunks are read", header.compression);
        return Err(damaged(offset, &what));
    }
    // The records are the last part of the chunk.
    let data = &body[body.len() - data.len()..];
    if header.uncompressed_size != data.len() as u64 {
        let what = format!("the chunk claims {} bytes and has {}", header.uncompressed_size, data.len());
        return Err(damaged(offset, &what));
    }
    verify(header.uncompressed_crc, data, offset, "the chunk")?;
    Ok(data)
}

/// Hands on what matters.
fn give(
    opcode: u8,
    body: &[u8],
    offset: usize,
    visit: &mut dyn FnMut(Record<'_>, usize) -> Result<(), RecordingError>,
) -> Result<(), RecordingError> {
    match opcode {
        op::ATTACHMENT if !attachment_is_framed(body) => {
            Err(damaged(offset, "the name of the attachment is longer than its record"))
        }
        op::SCHEMA | op::CHANNEL | op::MESSAGE | op::ATTACHMENT | op::METADATA => {
            visit(parse(opcode, body, offset)?, offset)
        }
        _ => Ok(()),
    }
}

/// The library checks the checksums of attachments on the way.
fn parse(opcode: u8, body: &[u8], offset: usize) -> Result<Record<'_>, RecordingError> {
    mcap::parse_record(opcode, body).map_err(|error| damaged(offset, &error.to_string()))
}

/// Zero says that the writer made no checksum.
fn verify(written: u32, bytes: &[u8], offset: usize, what: &str) -> Result<(), RecordingError> {
    let found = if written == 0 { 0 } else { crc32fast::hash(bytes) };
    if found == written {
        return Ok(());
    }
    let what = format!("the checksum of {what} is {written:08x} as written, but {found:08x} for its bytes");
    Err(damaged(offset, &what))
}

fn damaged(offset: usize, what: &str) -> RecordingError {
    RecordingError::Record { offset, what: what.to_owned() }
}

/// True if an attachment has room for its two times, its two texts, its length and its checksum.
fn attachment_is_framed(body: &[u8]) -> bool {
    let text_end = |from: usize| -> Option<usize> {
        let length: [u8; 4] = body.get(from..from.checked_add(4)?)?.try_into().ok()?;
        from.checked_add(4)?.checked_add(u32::from_le_bytes(length) as usize)
    };
    let end = text_end(16).and_then(text_end).and_then(|end| end.checked_add(8 + 4));
    end.is_some_and(|end| end <= body.len())
}
