//! Bounds what an image costs beside its pixels, before it is decoded: a few bytes may inflate to a gigabyte, or draw the same pixels many
//! times.
use std::io::{Read as _, copy, sink};

use flate2::read::ZlibDecoder;
use image::ImageFormat;

use super::extent::{PNG_SIGNATURE, jpeg_with_scans, png_chunk};

/// Most scans of a JPEG; encoders make about ten.
const SCANS: usize = 32;
/// Longest colour profiles of a PNG together, inflated; most have a few KiB, and those of printers about one MiB.
const PROFILES: u64 = 4 << 20;

/// Whether a whole image takes no more than that.
pub(super) fn is_bounded(bytes: &[u8], format: ImageFormat) -> bool {
    match format {
        ImageFormat::Png => profiles_are_bounded(bytes),
        ImageFormat::Jpeg => jpeg_with_scans(bytes).is_some_and(|(_, scans)| scans <= SCANS),
        _ => true,
    }
}

fn profiles_are_bounded(bytes: &[u8]) -> bool {
    let (mut at, mut left) = (PNG_SIGNATURE, PROFILES + 1);
    while let Some(chunk) = png_chunk(bytes, at) {
        at += chunk.whole.len();
        if chunk.kind == b"iCCP" {
            // The name of the profile ends with a NUL; the method of compression follows.
            let name = chunk.content.iter().position(|&byte| byte == 0).unwrap_or_default();
            let packed = chunk.content.get(name + 2..).unwrap_or_default();
            let mut inflated = ZlibDecoder::new(packed).take(left);
            // A broken profile is none, for decoders too; what it cost counts.
            let _ = copy(&mut inflated, &mut sink());
            left = inflated.limit();
        }
    }
    left > 0
}
