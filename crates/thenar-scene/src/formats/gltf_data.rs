//! Numbers out of glTF buffers, every access checked.

use super::glb;
use super::import_error::ImportProblem;
use gltf::accessor::{DataType, Dimensions};
use gltf::{Accessor, Document};

/// Largest file that is read, bytes.
pub const MAX_FILE: usize = 64 << 20;
/// Most entries of one accessor.
pub const MAX_COUNT: usize = 4 << 20;

/// A parsed file and its buffers.
pub(crate) struct GltfData<'a> {
    pub document: Document,
    buffers: Vec<Bytes<'a>>,
}

enum Bytes<'a> {
    Inside(&'a [u8]),
    Decoded(Vec<u8>),
}

impl Bytes<'_> {
    fn get(&self) -> &[u8] {
        match self {
            Bytes::Inside(bytes) => bytes,
            Bytes::Decoded(bytes) => bytes,
        }
    }
}

impl<'a> GltfData<'a> {
    pub fn parse(file: &'a [u8]) -> Result<Self, ImportProblem> {
        if file.len() > MAX_FILE {
            return Err(ImportProblem::TooLarge { what: "file size in bytes", value: file.len(), limit: MAX_FILE });
        }
        let (json, blob) = glb::split(file)?;
        let root: gltf::json::Root =
            gltf::json::deserialize::from_slice(json).map_err(|e| ImportProblem::Json(e.to_string()))?;
        check_attributes(&root)?;
        let document = Document::from_json(root).map_err(|e| ImportProblem::Json(first_complaint(&e)))?;
        let mut buffers = Vec::new();
        for buffer in document.buffers() {
            buffers.push(match buffer.source() {
                gltf::buffer::Source::Bin => Bytes::Inside(blob),
                gltf::buffer::Source::Uri(uri) => Bytes::Decoded(data_uri(uri).ok_or_else(|| {
                    let uri = uri.chars().take(60).collect();
                    ImportProblem::ExternalBuffer { index: buffer.index(), uri }
                })?),
            });
        }
        Ok(GltfData { document, buffers })
    }

    /// Rows of `N` floats; normalised integers become 0 to 1 (or -1 to 1).
    pub fn floats<const N: usize>(
        &self,
        accessor: &Accessor<'_>,
        what: &'static str,
    ) -> Result<Vec<[f64; N]>, ImportProblem> {
        let kind = accessor.data_type();
        let normal = accessor.normalized();
        self.rows(accessor, what, |bytes| match kind {
            DataType::F32 => f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
            DataType::I8 => {
                let v = f64::from(bytes[0] as i8);
                if normal { (v / 127.0).max(-1.0) } else { v }
            }
            DataType::I16 => {
                let v = f64::from(i16::from_le_bytes([bytes[0], bytes[1]]));
                if normal { (v / 32767.0).max(-1.0) } else { v }
            }
            DataType::U8 | DataType::U16 | DataType::U32 => {
                let v = f64::from(unsigned(kind, bytes));
                match (normal, kind) {
                    (true, DataType::U8) => v / 255.0,
                    (true, DataType::U16) => v / 65535.0,
                    _ => v,
                }
            }
        })
    }

    /// Rows of `N` unsigned integers.
    pub fn integers<const N: usize>(
        &self,
        accessor: &Accessor<'_>,
        what: &'static str,
    ) -> Result<Vec<[u32; N]>, ImportProblem> {
        let kind = accessor.data_type();
        if !matches!(kind, DataType::U8 | DataType::U16 | DataType::U32) {
            let reason = format!("holds {kind:?}, unsigned integers are needed");
            return Err(ImportProblem::Accessor { index: accessor.index(), what, reason });
        }
        self.rows(accessor, what, |bytes| unsigned(kind, bytes))
    }

    fn rows<T: Copy + Default, const N: usize>(
        &self,
        accessor: &Accessor<'_>,
        what: &'static str,
        decode: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<[T; N]>, ImportProblem> {
        let bad = |reason: String| ImportProblem::Accessor { index: accessor.index(), what, reason };
        let count = accessor.count();
        if count > MAX_COUNT {
            return Err(ImportProblem::TooLarge { what, value: count, limit: MAX_COUNT });
        }
        if components(accessor.dimensions()) != N {
            return Err(bad(format!("has {:?} entries, {N} numbers each are needed", accessor.dimensions())));
        }
        if accessor.sparse().is_some() {
            return Err(bad("is sparse; export without sparse accessors".into()));
        }
        let view = accessor.view().ok_or_else(|| bad("has no buffer view".into()))?;
        let buffer = self.buffers.get(view.buffer().index()).map(Bytes::get).unwrap_or_default();
        let end = view.offset().checked_add(view.length());
        let bytes = end
            .and_then(|end| buffer.get(view.offset()..end))
            .ok_or_else(|| bad(format!("reads past the {} bytes of its buffer", buffer.len())))?;
        let (width, row) = (accessor.data_type().size(), accessor.size());
        let stride = view.stride().unwrap_or(row);
        let needed = count
            .checked_sub(1)
            .map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(row)?.checked_add(accessor.offset()));
        if stride < row || needed.is_none_or(|n| n > bytes.len()) {
            return Err(bad(format!("reads past the {} bytes of its view", bytes.len())));
        }
        Ok((0..count)
            .map(|i| {
                let start = accessor.offset() + i * stride;
                std::array::from_fn(|k| decode(&bytes[start + k * width..start + (k + 1) * width]))
            })
            .collect())
    }
}

fn unsigned(kind: DataType, bytes: &[u8]) -> u32 {
    match kind {
        DataType::U8 => u32::from(bytes[0]),
        DataType::U16 => u32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
        _ => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
    }
}

fn components(dimensions: Dimensions) -> usize {
    dimensions.multiplicity()
}

/// The validation of `gltf` 1.4 indexes accessors by POSITION before it has checked that number.
fn check_attributes(root: &gltf::json::Root) -> Result<(), ImportProblem> {
    for (mesh, primitive) in root.meshes.iter().enumerate().flat_map(|(i, m)| m.primitives.iter().map(move |p| (i, p)))
    {
        if let Some(index) = primitive.attributes.values().find(|index| index.value() >= root.accessors.len()) {
            let (index, count) = (index.value(), root.accessors.len());
            return Err(ImportProblem::Json(format!("meshes[{mesh}] names accessor {index}, but there are {count}")));
        }
    }
    Ok(())
}

fn first_complaint(error: &gltf::Error) -> String {
    match error {
        gltf::Error::Validation(list) => {
            list.first().map_or_else(String::new, |(path, complaint)| format!("{path}: {complaint}"))
        }
        other => other.to_string(),
    }
}

/// Bytes of a `data:` address in base 64.
fn data_uri(uri: &str) -> Option<Vec<u8>> {
    let (_, text) = uri.strip_prefix("data:")?.split_once(";base64,")?;
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for c in text.bytes().filter(|c| *c != b'=') {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded() {
        assert_eq!(data_uri("data:application/octet-stream;base64,AQIDBA=="), Some(vec![1, 2, 3, 4]));
        assert_eq!(data_uri("data:;base64,!"), None);
        assert_eq!(data_uri("hand.bin"), None);
    }
}
