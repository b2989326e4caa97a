//! A ZIP file that grows on disk, of any size [PKWARE APPNOTE 4.3, 4.5.3]: sizes are filled in when an entry is complete.

use std::io::{self, Seek, SeekFrom, Write};

use flate2::write::DeflateEncoder;

/// Sizes and offsets of this and more stand in ZIP64 fields.
const FULL: u64 = u32::MAX as u64;
/// Version of the format that has ZIP64 fields.
const VERSION: u16 = 45;
/// 1 January 1980, the first day of ZIP: the same run gives the same file.
const DATE: u16 = 0x21;

/// How entries are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// As they are.
    #[default]
    None,
    /// Smaller, and slower to write.
    Deflate,
}

struct Entry {
    name: String,
    method: u16,
    crc: u32,
    packed: u64,
    size: u64,
    offset: u64,
}

pub(super) struct ZipFile<W: Write + Seek> {
    out: W,
    entries: Vec<Entry>,
}

impl<W: Write + Seek> ZipFile<W> {
    pub fn new(out: W) -> Self {
        ZipFile { out, entries: Vec::new() }
    }

    /// Adds a file with what `fill` writes.
    pub fn add(
        &mut self,
        name: &str,
        compression: Compression,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let method = if compression == Compression::Deflate { 8 } else { 0 };
        let offset = self.out.stream_position()?;
        let mut entry = Entry { name: name.to_owned(), method, crc: 0, packed: 0, size: 0, offset };
        self.out.write_all(&entry.local_header())?;
        let start = self.out.stream_position()?;
        (entry.crc, entry.size) = match compression {
            Compression::None => filled(&mut self.out, fill)?.1,
            Compression::Deflate => {
                let packer = DeflateEncoder::new(&mut self.out, flate2::Compression::fast());
                let (packer, told) = filled(packer, fill)?;
                packer.finish()?;
                told
            }
        };
        let end = self.out.stream_position()?;
        entry.packed = end - start;
        self.out.seek(SeekFrom::Start(offset))?;
        self.out.write_all(&entry.local_header())?;
        self.out.seek(SeekFrom::Start(end))?;
        self.entries.push(entry);
        Ok(())
    }

    /// Writes the directory and gives the writer back.
    pub fn finish(mut self) -> io::Result<W> {
        let start = self.out.stream_position()?;
        for entry in &self.entries {
            self.out.write_all(&entry.directory_header())?;
        }
        let end = self.out.stream_position()?;
        let (count, length) = (self.entries.len() as u64, end - start);
        let mut tail = Vec::new();
        if start >= FULL || length >= FULL {
            tail.extend(b"PK\x06\x06");
            tail.extend(44_u64.to_le_bytes());
            tail.extend([VERSION, VERSION].into_iter().flat_map(u16::to_le_bytes));
            tail.extend([0; 8]); // disks
            tail.extend([count, count, length, start].into_iter().flat_map(u64::to_le_bytes));
            tail.extend(b"PK\x06\x07\0\0\0\0");
            tail.extend(end.to_le_bytes());
            tail.extend(1_u32.to_le_bytes());
        }
        tail.extend(b"PK\x05\x06\0\0\0\0");
        tail.extend([count as u16; 2].into_iter().flat_map(u16::to_le_bytes));
        tail.extend([length, start].into_iter().flat_map(|value| (value.min(FULL) as u32).to_le_bytes()));
        tail.extend([0; 2]); // comment
        self.out.write_all(&tail)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

impl Entry {
    /// Always with ZIP64 sizes, because the header is written before they are known.
    fn local_header(&self) -> Vec<u8> {
        let mut header = b"PK\x03\x04".to_vec();
        header.extend(self.common([FULL as u32; 2], 20));
        header.extend(self.name.as_bytes());
        header.extend([1_u16, 16].into_iter().flat_map(u16::to_le_bytes));
        header.extend([self.size, self.packed].into_iter().flat_map(u64::to_le_bytes));
        header
    }

    fn directory_header(&self) -> Vec<u8> {
        let large: Vec<u64> =
            [self.size, self.packed, self.offset].into_iter().filter(|value| *value >= FULL).collect();
        let extra = if large.is_empty() { 0 } else { 4 + 8 * large.len() as u16 };
        let short = |value: u64| value.min(FULL) as u32;
        let mut header = b"PK\x01\x02".to_vec();
        header.extend(VERSION.to_le_bytes());
        header.extend(self.common([short(self.packed), short(self.size)], extra));
        header.extend([0; 10]); // comment, disk, attributes
        header.extend(short(self.offset).to_le_bytes());
        header.extend(self.name.as_bytes());
        if extra > 0 {
            header.extend([1, extra - 4].into_iter().flat_map(u16::to_le_bytes));
            header.extend(large.into_iter().flat_map(u64::to_le_bytes));
        }
        header
    }

    /// What both headers share: version, flags, method, time, date, checksum, sizes, lengths of name and extra fields.
    fn common(&self, sizes: [u32; 2], extra: u16) -> Vec<u8> {
        let mut bytes: Vec<u8> = [VERSION, 0, self.method, 0, DATE].into_iter().flat_map(u16::to_le_bytes).collect();
        bytes.extend([self.crc, sizes[0], sizes[1]].into_iter().flat_map(u32::to_le_bytes));
        bytes.extend([self.name.len() as u16, extra].into_iter().flat_map(u16::to_le_bytes));
        bytes
    }
}

/// Lets `fill` write, and tells the checksum and the number of bytes.
fn filled<W: Write>(out: W, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<(W, (u32, u64))> {
    let mut counted = Counted { out, crc: crc32fast::Hasher::new(), size: 0 };
    fill(&mut counted)?;
    Ok((counted.out, (counted.crc.finalize(), counted.size)))
}

struct Counted<W> {
    out: W,
    crc: crc32fast::Hasher,
    size: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.crc.update(&bytes[..written]);
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// Swallows gigabytes: remembers where it is, and what was written last.
    #[derive(Default)]
    struct Far {
        at: u64,
        last: Vec<u8>,
    }

    impl Write for Far {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.at += bytes.len() as u64;
            self.last = bytes.to_vec();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Far {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.at = match to {
                SeekFrom::Start(at) => at,
                SeekFrom::Current(by) => self.at.saturating_add_signed(by),
                SeekFrom::End(_) => return Err(io::ErrorKind::Unsupported.into()),
            };
            Ok(self.at)
        }
    }

    #[test]
    fn the_end_points_to_the_directory_and_the_directory_to_the_entries() {
        for compression in [Compression::None, Compression::Deflate] {
            let mut zip = ZipFile::new(Cursor::new(Vec::new()));
            zip.add("a", compression, |out| out.write_all(&[7; 5000])).unwrap();
            zip.add("b", compression, |out| out.write_all(b"123456789")).unwrap();
            let file = zip.finish().unwrap().into_inner();
            assert_eq!(file.len() < 1000, compression == Compression::Deflate);
            let u32_at = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
            let end = file.len() - 22;
            let first = u32_at(end + 16);
            assert_eq!(file[first..first + 4], *b"PK\x01\x02");
            let second = first + 46 + 1;
            // The check value of CRC-32/ISO-HDLC, and the size of the entry.
            assert_eq!((u32_at(second + 16), u32_at(second + 24)), (0xCBF4_3926, 9));
            let local = u32_at(second + 42);
            assert_eq!((&file[local..local + 4], u32_at(local + 14)), (&b"PK\x03\x04"[..], 0xCBF4_3926));
        }
    }

    #[test]
    fn five_gigabytes_have_their_true_sizes_in_the_directory() {
        // Everything but the content itself is checked: the checksum of gigabytes would take seconds.
        let (size, offset) = (5_u64 << 30, 6_u64 << 30);
        let entry = Entry { name: "big.npy".to_owned(), method: 0, crc: 0, packed: size, size, offset };
        let header = entry.directory_header();
        let extra = &header[46 + entry.name.len()..];
        let expected: Vec<u8> = [size, size, offset].into_iter().flat_map(u64::to_le_bytes).collect();
        assert_eq!((&extra[..4], &extra[4..]), (&[1, 0, 24, 0][..], expected.as_slice()));
        let zip = ZipFile { out: Far { at: offset + size, last: Vec::new() }, entries: vec![entry] };
        let tail = zip.finish().unwrap().last;
        assert!(tail.starts_with(b"PK\x06\x06"), "the end has its ZIP64 record");
        assert_eq!(tail[48..56], (offset + size).to_le_bytes());
    }
}
