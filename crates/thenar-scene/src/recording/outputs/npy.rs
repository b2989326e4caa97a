//! NumPy's format for one array of `f64`.

/// Magic, version 1 and a Python literal padded to 64 bytes; the values follow, the last index running fastest.
pub(super) fn npy_header(shape: &[u64]) -> Vec<u8> {
    let shape: String = shape.iter().map(|n| format!("{n},")).collect();
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}");
    let unpadded = 10 + header.len() + 1;
    header.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_says_the_shape_and_values_are_aligned() {
        let header = npy_header(&[2, 3]);
        assert_eq!(header.len() % 64, 0);
        assert!(std::str::from_utf8(&header[10..]).unwrap().contains("'shape': (2,3,)"));
    }
}
