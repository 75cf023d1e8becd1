//! Finds where an image ends in its file, from the structure of its format; `None` when the file ends first.

/// Length of the signature before the chunks of a PNG.
pub(super) const PNG_SIGNATURE: usize = 8;

/// A chunk of a PNG.
pub(super) struct PngChunk<'a> {
    pub(super) kind: &'a [u8; 4],
    pub(super) content: &'a [u8],
    /// With length and checksum.
    pub(super) whole: &'a [u8],
}

/// The chunk that begins here.
pub(super) fn png_chunk(bytes: &[u8], at: usize) -> Option<PngChunk<'_>> {
    const FRAME: usize = 12;
    let length = u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize;
    let whole = bytes.get(at..at.checked_add(length)?.checked_add(FRAME)?)?;
    Some(PngChunk { kind: whole[4..8].try_into().ok()?, content: &whole[8..8 + length], whole })
}

/// End of the chunk `IEND`.
pub(super) fn png(bytes: &[u8]) -> Option<usize> {
    let mut at = PNG_SIGNATURE;
    loop {
        let chunk = png_chunk(bytes, at)?;
        at += chunk.whole.len();
        if chunk.kind == b"IEND" {
            return Some(at);
        }
    }
}

/// End of the marker `EOI`.
pub(super) fn jpeg(bytes: &[u8]) -> Option<usize> {
    jpeg_with_scans(bytes).map(|(end, _)| end)
}

/// End of the marker `EOI`, and the number of scans before it.
pub(super) fn jpeg_with_scans(bytes: &[u8]) -> Option<(usize, usize)> {
    const START_OF_SCAN: u8 = 0xda;
    const END: u8 = 0xd9;
    let (mut at, mut scans) = (2, 0);
    loop {
        let (&mark, &marker) = (bytes.get(at)?, bytes.get(at + 1)?);
        if mark != 0xff {
            return None;
        }
        match marker {
            END => return Some((at + 2, scans)),
            // A fill byte before a marker.
            0xff => at += 1,
            0x01 | 0xd0..=0xd7 => at += 2,
            _ => {
                let length = bytes.get(at + 2..at + 4)?;
                at += 2 + usize::from(u16::from_be_bytes(length.try_into().ok()?));
                if marker == START_OF_SCAN {
                    scans += 1;
                    at = after_scan(bytes, at)?;
                }
            }
        }
    }
}

/// The first marker after the coded pixels; within them, markers are escaped or restart the coding.
pub(super) fn after_scan(bytes: &[u8], from: usize) -> Option<usize> {
    let coded = |marker: u8| matches!(marker, 0x00 | 0xd0..=0xd7);
    (from..bytes.len().saturating_sub(1)).find(|&at| bytes[at] == 0xff && !coded(bytes[at + 1]))
}

/// End of the trailer.
pub(super) fn gif(bytes: &[u8]) -> Option<usize> {
    const HEADER: usize = 13;
    let mut at = HEADER + color_table(*bytes.get(10)?);
    loop {
        match *bytes.get(at)? {
            0x3b => return Some(at + 1),
            0x21 => at = blocks(bytes, at + 2)?,
            0x2c => at = blocks(bytes, at + 10 + color_table(*bytes.get(at + 9)?) + 1)?,
            _ => return None,
        }
    }
}

/// Bytes of the color table that the packed flags describe.
pub(super) fn color_table(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

/// End of a sequence of blocks, each preceded by its length, the last of length 0.
pub(super) fn blocks(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let length = usize::from(*bytes.get(at)?);
        at += 1 + length;
        if length == 0 {
            return Some(at);
        }
    }
}

/// End of the one container in the file.
pub(super) fn webp(bytes: &[u8]) -> Option<usize> {
    let length = u32::from_le_bytes(bytes.get(4..8)?.try_into().ok()?) as usize;
    let end = length.checked_add(8)?;
    (end <= bytes.len()).then_some(end)
}
