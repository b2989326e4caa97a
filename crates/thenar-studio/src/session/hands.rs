//! Hand models, built once for each set of measures and kind of tissue.

use std::sync::Arc;

use thenar::hand::{Anatomy, HandError, HandModel, HandOptions, Preset, Side, SkinDetail, TissueOptions};

use crate::wire::SkinView;

/// Whose hand it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Measures {
    /// A typical hand.
    Preset(Preset),
    /// A person's hand, by a fit to tracked joints; the measures of a right hand.
    Own(Box<Anatomy>),
}

/// What a fitted hand is called.
pub const OWN: &str = "own";

impl Measures {
    pub fn name(&self) -> &'static str {
        match self {
            Measures::Preset(preset) => preset.name(),
            Measures::Own(_) => OWN,
        }
    }

    fn anatomy(&self) -> Anatomy {
        match self {
            Measures::Preset(preset) => Anatomy::preset(*preset, Side::Right),
            Measures::Own(anatomy) => (**anatomy).clone(),
        }
    }
}

/// A model with the skins that can be streamed of it.
#[derive(Clone)]
pub struct BuiltHand {
    pub model: Arc<HandModel>,
    pub whole: Arc<SkinView>,
    pub coarse: Arc<SkinView>,
}

impl BuiltHand {
    fn new(model: HandModel) -> BuiltHand {
        let (whole, coarse) = (SkinView::whole(&model), SkinView::coarse(&model));
        BuiltHand { model: Arc::new(model), whole: Arc::new(whole), coarse: Arc::new(coarse) }
    }
}

/// Both hands of a person.
#[derive(Clone)]
pub struct Pair {
    pub right: BuiltHand,
    pub left: BuiltHand,
}

impl Pair {
    pub fn of(&self, side: Side) -> &BuiltHand {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }
}

/// Most pairs that are kept; the one unused for longest goes first.
const MOST_KEPT: usize = 6;

/// The pairs built so far, the latest used last.
#[derive(Default)]
pub struct HandStore {
    built: Vec<(Measures, TissueOptions, Pair)>,
}

impl HandStore {
    /// A pair that is there already.
    pub fn known(&mut self, measures: &Measures, tissue: TissueOptions) -> Option<Pair> {
        let place = self.built.iter().position(|(m, t, _)| m == measures && *t == tissue)?;
        let entry = self.built.remove(place);
        self.built.push(entry);
        self.built.last().map(|(.., pair)| pair.clone())
    }

    /// Builds what is not yet known; takes a second or two.
    pub fn get(&mut self, measures: &Measures, tissue: TissueOptions) -> Result<Pair, HandError> {
        if let Some(pair) = self.known(measures, tissue) {
            return Ok(pair);
        }
        let options = HandOptions { anatomy: measures.anatomy(), detail: SkinDetail::Default, tissue };
        let right = HandModel::build(&options)?;
        let left = BuiltHand::new(right.mirrored());
        let pair = Pair { right: BuiltHand::new(right), left };
        if self.built.len() == MOST_KEPT {
            self.built.remove(0);
        }
        self.built.push((measures.clone(), tissue, pair.clone()));
        Ok(pair)
    }
}
