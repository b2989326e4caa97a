//! The records of an MCAP file, one after the other, each with its place.
//!
//! The framing is checked here, because the library trusts the lengths inside attachments.

use mcap::records::{Record, op};

use super::RecordingError;

/// Opcode and length of a record.
const FRAMING: usize = 9;

/// Calls `visit` with each record of the file that matters, chunks unpacked.
pub(super) fn for_each_record(
    bytes: &[u8],
    visit: &mut dyn FnMut(Record<'_>, usize) -> Result<(), RecordingError>,
) -> Result<(), RecordingError> {
    let Some(body) = bytes.strip_prefix(mcap::MAGIC) else { return Err(RecordingError::NotMcap) };
    walk(body, mcap::MAGIC.len(), true, visit)
}

fn walk(
    bytes: &[u8],
    start: usize,
    chunks: bool,
    visit: &mut dyn FnMut(Record<'_>, usize) -> Result<(), RecordingError>,
) -> Result<(), RecordingError> {
    let mut at = 0;
    while let Some(framing) = bytes.get(at..at + FRAMING) {
        let offset = start + at;
        let (opcode, length) = (framing[0], u64::from_le_bytes(length_bytes(framing)));
        let left = bytes.len() - at - FRAMING;
        let body = usize::try_from(length).ok().and_then(|n| bytes.get(at + FRAMING..at + FRAMING + n.min(left + 1)));
        let Some(body) = body else { return Err(RecordingError::Cut { offset, claimed: length, left }) };
        at += FRAMING + body.len();
        match opcode {
            op::DATA_END | op::FOOTER => return Ok(()),
            op::ATTACHMENT if !attachment_is_framed(body) => {
                return Err(damaged(offset, "the name of the attachment is longer than its record"));
            }
            op::SCHEMA | op::CHANNEL | op::MESSAGE | op::CHUNK | op::ATTACHMENT | op::METADATA => {
                let record = mcap::parse_record(opcode, body).map_err(|error| damaged(offset, &error.to_string()))?;
                match record {
                    Record::Chunk { header, data } if chunks => {
                        if !header.compression.is_empty() {
                            let what =
                                format!("it is compressed by `{}`; only plain chunks are read", header.compression);
                            return Err(damaged(offset, &what));
                        }
                        let inside = offset + FRAMING + body.len() - data.len();
                        walk(&data, inside, false, visit)?;
                    }
                    Record::Chunk { .. } => return Err(damaged(offset, "a chunk within a chunk")),
                    record => visit(record, offset)?,
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn damaged(offset: usize, what: &str) -> RecordingError {
    RecordingError::Record { offset, what: what.to_owned() }
}

fn length_bytes(framing: &[u8]) -> [u8; 8] {
    std::array::from_fn(|i| framing[1 + i])
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
