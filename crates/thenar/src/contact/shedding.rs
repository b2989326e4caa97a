//! Springs that rest shed their depth.
//!
//! A spring needs depth to carry a force. The springs of a patch whose normal force rests are shifted outwards together,
//! `N_i = k S_i (δ_i + s)`, until their mean depth has vanished: `s ← s + (h/τ) δ̄`. The shift is one number per patch, so the
//! springs go on spreading the pressure as before (a shift for each contact would end at hard points, a few of which carry
//! all), and the same in every step, so nothing but `λ_i = k S_i s` changes in the problem.
//!
//! Passive? A force that follows a load with the lag `τ` through a spring `k` gives back `τ/k ∫ Ṅ² dt` in every bounce. So the
//! shift grows only while the force rests: within [`RESTING`] of itself for [`SHEDDING_TIME`]. Within an impact nothing rests,
//! and impacts lose energy. It shrinks at once with the force (the mean depth never falls below zero), so that unloading gives
//! back what a spring does. What a rest adds is the lift by the depth that it takes away, `N²/k` at most, once.

use super::memory::{ContactMemory, PatchKey, PatchMemory};
use super::patches::key;
use super::touching::{ContactInput, Touching, has_room};
use crate::body::ContactMethod;
use crate::collide::Contact;

/// Time constant with which a resting patch sheds its depth, seconds.
const SHEDDING_TIME: f64 = 0.02;

/// A normal force rests if it stays within this share of itself for [`SHEDDING_TIME`].
const RESTING: f64 = 0.02;

/// Springs of a patch are told from its constraints by this place.
const SPRINGS: u8 = u8::MAX;

/// The springs that a contact sheds its depth with; `None` for those that do not: what the matrix has no room for.
pub(super) fn springs_of(contact: &Contact, method: ContactMethod) -> Option<PatchKey> {
    let sheds = method == ContactMethod::Penalty && has_room(contact);
    sheds.then(|| PatchKey { place: SPRINGS, ..key(contact) })
}

/// What the springs of a patch come to.
#[derive(Default)]
struct Springs {
    /// N/m.
    stiffness: f64,
    /// N.
    pressing: f64,
    /// N.
    kept: f64,
    /// m².
    area: f64,
    /// m³.
    volume: f64,
}

impl Touching {
    /// Shifts of the next step.
    pub(super) fn shed_depth(&mut self, input: &ContactInput<'_>, memory: &mut ContactMemory) {
        let mut order = std::mem::take(&mut self.flips);
        order.clear();
        let springs =
            self.pairs.iter().enumerate().filter(|(_, p)| p.active && springs_of(&p.contact, p.method).is_some());
        order.extend(springs.map(|(i, _)| i as u32));
        let key_of = |i: &u32| {
            let pair = &self.pairs[*i as usize];
            springs_of(&pair.contact, pair.method)
        };
        order.sort_unstable_by_key(|i| (key_of(i), *i));
        for group in order.chunk_by(|a, b| key_of(a) == key_of(b)) {
            let Some(key) = key_of(&group[0]) else { continue };
            let mut sum = Springs::default();
            for pair in group.iter().map(|&i| &self.pairs[i as usize]) {
                sum.stiffness += pair.normal_stiffness;
                sum.pressing += pair.pressing();
                sum.kept += pair.kept;
                sum.area += pair.contact.area;
                sum.volume -= pair.contact.area * pair.gap;
            }
            memory.keep_patch(sum.remember(key, input.memory.patch(&key), input.dt));
        }
        self.flips = order;
    }
}

impl Springs {
    fn remember(&self, key: PatchKey, before: Option<&PatchMemory>, dt: f64) -> PatchMemory {
        let (rested, rest_force) = match before {
            Some(m) if (self.pressing - m.rest_force).abs() <= RESTING * m.rest_force => (m.rested + dt, m.rest_force),
            _ => (0.0, self.pressing),
        };
        let mut shift = self.kept / self.stiffness;
        if rested >= SHEDDING_TIME {
            shift += (dt / SHEDDING_TIME).min(1.0) * self.volume / self.area;
        }
        let shift = shift.clamp(0.0, self.pressing / self.stiffness);
        PatchMemory { pressing: self.pressing, shift, rested, rest_force, ..PatchMemory::new(key) }
    }
}
