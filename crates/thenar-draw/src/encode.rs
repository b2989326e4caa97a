//! PNG and animated PNG.

use crate::canvas::Canvas;

/// Why a picture could not be written.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The PNG encoder refused.
    #[error("the PNG encoder failed: {0}")]
    Png(#[from] png::EncodingError),
    /// A film needs frames.
    #[error("a film needs at least one frame, got none")]
    NoFrames,
    /// All frames of a film have one size.
    #[error("frame {index} is {width}x{height} pixels but the first frame is {first_width}x{first_height}")]
    FrameSize {
        /// Which frame.
        index: usize,
        /// Its width.
        width: usize,
        /// Its height.
        height: usize,
        /// Width of the first frame.
        first_width: usize,
        /// Height of the first frame.
        first_height: usize,
    },
}

/// The bytes of a PNG file with this picture.
///
/// # Errors
/// [`EncodeError::Png`] if the picture has no pixels or too many.
pub fn png(canvas: &Canvas) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::new();
    let mut encoder = encoder(&mut bytes, canvas);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&canvas.to_srgb8())?;
    writer.finish()?;
    Ok(bytes)
}

/// The bytes of an animated PNG that repeats for ever; viewers without animation show the first frame.
///
/// # Errors
/// No frames, frames of different sizes, or a size PNG cannot hold.
pub fn film(frames: &[Canvas], frames_per_second: u16) -> Result<Vec<u8>, EncodeError> {
    let first = frames.first().ok_or(EncodeError::NoFrames)?;
    for (index, frame) in frames.iter().enumerate() {
        if (frame.width, frame.height) != (first.width, first.height) {
            let (width, height) = (frame.width, frame.height);
            let (first_width, first_height) = (first.width, first.height);
            return Err(EncodeError::FrameSize { index, width, height, first_width, first_height });
        }
    }
    let mut bytes = Vec::new();
    let mut encoder = encoder(&mut bytes, first);
    encoder.set_compression(png::Compression::Balanced);
    encoder.set_animated(frames.len() as u32, 0)?;
    encoder.set_frame_delay(1, frames_per_second.max(1))?;
    let mut writer = encoder.write_header()?;
    for frame in frames {
        writer.write_image_data(&frame.to_srgb8())?;
    }
    writer.finish()?;
    Ok(bytes)
}

fn encoder<'a>(bytes: &'a mut Vec<u8>, canvas: &Canvas) -> png::Encoder<'a, &'a mut Vec<u8>> {
    let mut encoder = png::Encoder::new(bytes, canvas.width as u32, canvas.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_film_of_three_frames_reads_back_as_three_frames() {
        let frames: Vec<Canvas> = (0..3).map(|i| Canvas::new(5, 4, [0.3 * i as f32; 3])).collect();
        let bytes = film(&frames, 25).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
        assert_eq!(reader.info().animation_control().unwrap().num_frames, 3);
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        for frame in &frames {
            reader.next_frame(&mut pixels).unwrap();
            assert_eq!(pixels, frame.to_srgb8());
        }
    }

    #[test]
    fn films_without_frames_or_of_mixed_sizes_are_refused() {
        assert!(matches!(film(&[], 25), Err(EncodeError::NoFrames)));
        let mixed = [Canvas::new(5, 4, [0.0; 3]), Canvas::new(4, 5, [0.0; 3])];
        assert!(matches!(film(&mixed, 25), Err(EncodeError::FrameSize { index: 1, .. })));
    }
}
