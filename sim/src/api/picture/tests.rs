//! Images of the four formats, whole and broken.
use std::io::{Cursor, Read as _};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use image::codecs::gif::GifEncoder;
use image::metadata::Orientation;
use image::{
    Delay, DynamicImage, Frame, ImageDecoder as _, ImageFormat, ImageReader, Rgb, RgbImage, RgbaImage,
};

use super::{BOUNDS, Bounds, PictureError, PictureKind, stored};

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

fn examine(bytes: &[u8]) -> Result<PictureKind, PictureError> {
    stored(bytes).map(|(kind, _)| kind)
}

#[test]
fn every_format_is_decoded() {
    for (format, media_type) in FORMATS {
        let bytes = encoded(format, 33, 21);
        let (kind, clean) = stored(&bytes).unwrap();
        assert_eq!((kind.media_type, clean), (media_type, bytes));
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
            let (kind, clean) = stored(&[&whole[..], tail].concat()).unwrap();
            assert_eq!((kind.media_type, &clean), (media_type, &whole));
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

/// So many zeros as zlib packs them.
fn packed(zeros: u64) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    std::io::copy(&mut std::io::repeat(0).take(zeros), &mut packed).unwrap();
    packed.finish().unwrap()
}

#[test]
fn profiles_and_texts_that_inflate_are_bounded() {
    let plain = encoded(ImageFormat::Png, 33, 21);
    let with = |chunks: &[Vec<u8>]| [&plain[..33], &chunks.concat(), &plain[33..]].concat();
    let profile = |zeros| png_chunk(b"iCCP", &[b"x\0\0", &packed(zeros)[..]].concat());
    let largest = with(&[profile(4 << 20)]);
    assert_eq!(stored(&largest).unwrap().1, largest);
    for chunks in [vec![profile((4 << 20) + 1)], vec![profile(3 << 20), profile(2 << 20)]] {
        assert_eq!(examine(&with(&chunks)), Err(PictureError::Work));
    }
    for (kind, head) in [(b"zTXt", &b"x\0\0"[..]), (b"iTXt", b"x\0\x01\0\0\0")] {
        let bomb = png_chunk(kind, &[head, &packed(64 << 20)].concat());
        assert_eq!(stored(&with(&[bomb])).unwrap().1, plain, "{kind:?}");
    }
}

#[test]
fn scans_are_bounded() {
    let whole = encoded(ImageFormat::Jpeg, 33, 21);
    let scan = whole.windows(2).position(|marker| marker == [0xff, 0xda]).unwrap();
    let (head, body) = whole.split_at(scan);
    let body = &body[..body.len() - 2];
    let with = |scans: usize| [head, &body.repeat(scans), &[0xff, 0xd9]].concat();
    assert!(examine(&with(32)).is_ok());
    assert_eq!(examine(&with(33)), Err(PictureError::Work));
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
    assert!(small.stored(&film(4)).is_ok());
    assert_eq!(small.stored(&film(5)), Err(PictureError::Bounds));
    let larger = encoded(ImageFormat::Png, 17, 16);
    assert_eq!(small.stored(&larger), Err(PictureError::Bounds));
}

const SECRET: &[u8] = b"48.8584 N 2.2945 E <script>";

/// EXIF with an orientation and a description.
fn exif(orientation: u8) -> Vec<u8> {
    let at = u32::try_from(8 + 2 + 2 * 12 + 4).unwrap();
    let mut exif = b"MM\0\x2a\0\0\0\x08\0\x02".to_vec();
    exif.extend(
        [&[0x01, 0x0e, 0, 2][..], &u32::try_from(SECRET.len()).unwrap().to_be_bytes(), &at.to_be_bytes()]
            .concat(),
    );
    exif.extend([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]);
    [&exif, SECRET].concat()
}

fn png_chunk(kind: &[u8], content: &[u8]) -> Vec<u8> {
    let checked = [kind, content].concat();
    let length = u32::try_from(content.len()).unwrap().to_be_bytes();
    [&length[..], &checked, &crc32fast::hash(&checked).to_be_bytes()].concat()
}

fn jpeg_segment(marker: u8, content: &[u8]) -> Vec<u8> {
    [&[0xff, marker][..], &u16::try_from(content.len() + 2).unwrap().to_be_bytes(), content].concat()
}

fn webp_chunk(kind: &[u8], content: &[u8]) -> Vec<u8> {
    let padding = &[0][..content.len() % 2];
    [kind, &u32::try_from(content.len()).unwrap().to_le_bytes(), content, padding].concat()
}

/// The image with every kind of metadata that its format has.
fn with_metadata(format: ImageFormat, orientation: u8) -> Vec<u8> {
    let plain = encoded(format, 33, 21);
    let inserted = |at: usize, parts: &[Vec<u8>]| [&plain[..at], &parts.concat(), &plain[at..]].concat();
    match format {
        ImageFormat::Png => {
            let text = [b"Comment\0", SECRET].concat();
            inserted(
                33,
                &[
                    png_chunk(b"tEXt", &text),
                    png_chunk(b"iTXt", &[b"XML:com.adobe.xmp\0\0\0\0\0", SECRET].concat()),
                    png_chunk(b"tIME", &[7, 234, 1, 1, 1, 1, 1]),
                    png_chunk(b"eXIf", &exif(orientation)),
                    png_chunk(b"prVt", SECRET),
                ],
            )
        }
        ImageFormat::Jpeg => inserted(
            2,
            &[
                jpeg_segment(0xe1, &[b"Exif\0\0", &exif(orientation)[..]].concat()),
                jpeg_segment(0xe1, &[b"http://ns.adobe.com/xap/1.0/\0", SECRET].concat()),
                jpeg_segment(0xe2, &[b"MPF\0", SECRET].concat()),
                jpeg_segment(0xed, &[b"Photoshop 3.0\0", SECRET].concat()),
                jpeg_segment(0xfe, SECRET),
            ],
        ),
        ImageFormat::Gif => {
            let block = |label: u8, head: &[u8]| {
                let head = if head.is_empty() { Vec::new() } else { [&[11], head].concat() };
                [&[0x21, label][..], &head, &[u8::try_from(SECRET.len()).unwrap()], SECRET, &[0]].concat()
            };
            let table = if plain[10] & 0x80 == 0 { 0 } else { 3 << ((plain[10] & 7) + 1) };
            inserted(13 + table, &[block(0xfe, b""), block(0xff, b"XMP DataXMP")])
        }
        _ => {
            // The extended header announces the chunks; the picture follows, then its metadata.
            let size = |side: u32| (side - 1).to_le_bytes()[..3].to_vec();
            let header = [&[0x0c, 0, 0, 0][..], &size(33), &size(21)].concat();
            let body = [
                b"WEBP".to_vec(),
                webp_chunk(b"VP8X", &header),
                plain[12..].to_vec(),
                webp_chunk(b"EXIF", &exif(orientation)),
                webp_chunk(b"XMP ", SECRET),
                webp_chunk(b"priv", SECRET),
            ]
            .concat();
            [b"RIFF", &u32::try_from(body.len()).unwrap().to_le_bytes()[..], &body].concat()
        }
    }
}

#[test]
fn metadata_is_removed_and_the_picture_stays() {
    for (format, media_type) in FORMATS {
        for orientation in [1, 6] {
            let whole = with_metadata(format, orientation);
            assert!(whole.windows(SECRET.len()).any(|part| part == SECRET), "{media_type}");
            let (kind, clean) = stored(&whole).unwrap();
            assert_eq!(kind.media_type, media_type);
            assert!(!clean.windows(6).any(|part| part == &SECRET[..6]), "{media_type}");
            assert!(clean.len() < whole.len() - SECRET.len());
            let pixels =
                |bytes: &[u8]| image::load_from_memory_with_format(bytes, format).unwrap().into_rgba8();
            assert_eq!(pixels(&clean), pixels(&whole), "{media_type}");
            let mut decoder =
                ImageReader::with_format(Cursor::new(&clean[..]), format).into_decoder().unwrap();
            let seen = decoder.orientation().unwrap();
            let is_turned = orientation == 6 && format != ImageFormat::Gif;
            assert_eq!(
                seen,
                if is_turned { Orientation::Rotate90 } else { Orientation::NoTransforms },
                "{media_type}"
            );
            // Storing the stored image again changes nothing.
            assert_eq!(stored(&clean).unwrap().1, clean, "{media_type}");
        }
    }
}

#[test]
fn frames_of_an_animation_keep_their_pixels_alone() {
    let plain = encoded(ImageFormat::WebP, 33, 21);
    let size = |side: u32| (side - 1).to_le_bytes()[..3].to_vec();
    let place = [&[0; 6][..], &size(33), &size(21), &[100, 0, 0, 0]].concat();
    let frame = [place, plain[12..].to_vec(), webp_chunk(b"priv", SECRET)].concat();
    let parts = [
        b"WEBP".to_vec(),
        webp_chunk(b"VP8X", &[&[0x02, 0, 0, 0][..], &size(33), &size(21)].concat()),
        webp_chunk(b"ANIM", &[0; 6]),
        webp_chunk(b"ANMF", &frame),
        webp_chunk(b"ANMF", &frame),
    ];
    let body = parts.concat();
    let whole = [b"RIFF", &u32::try_from(body.len()).unwrap().to_le_bytes()[..], &body].concat();
    let (_, clean) = stored(&whole).unwrap();
    assert_eq!(clean.len(), whole.len() - 2 * webp_chunk(b"priv", SECRET).len());
    assert!(!clean.windows(6).any(|part| part == &SECRET[..6]));
    assert_eq!(stored(&clean).unwrap().1, clean);
}

#[test]
fn image_without_metadata_is_stored_as_it_is() {
    for (format, media_type) in FORMATS {
        let whole = encoded(format, 33, 21);
        assert_eq!(stored(&whole).unwrap().1, whole, "{media_type}");
    }
}
