//! Contacts held as they were in another step: a switch for those who compare steps that lie close to each other, so that the differences are those of
//! one active set. Held contacts may pull and leave the cone.

use super::pair::{Pair, Verdict};
use super::touching::Touching;
use crate::body::ContactMethod;
use crate::collide::ContactKey;
use crate::constraint::{Law, Local, MOST_ROWS};
use crate::math::dense::eliminate;
use crate::math::{Kernels, Vec3};

/// How a held contact is answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// Open, sticking or sliding.
    pub verdict: Verdict,
    /// Where friction points if it slides.
    pub friction: Vec3,
    /// Its law was met by rows of its own.
    pub by_rows: bool,
    /// It slid, by itself or with its patch.
    pub slipping: bool,
}

/// All contacts of a step, in order of their keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeldContacts(Vec<(ContactKey, Hold)>);

impl HeldContacts {
    /// How a contact is held; one that was not there is open.
    pub(super) fn of(&self, key: &ContactKey) -> Hold {
        let open = Hold { verdict: Verdict::Open, friction: Vec3::ZERO, by_rows: false, slipping: false };
        self.0.binary_search_by(|(own, _)| own.cmp(key)).map_or(open, |i| self.0[i].1)
    }
}

impl Touching {
    /// The contacts as the step left them.
    #[must_use]
    pub fn as_held(&self) -> HeldContacts {
        let hold = |pair: &Pair| {
            let normal = pair.contact.normal;
            let by_rows = pair.block.is_some();
            let slides = pair.slipping && (by_rows || pair.method != ContactMethod::Aggregate);
            let verdict = match (pair.active, slides) {
                (false, _) => Verdict::Open,
                (true, false) => Verdict::Stick,
                (true, true) => Verdict::Slide,
            };
            let friction = (pair.force - normal * normal.dot(pair.force)).normalize_or_zero();
            (pair.contact.key, Hold { verdict, friction, by_rows, slipping: pair.slipping })
        };
        let mut list: Vec<_> = self.pairs.iter().map(hold).collect();
        list.sort_unstable_by_key(|(key, _)| *key);
        HeldContacts(list)
    }
}

/// The law of a held contact's rows, a gap and two tangents, or of a held patch's.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldLaw {
    /// How many rows.
    pub rows: usize,
    /// Friction over the normal force, along both tangents, if it slides.
    pub slide: Option<[f64; 2]>,
}

impl Law for HeldLaw {
    fn rows(&self) -> usize {
        self.rows
    }

    fn solve(&self, local: &Local<'_>, lambda: &mut [f64; MOST_ROWS], _: &mut [f64; MOST_ROWS]) {
        let (w, u) = (&local.own, &local.free);
        if let Some([t, s]) = self.slide {
            let normal = -u[0] / (w[0][0] + w[0][1] * t + w[0][2] * s);
            *lambda = [normal, t * normal, s * normal, 0.0];
            return;
        }
        let mut own = [0.0; MOST_ROWS * MOST_ROWS];
        for (i, row) in own.chunks_exact_mut(self.rows).take(self.rows).enumerate() {
            row.copy_from_slice(&w[i][..self.rows]);
            lambda[i] = -u[i];
        }
        eliminate(Kernels::portable(), &mut own[..self.rows * self.rows], self.rows, &mut lambda[..self.rows], 1);
    }

    fn admit(&self, _: &mut [f64]) {}
}
