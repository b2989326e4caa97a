//! Software drawing of hands and scenes to PNG, without a GPU.
//!
//! A [`Scene3`] holds surfaces, lines, points and labels; a [`Camera`] looks at it; [`Scene3::render`] gives a [`Canvas`];
//! [`png`](png()) and [`film`] turn canvases into files. [`hand_sheet`](hand_sheet()) draws the standard views of a hand. Pictures are
//! deterministic: the same input gives the same bytes.
//!
//! ```
//! use thenar::math::Vec3;
//! use thenar_draw::{Camera, Scene3, Surface};
//! let mut scene = Scene3::new();
//! scene.add(Surface::sphere(0.03, [0.8, 0.2, 0.1]));
//! scene.ground = Some(-0.03);
//! let canvas = scene.render(&Camera::look_at(Vec3::new(0.0, 0.1, 0.3), Vec3::ZERO), 64, 48);
//! let file = thenar_draw::png(&canvas).unwrap();
//! assert_eq!(&file[1..4], b"PNG");
//! ```
#![warn(missing_docs)]

mod camera;
mod canvas;
mod encode;
mod font;
mod hand_sheet;
mod heat;
mod light;
mod marks;
mod occlusion;
mod pad_view;
mod raster;
mod resolve;
mod scene3;
mod shadow;
mod sheet;
mod surface;

pub use camera::{Camera, Lens};
pub use canvas::{Canvas, Rgb, mix, srgb};
pub use encode::{EncodeError, film, png};
pub use font::text_width;
pub use hand_sheet::{HandView, TILE, bones_scene, hand_sheet, picture, skin_sheet, tissue_colour, tissue_scene};
pub use heat::{heat, heat_over};
pub use light::{Light, Lighting};
pub use pad_view::{add_disc, pad_picture};
pub use scene3::{Backdrop, Label, Line, Point, Scene3};
pub use sheet::Sheet;
pub use surface::{Material, SKIN, Surface, smooth_normals};
