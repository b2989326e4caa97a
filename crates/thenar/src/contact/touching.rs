//! All contacts of a step with what they remember.

use super::hold::HeldContacts;
use super::memory::{Anchor, ContactMemory};
use super::method::Method;
use super::pair::{HARDNESS, Pair, Verdict};
use super::params::{AggregateParams, Pressure, SpringParams};
use super::patches::{Patch, PatchScratch};
use super::shedding::springs_of;
use crate::body::ContactMethod;
use crate::collide::{BodyRef, Contact, Contacts, Feature, Scene, Side};
use crate::energy::problem::{BorderProblem, SoftProblem};
use crate::math::Vec3;

/// Everything that contact methods read.
pub struct ContactInput<'a> {
    /// Step length, s.
    pub dt: f64,
    /// All bodies.
    pub scene: Scene<'a>,
    /// Velocities and spins of the objects at the start of the step.
    pub motions: &'a [(Vec3, Vec3)],
    /// What detection found.
    pub contacts: &'a Contacts,
    /// What contacts remember.
    pub memory: &'a ContactMemory,
    /// Stiffness of springs.
    pub springs: &'a SpringParams,
    /// Options of aggregated contact.
    pub aggregate: &'a AggregateParams,
    /// The method for objects that name none.
    pub method: ContactMethod,
    /// Coulomb's coefficient between surfaces that have none of their own: skin and skin.
    pub skin_friction: f64,
    /// A method from outside.
    pub outside: Option<&'a dyn Method>,
    /// Rows there is room for.
    pub rows: usize,
    /// Contacts are held as they were in another step.
    pub held: Option<&'a HeldContacts>,
    /// Skin touches by springs in this step, whatever was chosen.
    pub yielding: bool,
    /// No factor is there to carry rows through: what the pattern has no room for are loose springs.
    pub rowless: bool,
}

/// The motion that a step has found so far.
#[derive(Clone, Copy)]
pub struct Motion<'a> {
    /// Soft bodies.
    pub problems: &'a [SoftProblem],
    /// Objects.
    pub border: &'a BorderProblem,
}

impl ContactInput<'_> {
    /// How contact with a body is answered. Rigid objects meet each other by springs under every method: any three points
    /// of two rigid surfaces decide, so that hard points would contradict each other.
    #[must_use]
    pub fn method(&self, contact: &Contact) -> ContactMethod {
        let asked = |side: &Side| match *side {
            Side::Rigid { object, .. } => self.scene.objects[object as usize].method,
            Side::Soft { .. } => None,
        };
        match contact.sides {
            [Side::Rigid { .. }, Side::Rigid { .. }] => ContactMethod::Penalty,
            [a, b] => asked(&b).or(asked(&a)).unwrap_or(self.method),
        }
    }

    /// Skin on skin. Fingers side by side touch along lines whose places come and go; one anchor for each would be lost again and again, and
    /// a pinch beside them changes by a tenth. So they touch by springs where others do by patches.
    fn between_hands(&self, contact: &Contact) -> bool {
        contact.sides.iter().all(|side| match *side {
            Side::Soft { body, .. } => !self.scene.softs[body as usize].falls,
            Side::Rigid { .. } => false,
        })
    }

    /// Coulomb's coefficient of a pair of surfaces: the geometric mean of two that have one, the one there is, or that of
    /// skin on skin.
    #[must_use]
    pub fn friction(&self, contact: &Contact) -> f64 {
        let own = |side: &Side| match *side {
            Side::Rigid { object, .. } => Some(self.scene.objects[object as usize].friction),
            Side::Soft { body, .. } => self.scene.softs[body as usize].friction,
        };
        match (own(&contact.sides[0]), own(&contact.sides[1])) {
            (Some(a), Some(b)) => (a * b).sqrt(),
            (Some(a), None) | (None, Some(a)) => a,
            (None, None) => self.skin_friction,
        }
    }

    /// Stiffness of a contact along and across its normal, N/m. A hard point's is a multiple of what its nodes resist with in
    /// this step, so that every round of multipliers takes as many digits off what is left.
    fn stiffness(&self, contact: &Contact, method: ContactMethod, problems: &[SoftProblem]) -> [f64; 2] {
        if method == ContactMethod::Point
            && has_room(contact)
            && let Side::Soft { body, .. } = contact.sides[0]
        {
            let nodes = self.contacts.carriers(&contact.sides[0]).iter();
            let matrix = &problems[body as usize].matrix;
            let yields: f64 = nodes.map(|c| c.weight * c.weight / matrix.diagonal[c.node as usize].mean()).sum();
            return [HARDNESS / (yields * self.dt * self.dt); 2];
        }
        [self.springs.normal * contact.area, self.springs.tangent * contact.area]
    }

    /// By how much the springs of a contact's patch have shed their depth, metres.
    fn shift(&self, contact: &Contact, method: ContactMethod) -> f64 {
        let key = springs_of(contact, method);
        key.and_then(|key| self.memory.patch(&key)).map_or(0.0, |m| m.shift)
    }

    /// Relative velocity of the sides at the start of the step, m/s.
    fn velocity(&self, contact: &Contact) -> Vec3 {
        let at =
            |side: &Side| self.contacts.motion(side, |b| &self.scene.soft_states[b].velocities, |o| self.motions[o]);
        at(&contact.sides[0]) - at(&contact.sides[1])
    }

    /// Velocity and spin of an object by the motion found so far.
    #[must_use]
    pub(super) fn object_motion(&self, object: u32, motion: &Motion<'_>) -> (Vec3, Vec3) {
        let border = self.scene.objects[object as usize].border;
        border.map_or((Vec3::ZERO, Vec3::ZERO), |i| motion.border.motion(i as usize))
    }

    /// Relative velocity of the sides by the motion found so far, m/s.
    #[inline]
    #[must_use]
    pub fn found(&self, contact: &Contact, motion: &Motion<'_>) -> Vec3 {
        let at = |side: &Side| {
            self.contacts.motion(side, |b| &motion.problems[b].solution, |o| self.object_motion(o as u32, motion))
        };
        at(&contact.sides[0]) - at(&contact.sides[1])
    }

    /// Way from an anchor on a soft body, at the predicted end of the step: of the touching side over the touched one.
    fn way_from_anchor(&self, contact: &Contact, anchor: &Anchor) -> Option<Vec3> {
        let (Anchor::Triangle(triangle, share), BodyRef::Soft(body)) = (anchor, contact.key.other) else { return None };
        let place = |body: u32, point: u32| {
            self.scene.softs[body as usize].touch.points[point as usize].interpolate(&self.scene.nodes[body as usize])
        };
        let corners = self.scene.softs[body as usize].touch.triangles[*triangle as usize];
        let held: Vec3 = corners.into_iter().zip(share).map(|(p, s)| place(body, p) * *s).sum();
        match (contact.key.owner, contact.key.feature) {
            (BodyRef::Soft(own), Feature::Touch(point)) => Some(place(own, point) - held),
            // the edge is the object's, the anchor the skin's: the skin is the touching side
            (BodyRef::Object(object), Feature::Edge(feature)) => {
                let local = self.scene.objects[object as usize].features[feature as usize].local;
                Some(held - self.scene.poses[object as usize].point(local))
            }
            _ => None,
        }
    }
}

/// The contacts of a step. Scratch.
#[derive(Debug, Default)]
pub struct Touching {
    /// One for each contact that detection found, in its order.
    pub pairs: Vec<Pair>,
    /// Patches of aggregated contact.
    pub patches: Vec<Patch>,
    pub(super) scratch: PatchScratch,
    pub(super) flips: Vec<u32>,
    pub(super) outrageous: Vec<u32>,
    /// Hard points that corrections are slow with.
    pub(super) slow: Vec<u32>,
    /// Contacts between objects that were modelled anew in the last round.
    pub(super) unsettled: Vec<u32>,
    /// Rows that the step would have liked to have.
    pub wanted_rows: usize,
    /// There was no room for the rows of all contacts.
    pub crowded: bool,
    /// How far the hard points in the matrix are from where they must end, metres: as they were judged last.
    pub unmet: f64,
    /// Mean normal force of the contacts that pressed in the last step, N.
    pub(super) usual: f64,
}

impl Touching {
    /// Room for as many contacts.
    #[must_use]
    pub fn with_capacity(contacts: usize) -> Self {
        Touching {
            pairs: Vec::with_capacity(contacts),
            patches: Vec::with_capacity(contacts / 4),
            scratch: PatchScratch::with_capacity(contacts),
            flips: Vec::with_capacity(contacts),
            outrageous: Vec::with_capacity(contacts),
            slow: Vec::with_capacity(contacts),
            unsettled: Vec::with_capacity(contacts),
            wanted_rows: 0,
            crowded: false,
            unmet: 0.0,
            usual: 0.0,
        }
    }

    /// Some contacts are hard points or belong to patches.
    #[must_use]
    pub fn has_constraints(&self) -> bool {
        self.pairs.iter().any(|p| matches!(p.method, ContactMethod::Point | ContactMethod::Aggregate))
    }

    /// Forgets all contacts.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.patches.clear();
        self.wanted_rows = 0;
        self.crowded = false;
        self.unmet = 0.0;
    }

    /// Takes over what detection found.
    pub fn gather(&mut self, input: &ContactInput<'_>, problems: &[SoftProblem]) {
        self.clear();
        let springs_spread = input.aggregate.pressure == Pressure::Springs;
        // springs across the normals hold against spin, too
        let spread_friction = springs_spread && input.aggregate.torsion;
        for contact in &input.contacts.all {
            let memory = input.memory.contact(&contact.key).copied();
            let mut method = input.method(contact);
            if input.yielding && method != ContactMethod::Outside {
                method = ContactMethod::Penalty;
            }
            let soft_pair = matches!(contact.sides, [Side::Soft { .. }, Side::Soft { .. }]);
            // by eq. 11 pressure goes where the free motion is deep; two soft surfaces give way within the step, and are elsewhere then
            let literal = soft_pair && !springs_spread;
            if method == ContactMethod::Aggregate && (literal || input.between_hands(contact)) {
                method = ContactMethod::Penalty;
            }
            let pose = match contact.sides[1] {
                Side::Rigid { object, .. } => Some(&input.scene.poses[object as usize]),
                Side::Soft { .. } => None,
            };
            let way = memory.and_then(|m| input.way_from_anchor(contact, &m.anchor));
            let friction = input.friction(contact);
            let velocity = input.velocity(contact);
            let new = |method| {
                let shift = input.shift(contact, method);
                let springs = input.stiffness(contact, method, problems);
                Pair::new(contact, method, friction, springs, velocity, memory, shift, pose, way, input.dt)
            };
            let mut pair = new(method);
            pair.loose = input.rowless && soft_pair;
            let rows = pair.needs_rows() || pair.is_spread();
            if pair.is_hard() || rows && (pair.verdict != Verdict::Open || contact.gap < SOON) {
                self.wanted_rows += 3;
                if self.wanted_rows > MOST_ROWS && has_room(contact) {
                    // no room for its rows: for this step it is a spring
                    pair = new(ContactMethod::Penalty);
                }
            }
            if pair.method == ContactMethod::Aggregate {
                // friction, and the force that needs no depth, are the patch's
                pair.kept = 0.0;
                pair.tangent_stiffness = if spread_friction { pair.spread_friction() } else { 0.0 };
                // a patch slides as a whole: to the matrix its contacts are springs, or open
                if pair.verdict == Verdict::Slide {
                    pair.verdict = Verdict::Stick;
                }
                if !springs_spread {
                    pair.normal_stiffness = 0.0;
                }
            }
            if let Some(held) = input.held
                && !pair.between_objects()
            {
                let hold = held.of(&contact.key);
                pair.verdict = hold.verdict;
                pair.by_rows = hold.by_rows || pair.is_hard() && hold.verdict == Verdict::Slide;
                pair.hold = Some(hold);
            }
            pair.model_first();
            self.pairs.push(pair);
        }
        self.slide_by_rows();
        let pressed = self.pairs.iter().filter_map(|p| p.memory.map(|m| m.pressing));
        let (count, sum) = pressed.fold((0.0, 0.0), |(count, sum), p| (count + 1.0, sum + p));
        self.usual = if count > 0.0 { sum / count } else { 0.0 };
    }
}

/// Points this near may need rows before the step ends, metres: what falls freely for 10 ms comes as far.
const SOON: f64 = 5e-4;

/// Hard points beyond this are springs: `W` of 6000 rows has 288 MB.
const MOST_ROWS: usize = 5400;

/// True if the fixed pattern of the matrix has room for a spring between the sides.
#[must_use]
pub(super) fn has_room(contact: &Contact) -> bool {
    matches!(contact.sides, [Side::Soft { tet: Some(_), .. }, Side::Rigid { .. }])
}

impl Pair {
    /// Its law is met by rows from the start: what the matrix has no room for, and what a method from outside answers.
    #[must_use]
    pub(super) fn needs_rows(&self) -> bool {
        self.by_rows
            || self.method == ContactMethod::Outside
            || !(has_room(&self.contact) || self.between_objects() || self.loose || self.is_spread())
    }

    /// It belongs to a patch, and the matrix has no room for its spring: that is a row, put into `W` as others are lifted out.
    #[must_use]
    pub(super) fn is_spread(&self) -> bool {
        self.method == ContactMethod::Aggregate && !has_room(&self.contact) && !self.by_rows
    }

    /// Both sides are rigid.
    #[must_use]
    pub fn between_objects(&self) -> bool {
        matches!(self.contact.sides, [Side::Rigid { .. }, Side::Rigid { .. }])
    }

    /// Both sides are soft.
    #[must_use]
    pub fn is_between_soft(&self) -> bool {
        matches!(self.contact.sides, [Side::Soft { .. }, Side::Soft { .. }])
    }
}
