//! The binary container of glTF: a header, a JSON chunk and a chunk of bytes.

const MAGIC: u32 = 0x4654_6c67;
const JSON: u32 = 0x4e4f_534a;
const BIN: u32 = 0x004e_4942;

/// What is wrong with a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GlbError {
    /// The version is not 2.
    #[error("the container says version {0}, only version 2 is read")]
    Version(u32),
    /// The file ends early.
    #[error("the file ends after {found} bytes but its header promises {expected}: it was cut short")]
    CutShort {
        /// Bytes promised.
        expected: usize,
        /// Bytes there.
        found: usize,
    },
    /// The first chunk is not JSON.
    #[error("the first chunk of the container is not JSON")]
    NoJson,
}

/// JSON and bytes of a container, or of a plain `.gltf` text (which has no bytes).
pub(crate) fn split(file: &[u8]) -> Result<(&[u8], &[u8]), GlbError> {
    let word = |at: usize| file.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    if word(0) != Some(MAGIC) {
        return Ok((file, &[]));
    }
    let cut = |expected: usize| GlbError::CutShort { expected, found: file.len() };
    match word(4) {
        Some(2) => {}
        Some(version) => return Err(GlbError::Version(version)),
        None => return Err(cut(12)),
    }
    let mut chunks: [&[u8]; 2] = [&[], &[]];
    let mut at = 12;
    for (slot, kind) in [JSON, BIN].into_iter().enumerate() {
        let (Some(length), Some(found)) = (word(at), word(at + 4)) else {
            if slot == 0 {
                return Err(cut(20));
            }
            break;
        };
        if found != kind {
            if slot == 0 {
                return Err(GlbError::NoJson);
            }
            break;
        }
        let end = (at + 8).saturating_add(length as usize);
        chunks[slot] = file.get(at + 8..end).ok_or_else(|| cut(end))?;
        at = end;
    }
    Ok((chunks[0], chunks[1]))
}

/// A container with this JSON and these bytes.
pub(crate) fn join(json: &[u8], bytes: &[u8]) -> Vec<u8> {
    let padded = |length: usize| length.next_multiple_of(4);
    let total = 12 + 8 + padded(json.len()) + 8 + padded(bytes.len());
    let mut file = Vec::with_capacity(total);
    for word in [MAGIC, 2, total as u32] {
        file.extend(word.to_le_bytes());
    }
    for (kind, content, filler) in [(JSON, json, b' '), (BIN, bytes, 0)] {
        file.extend((padded(content.len()) as u32).to_le_bytes());
        file.extend(kind.to_le_bytes());
        file.extend(content);
        file.resize(file.len().next_multiple_of(4), filler);
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_splits_again_and_every_cut_is_noticed() {
        let file = join(b"{\"a\":1}", &[1, 2, 3, 4, 5]);
        assert_eq!(file.len() % 4, 0);
        let (json, bytes) = split(&file).unwrap();
        assert_eq!(json, b"{\"a\":1} ");
        assert_eq!(bytes, [1, 2, 3, 4, 5, 0, 0, 0]);
        for length in 4..file.len() {
            // Cut right after the JSON chunk (28 bytes) or inside the next header the rest counts as absent.
            assert!(split(&file[..length]).is_err() || (28..36).contains(&length), "cut at {length}");
        }
        assert_eq!(split(b"{}"), Ok((&b"{}"[..], &[][..])));
    }
}
