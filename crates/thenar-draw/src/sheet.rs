//! Contact sheets: pictures side by side, each with a line of text below.

use crate::canvas::{Canvas, Rgb, srgb};
use crate::font::text_width;

/// A grid of pictures of one size.
#[derive(Clone, Debug)]
pub struct Sheet {
    columns: usize,
    tile: [usize; 2],
    tiles: Vec<(Canvas, String)>,
    title: Option<String>,
}

const PAPER: u32 = 0x00f3_f4f6;
const INK: u32 = 0x0033_373d;
const LABEL_SIZE: f32 = 9.0;
const LABEL_ROW: usize = 26;
const TITLE_ROW: usize = 34;
const GAP: usize = 2;

impl Sheet {
    /// An empty sheet for pictures of `width` by `height` pixels, `columns` in a row.
    #[must_use]
    pub fn new(columns: usize, width: usize, height: usize) -> Self {
        Sheet { columns: columns.max(1), tile: [width, height], tiles: Vec::new(), title: None }
    }

    /// Width and height of one picture.
    #[must_use]
    pub fn tile(&self) -> [usize; 2] {
        self.tile
    }

    /// Writes a line above the pictures.
    pub fn title(&mut self, title: impl Into<String>) -> &mut Self {
        self.title = Some(title.into());
        self
    }

    /// Adds a picture.
    pub fn push(&mut self, picture: Canvas, label: impl Into<String>) -> &mut Self {
        self.tiles.push((picture, label.into()));
        self
    }

    /// The finished sheet.
    #[must_use]
    pub fn canvas(&self) -> Canvas {
        let columns = self.columns.min(self.tiles.len().max(1));
        let rows = self.tiles.len().div_ceil(columns).max(1);
        let [width, height] = self.tile;
        let top = if self.title.is_some() { TITLE_ROW } else { 0 };
        let total = [columns * (width + GAP) - GAP, top + rows * (height + LABEL_ROW)];
        let mut canvas = Canvas::new(total[0], total[1], srgb(PAPER));
        let ink: Rgb = srgb(INK);
        if let Some(title) = &self.title {
            canvas.text(12.0, 13.0, LABEL_SIZE + 1.0, ink, title);
        }
        for (i, (picture, label)) in self.tiles.iter().enumerate() {
            let (x, y) = (i % columns * (width + GAP), top + i / columns * (height + LABEL_ROW));
            canvas.place(picture, x, y);
            let indent = (0.5 * (width as f32 - text_width(label, LABEL_SIZE))).max(4.0);
            canvas.text(x as f32 + indent, (y + height) as f32 + 7.0, LABEL_SIZE, ink, label);
        }
        canvas
    }
}
