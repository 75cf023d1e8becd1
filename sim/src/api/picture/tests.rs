//! Images of the four formats, whole and broken.
use std::io::Cursor;

use image::codecs::gif::GifEncoder;
use image::{Delay, DynamicImage, Frame, ImageFormat, Rgb, RgbImage, RgbaImage};

use super::{BOUNDS, Bounds, PictureError, examine};

fn encoded(format: ImageFormat, width: u32, height: u32) -> Vec<u8> {
    let picture = RgbImage::from_fn(width, height, |x, y| {
        Rgb([x * 7, y * 5, x ^ y].map(|value| value.to_le_bytes()[0]))
    });
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::from(picture).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

const FORMATS: [(ImageFormat, &str); 4] = [
    (ImageFormat::Png, "image/png"),
    (ImageFormat::Jpeg, "image/jpeg"),
    (ImageFormat::Gif, "image/gif"),
    (ImageFormat::WebP, "image/webp"),
];

#[test]
fn every_format_is_decoded() {
    for (format, media_type) in FORMATS {
        let bytes = encoded(format, 33, 21);
        let kind = examine(&bytes).unwrap();
        assert_eq!((kind.media_type, kind.length), (media_type, bytes.len()));
    }
}

#[test]
fn truncated_images_are_refused() {
    for (format, media_type) in FORMATS {
        let whole = encoded(format, 33, 21);
        for length in [1, 4, 12, whole.len() / 2, whole.len() - 1] {
            assert!(examine(&whole[..length]).is_err(), "{media_type} cut at {length}");
        }
    }
}

#[test]
fn trailing_bytes_are_not_part_of_the_image() {
    let second = encoded(ImageFormat::Jpeg, 8, 8);
    for (format, media_type) in FORMATS {
        let whole = encoded(format, 33, 21);
        for tail in [&b"<script>alert(1)</script>"[..], b"PK\x03\x04", &[0; 9], &second] {
            let kind = examine(&[&whole[..], tail].concat()).unwrap();
            assert_eq!((kind.media_type, kind.length), (media_type, whole.len()));
        }
    }
}

#[test]
fn other_formats_are_refused() {
    let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
    for file in [&svg[..], b"", b"GIF", b"%PDF-1.7", b"BM\0\0", b"II*\0", b"RIFF\0\0\0\0WAVE"] {
        assert_eq!(examine(file), Err(PictureError::Format), "{file:?}");
    }
}

#[test]
fn corrupt_pixels_are_refused() {
    let mut png = encoded(ImageFormat::Png, 64, 64);
    let middle = png.len() / 2;
    png[middle] ^= 0xff;
    assert_eq!(examine(&png), Err(PictureError::Broken));
}

/// A few hundred bytes that would decode to gigabytes of pixels.
#[test]
fn decompression_bombs_are_not_decoded() {
    let mut gif = encoded(ImageFormat::Gif, 1, 1);
    gif[6..10].copy_from_slice(&[0xff; 4]);
    assert_eq!(examine(&gif), Err(PictureError::Bounds));
    let mut png = encoded(ImageFormat::Png, 1, 1);
    png[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
    assert!(examine(&png).is_err());
    let long = encoded(ImageFormat::Png, 8_193, 1);
    assert_eq!(examine(&long), Err(PictureError::Bounds));
}

#[test]
fn pixels_of_all_frames_are_bounded() {
    let film = |frames: usize| {
        let mut bytes = Vec::new();
        let mut encoder = GifEncoder::new_with_speed(&mut bytes, 30);
        for _ in 0..frames {
            let frame = Frame::from_parts(RgbaImage::new(16, 16), 0, 0, Delay::from_numer_denom_ms(10, 1));
            encoder.encode_frame(frame).unwrap();
        }
        drop(encoder);
        bytes
    };
    let small = Bounds { pixels: 256, pixels_of_frames: 1_024, ..BOUNDS };
    assert!(small.examine(&film(4)).is_ok());
    assert_eq!(small.examine(&film(5)), Err(PictureError::Bounds));
    let larger = encoded(ImageFormat::Png, 17, 16);
    assert_eq!(small.examine(&larger), Err(PictureError::Bounds));
}
