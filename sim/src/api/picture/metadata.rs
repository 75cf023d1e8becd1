//! Strips images of everything but the picture: places, devices, comments and texts. Colour profiles stay, and so does the orientation,
//! without which a phone's picture lies on its side.
use image::ImageFormat;
use image::metadata::Orientation;

use super::extent::{PNG_SIGNATURE, PngChunk, after_scan, blocks, color_table, png_chunk};

/// The image without metadata; `None` if it does not have the structure of its format.
pub(super) fn without_metadata(bytes: &[u8], format: ImageFormat) -> Option<Vec<u8>> {
    match format {
        ImageFormat::Png => png(bytes),
        ImageFormat::Jpeg => jpeg(bytes),
        ImageFormat::Gif => gif(bytes),
        _ => webp(bytes),
    }
}

/// EXIF metadata with only the orientation; `None` if the picture is upright.
fn orientation_alone(exif: &[u8]) -> Option<Vec<u8>> {
    let orientation =
        Orientation::from_exif_chunk(exif).filter(|found| *found != Orientation::NoTransforms)?;
    // Little-endian TIFF with one directory of one entry: the tag 0x0112, one short number.
    let mut exif = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
    exif.extend([orientation.to_exif(), 0, 0, 0, 0, 0, 0, 0]);
    Some(exif)
}

/// Chunks that determine how the pixels look: colours, size, transparency and animation.
const PNG_KEPT: [&[u8; 4]; 16] = [
    b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT", b"bKGD", b"pHYs", b"hIST", b"sPLT", b"cICP",
    b"mDCV", b"cLLI", b"acTL", b"fcTL", b"fdAT",
];

fn png(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut clean = bytes.get(..PNG_SIGNATURE)?.to_vec();
    let mut at = PNG_SIGNATURE;
    while at < bytes.len() {
        let PngChunk { kind, content, whole } = png_chunk(bytes, at)?;
        // A capital letter marks a chunk that every decoder must process.
        if kind[0].is_ascii_uppercase() || PNG_KEPT.contains(&kind) {
            clean.extend_from_slice(whole);
        } else if kind == b"eXIf"
            && let Some(exif) = orientation_alone(content)
        {
            clean.extend(u32::try_from(exif.len()).ok()?.to_be_bytes());
            let checked = [&b"eXIf"[..], &exif].concat();
            clean.extend_from_slice(&checked);
            clean.extend(crc32fast::hash(&checked).to_be_bytes());
        }
        at += whole.len();
    }
    Some(clean)
}

/// The beginnings of the segments with EXIF and with a colour profile.
const JPEG_EXIF: &[u8] = b"Exif\0\0";
const JPEG_PROFILE: &[u8] = b"ICC_PROFILE\0";

fn jpeg(bytes: &[u8]) -> Option<Vec<u8>> {
    let (mut clean, mut at) = (bytes.get(..2)?.to_vec(), 2);
    while at < bytes.len() {
        let marker = *bytes.get(at + 1)?;
        let end = match marker {
            0xff => at + 1,
            0x01 | 0xd0..=0xd9 => at + 2,
            _ => at + 2 + usize::from(u16::from_be_bytes(bytes.get(at + 2..at + 4)?.try_into().ok()?)),
        };
        let segment = bytes.get(at..end)?;
        let content = segment.get(4..).unwrap_or_default();
        let is_kept = match marker {
            // A fill byte; a comment.
            0xff | 0xfe => false,
            0xe0 => content.starts_with(b"JFIF\0"),
            0xe2 => content.starts_with(JPEG_PROFILE),
            // The colour encoding.
            0xee => true,
            0xe1..=0xef => false,
            _ => true,
        };
        if is_kept {
            clean.extend_from_slice(segment);
        } else if marker == 0xe1
            && let Some(exif) = content.strip_prefix(JPEG_EXIF).and_then(orientation_alone)
        {
            let length = u16::try_from(2 + JPEG_EXIF.len() + exif.len()).ok()?;
            clean.extend([&[0xff, 0xe1][..], &length.to_be_bytes(), JPEG_EXIF, &exif].concat());
        }
        at = end;
        if marker == 0xda {
            at = after_scan(bytes, end)?;
            clean.extend_from_slice(&bytes[end..at]);
        }
    }
    Some(clean)
}

/// Application extensions with the repetition count of an animation, and with a colour profile.
const GIF_KEPT: [&[u8]; 3] = [b"NETSCAPE2.0", b"ANIMEXTS1.0", b"ICCRGBG1012"];

fn gif(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut at = 13 + color_table(*bytes.get(10)?);
    let mut clean = bytes.get(..at)?.to_vec();
    while at < bytes.len() {
        let (end, is_kept) = match *bytes.get(at)? {
            0x3b => (at + 1, true),
            0x21 => {
                let program = bytes.get(at + 3..at + 14).unwrap_or_default();
                let is_kept = match *bytes.get(at + 1)? {
                    0xfe => false,
                    0xff => GIF_KEPT.contains(&program),
                    _ => true,
                };
                (blocks(bytes, at + 2)?, is_kept)
            }
            _ => (blocks(bytes, at + 11 + color_table(*bytes.get(at + 9)?))?, true),
        };
        if is_kept {
            clean.extend_from_slice(bytes.get(at..end)?);
        }
        at = end;
    }
    Some(clean)
}

/// Flags of the extended header that announce EXIF and XMP.
const WEBP_EXIF: u8 = 0x08;
const WEBP_XMP: u8 = 0x04;

/// Bytes of an animation's frame before its chunks: place, size, duration, blending.
const WEBP_FRAME: usize = 16;

fn webp(bytes: &[u8]) -> Option<Vec<u8>> {
    let (mut chunks, mut exif) = (Vec::new(), None);
    for (kind, content) in webp_chunks(bytes.get(12..)?)? {
        match kind {
            b"VP8 " | b"VP8L" | b"VP8X" | b"ALPH" | b"ANIM" | b"ICCP" => {
                chunks.push((kind, content.to_vec()));
            }
            b"ANMF" => {
                let mut frame = content.get(..WEBP_FRAME)?.to_vec();
                let parts = webp_chunks(&content[WEBP_FRAME..])?;
                let pixels =
                    parts.into_iter().filter(|(kind, _)| matches!(*kind, b"VP8 " | b"VP8L" | b"ALPH"));
                pixels.for_each(|(kind, content)| add_webp_chunk(&mut frame, kind, content));
                chunks.push((kind, frame));
            }
            b"EXIF" => exif = orientation_alone(content.strip_prefix(JPEG_EXIF).unwrap_or(content)),
            _ => {}
        }
    }
    if let Some((b"VP8X", header)) = chunks.first_mut().map(|(kind, content)| (*kind, content)) {
        let flags = header.first_mut()?;
        *flags &= !(WEBP_EXIF | WEBP_XMP);
        if let Some(exif) = exif {
            *flags |= WEBP_EXIF;
            chunks.push((b"EXIF", exif));
        }
    }
    let mut clean = b"RIFF\0\0\0\0WEBP".to_vec();
    chunks.iter().for_each(|(kind, content)| add_webp_chunk(&mut clean, kind, content));
    let length = u32::try_from(clean.len() - 8).ok()?;
    clean[4..8].copy_from_slice(&length.to_le_bytes());
    Some(clean)
}

type WebpChunk<'a> = (&'a [u8; 4], &'a [u8]);

/// Splits consecutive chunks; `None` if one is cut off.
fn webp_chunks(bytes: &[u8]) -> Option<Vec<WebpChunk<'_>>> {
    let (mut chunks, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let kind: &[u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
        let length = u32::from_le_bytes(bytes.get(at + 4..at + 8)?.try_into().ok()?) as usize;
        chunks.push((kind, bytes.get(at + 8..(at + 8).checked_add(length)?)?));
        at += 8 + length + length % 2;
    }
    Some(chunks)
}

/// Adds a chunk of an image of at most 4 GiB; its content is padded to an even length.
fn add_webp_chunk(bytes: &mut Vec<u8>, kind: &[u8; 4], content: &[u8]) {
    let length = u32::try_from(content.len()).expect("it was read with a length of 32 bits");
    bytes.extend_from_slice(kind);
    bytes.extend(length.to_le_bytes());
    bytes.extend_from_slice(content);
    bytes.extend_from_slice(&[0][..content.len() % 2]);
}
