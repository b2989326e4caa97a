//! The hands of a scene, each side built once.

use crate::error::Error;
use std::sync::Arc;
use thenar::hand::{Anatomy, Digit, HandModel, HandOptions, Preset, Side, SkinDetail, TissueOptions};
use thenar_scene::run::tissue_options;
use thenar_scene::scene::Scene;

/// A right hand, and its mirror image where the scene has a left one.
pub struct Hands {
    right: Arc<HandModel>,
    left: Option<Arc<HandModel>>,
    /// Number of elements that was asked for.
    pub tets: usize,
}

impl Hands {
    /// The hands of a scene: of the preset's kind of tissue, with its usual number of elements unless `tets` says.
    pub fn build(scene: &Scene, measures: Preset, tets: Option<usize>, refine: Option<Digit>) -> Result<Hands, Error> {
        let wants_left = scene.hands.iter().any(|h| Side::from(h.side) == Side::Left);
        let tissue = TissueOptions { refine, ..tissue_options(&scene.world, tets).map_err(Error::input)? };
        Hands::of_anatomy(Anatomy::preset(measures, Side::Right), wants_left, tissue)
    }

    /// The hands of a person whose right hand has this anatomy.
    pub fn of_anatomy(anatomy: Anatomy, wants_left: bool, tissue: TissueOptions) -> Result<Hands, Error> {
        let right =
            HandModel::build(&HandOptions { anatomy, detail: SkinDetail::Default, tissue }).map_err(Error::input)?;
        let left = wants_left.then(|| Arc::new(right.mirrored()));
        Ok(Hands { right: Arc::new(right), left, tets: tissue.tets })
    }

    /// The hand of a side.
    pub fn of(&self, side: Side) -> Arc<HandModel> {
        match (side, &self.left) {
            (Side::Left, Some(left)) => Arc::clone(left),
            _ => Arc::clone(&self.right),
        }
    }
}
