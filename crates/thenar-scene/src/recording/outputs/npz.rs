//! NPZ: arrays of `f64` in NumPy's format, stored in a ZIP file without compression.

/// One array of a file: its name, its shape and its values, the last index running fastest.
pub(super) struct Array<'a> {
    pub name: String,
    pub shape: Vec<usize>,
    pub values: &'a [f64],
}

/// The bytes of an NPZ file with these arrays.
pub(super) fn npz(arrays: &[Array<'_>]) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut directory = Vec::new();
    for array in arrays {
        let content = npy(array);
        let name = format!("{}.npy", array.name);
        let Ok(size) = u32::try_from(content.len()) else {
            return Err(format!("{name} has {} bytes, a plain ZIP file holds 4 GiB; write fewer steps", content.len()));
        };
        let Ok(offset) = u32::try_from(bytes.len()) else {
            return Err("the arrays together exceed the 4 GiB of a plain ZIP file; write fewer steps".to_owned());
        };
        let crc = crc32(&content);
        // Both headers of ZIP [PKWARE APPNOTE 4.3.7, 4.3.12] share this part: version, flags, method, time, date, crc, sizes.
        let mut common = Vec::new();
        for half in [20_u16, 0, 0, 0, 0x21] {
            common.extend(half.to_le_bytes());
        }
        for word in [crc, size, size] {
            common.extend(word.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&common);
        bytes.extend(name.as_bytes());
        bytes.extend(content);
        directory.extend(b"PK\x01\x02");
        directory.extend(20_u16.to_le_bytes());
        directory.extend(&common);
        directory.extend([0; 10]); // comment, disk, attributes
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let Ok(start) = u32::try_from(bytes.len()) else {
        return Err("the arrays together exceed the 4 GiB of a plain ZIP file; write fewer steps".to_owned());
    };
    let length = directory.len() as u32;
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    for _ in 0..2 {
        bytes.extend((arrays.len() as u16).to_le_bytes());
    }
    bytes.extend(length.to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend(0_u16.to_le_bytes());
    Ok(bytes)
}

/// NumPy's format, version 1: a magic, a Python literal padded to 64 bytes, then the values.
fn npy(array: &Array<'_>) -> Vec<u8> {
    let shape: String = array.shape.iter().map(|n| format!("{n},")).collect();
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}");
    let unpadded = 10 + header.len() + 1;
    header.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(array.values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

/// CRC-32 of ZIP (polynomial 0xEDB88320, reflected).
fn crc32(bytes: &[u8]) -> u32 {
    let table: [u32; 256] = std::array::from_fn(|i| {
        (0..8).fold(i as u32, |crc, _| if crc & 1 == 1 { 0xEDB8_8320 ^ (crc >> 1) } else { crc >> 1 })
    });
    !bytes.iter().fold(!0, |crc: u32, byte| table[((crc ^ u32::from(*byte)) & 0xFF) as usize] ^ (crc >> 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_zip() {
        // The check value of CRC-32/ISO-HDLC.
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn values_follow_a_header_that_says_their_shape() {
        let array = Array { name: "a".to_owned(), shape: vec![2, 3], values: &[1.0, 2.0, 3.0, 4.0, 5.0, -0.1] };
        let bytes = npy(&array);
        let start = bytes.len() - 48;
        assert_eq!(start % 64, 0, "values are aligned");
        assert!(std::str::from_utf8(&bytes[10..start]).unwrap().contains("'shape': (2,3,)"));
        assert_eq!(bytes[start + 40..], (-0.1_f64).to_le_bytes());
        let file = npz(&[array]).unwrap();
        assert!(file.starts_with(b"PK\x03\x04") && file.windows(5).any(|w| w == b"a.npy"));
        // The end record points to the directory.
        let end = &file[file.len() - 22..];
        let start = u32::from_le_bytes([end[16], end[17], end[18], end[19]]) as usize;
        assert_eq!(file[start..start + 4], *b"PK\x01\x02");
    }
}
