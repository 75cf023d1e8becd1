//! Uploaded images: decoded completely, within limits on pixels and memory. Metadata and bytes after the end of the image are dropped.
//!
//! Clause: UP-IMAGE
mod extent;
mod metadata;
mod work;

use std::io::Cursor;

use image::codecs::gif::GifDecoder;
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::{
    AnimationDecoder, DynamicImage, Frames, ImageDecoder, ImageFormat, ImageReader, ImageResult, Limits,
};

pub(crate) const MEDIA_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// Most pixels of a still image.
    pixels: u64,
    /// Most pixels of all frames of an animation together.
    pixels_of_frames: u64,
    /// Longest side, in pixels.
    side: u32,
    /// Memory, in bytes.
    memory: u64,
}

const BOUNDS: Bounds = Bounds { pixels: 1 << 24, pixels_of_frames: 1 << 26, side: 8_192, memory: 160 << 20 };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PictureKind {
    pub media_type: &'static str,
    /// File extension.
    pub ending: &'static str,
}

/// The reason why a file is not accepted as an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PictureError {
    /// The file starts like none of the four formats.
    #[error("the file is not a PNG, JPEG, GIF or WebP image")]
    Format,
    /// The file ends before the image does.
    #[error("the image is not complete")]
    Incomplete,
    /// The image exceeds the limits on pixels or memory.
    #[error("the image has too many pixels")]
    Bounds,
    /// The image is many times more work than its pixels are.
    #[error("the image has too many scans or too long a colour profile")]
    Work,
    /// The image's pixels cannot be decoded.
    #[error("the image cannot be decoded")]
    Broken,
}

/// Returns the kind of an image and the bytes to store.
pub(crate) fn stored(bytes: &[u8]) -> Result<(PictureKind, Vec<u8>), PictureError> {
    BOUNDS.stored(bytes)
}

impl Bounds {
    /// Decodes every pixel of every frame. Only what is stored is decoded: texts, which may be compressed, are not.
    fn stored(&self, bytes: &[u8]) -> Result<(PictureKind, Vec<u8>), PictureError> {
        let format = image::guess_format(bytes).map_err(|_| PictureError::Format)?;
        let (media_type, ending, end) = match format {
            ImageFormat::Png => (MEDIA_TYPES[0], "png", extent::png(bytes)),
            ImageFormat::Jpeg => (MEDIA_TYPES[1], "jpg", extent::jpeg(bytes)),
            ImageFormat::Gif => (MEDIA_TYPES[2], "gif", extent::gif(bytes)),
            ImageFormat::WebP => (MEDIA_TYPES[3], "webp", extent::webp(bytes)),
            _ => return Err(PictureError::Format),
        };
        let image = end.and_then(|end| bytes.get(..end)).ok_or(PictureError::Incomplete)?;
        let clean = metadata::without_metadata(image, format).ok_or(PictureError::Broken)?;
        if !work::is_bounded(&clean, format) {
            return Err(PictureError::Work);
        }
        self.still(&clean, format)?;
        self.moving(&clean, format)?;
        Ok((PictureKind { media_type, ending }, clean))
    }

    fn still(&self, bytes: &[u8], format: ImageFormat) -> Result<(), PictureError> {
        let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
        reader.limits(self.limits());
        let decoder = reader.into_decoder().map_err(picture_error)?;
        let (width, height) = decoder.dimensions();
        if u64::from(width) * u64::from(height) > self.pixels {
            return Err(PictureError::Bounds);
        }
        DynamicImage::from_decoder(decoder).map(drop).map_err(picture_error)
    }

    /// Decodes the frames of an animation one after another; a still image has no frames here.
    fn moving(&self, bytes: &[u8], format: ImageFormat) -> Result<(), PictureError> {
        let frames = self.frames(bytes, format).map_err(picture_error)?;
        let mut pixels = 0_u64;
        for frame in frames.into_iter().flatten() {
            let (width, height) = frame.map_err(picture_error)?.buffer().dimensions();
            pixels = pixels.saturating_add(u64::from(width) * u64::from(height));
            if pixels > self.pixels_of_frames {
                return Err(PictureError::Bounds);
            }
        }
        Ok(())
    }

    fn frames<'b>(&self, bytes: &'b [u8], format: ImageFormat) -> ImageResult<Option<Frames<'b>>> {
        let reader = Cursor::new(bytes);
        Ok(match format {
            ImageFormat::Gif => {
                let mut decoder = GifDecoder::new(reader)?;
                decoder.set_limits(self.limits())?;
                Some(decoder.into_frames())
            }
            ImageFormat::WebP => {
                let mut decoder = WebPDecoder::new(reader)?;
                decoder.set_limits(self.limits())?;
                decoder.has_animation().then(|| decoder.into_frames())
            }
            ImageFormat::Png => {
                let decoder = PngDecoder::with_limits(reader, self.limits())?;
                if decoder.is_apng()? { Some(decoder.apng()?.into_frames()) } else { None }
            }
            _ => None,
        })
    }

    fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        limits.max_image_width = Some(self.side);
        limits.max_image_height = Some(self.side);
        limits.max_alloc = Some(self.memory);
        limits
    }
}

fn picture_error(error: image::ImageError) -> PictureError {
    match error {
        image::ImageError::Limits(_) => PictureError::Bounds,
        _ => PictureError::Broken,
    }
}

#[cfg(test)]
mod tests;
