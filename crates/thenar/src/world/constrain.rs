//! Second hook of contact methods: constraints are met from the free motion on [Talvas Alg. 1].

use super::World;
use super::assemble::{SoftView, contact_input};
use crate::contact::penalty::ObjectContacts;
use crate::contact::{ContactMethod, free};
use crate::energy::problem::BorderTerms;
use crate::solve::{SolveError, direct};

/// How often a step's constraints are gathered and solved.
const ROUNDS: u32 = 8;

/// In how many of these rounds contacts between objects are judged anew after the constraints moved the objects.
const VERDICTS: u32 = 4;

/// Skin points that sink in by more than this get a constraint, metres.
const TOLERATED: f64 = 3e-5;

/// In how many rounds patches shift pressure to such points.
const PATCH_ROUNDS: u32 = 4;

/// In a patch, which leaves some points deeper than others, they get more of its pressure from this depth on, metres.
const TOLERATED_IN_PATCH: f64 = 5e-4;

impl World {
    /// Finds the forces of all constraints and adds their response to the free motion.
    ///
    /// Contacts between objects were judged by the free motion, in which no hand holds anything. If the constraints
    /// change the verdict (what lay on the table is lifted off it), both are solved again; likewise if skin sank in where
    /// no constraint was thought necessary.
    pub(super) fn meet_constraints(&mut self, dt: f64) -> Result<(), SolveError> {
        self.work.spring_records = self.work.records.len();
        self.work.sunk.clear();
        self.work.sunk.resize(self.work.contacts.contacts.len(), 0.0);
        for round in 1..=ROUNDS {
            self.append_constraints(dt);
            self.solve_constraints(dt);
            let sunk = self.find_sunk(dt, round);
            let work = &mut self.work;
            if work.constraints.rows.is_empty() {
                if sunk {
                    continue;
                }
                break;
            }
            let mut terms = ObjectContacts {
                dt,
                objects: &self.objects,
                poses: &work.predicted_objects,
                records: &mut work.records[work.soft_records..work.spring_records],
            };
            let moved = round < VERDICTS && !terms.records.is_empty() && terms.reconsider(&work.border);
            if round == ROUNDS || !(moved || sunk) {
                break;
            }
            direct::solve_again(&mut work.problems, &mut work.factors, &mut work.border, &terms)?;
        }
        Ok(())
    }

    fn solve_constraints(&mut self, dt: f64) {
        let work = &mut self.work;
        let set = &mut work.constraints;
        if set.rows.is_empty() {
            return;
        }
        let info = work.constraint_solver.solve(set, dt, &mut work.problems, &mut work.factors, &mut work.border);
        self.report.constraints = set.rows.len() as u32;
        self.report.iterations = info.sweeps;
        self.report.residual = info.residual;
        self.report.flags.contact_overflow |= set.overflow;
    }

    /// Marks the skin points that ended up inside; true if there are any that another round may help.
    fn find_sunk(&mut self, dt: f64, round: u32) -> bool {
        let work = &mut self.work;
        let input =
            contact_input(dt, &self.config, &self.objects, &self.state, &work.predicted_objects, &work.object_motions);
        let softs = SoftView { bodies: &self.softs, states: &self.state.softs };
        let (contacts, problems, border) = (&work.contacts, &work.problems, &work.border);
        let depths = free::depths(contacts, &input, &softs, problems, border);
        let mut more = false;
        for ((depth, sunk), contact) in depths.zip(&mut work.sunk).zip(&contacts.contacts) {
            let helps = match input.method(contact.object) {
                ContactMethod::Point => depth > TOLERATED && *sunk == 0.0,
                ContactMethod::Aggregate => depth > TOLERATED_IN_PATCH && round < PATCH_ROUNDS,
                ContactMethod::Penalty => false,
            };
            if helps {
                *sunk += depth;
                more = true;
            }
        }
        more
    }

    /// The rows of every method, from the gaps that the free motion leaves.
    fn append_constraints(&mut self, dt: f64) {
        let work = &mut self.work;
        let input =
            contact_input(dt, &self.config, &self.objects, &self.state, &work.predicted_objects, &work.object_motions);
        let softs = SoftView { bodies: &self.softs, states: &self.state.softs };
        work.records.truncate(work.spring_records);
        work.constraints.clear();
        let (set, records) = (&mut work.constraints, &mut work.records);
        let (contacts, problems, border) = (&work.contacts, &work.problems, &work.border);
        free::gather(ContactMethod::Point, contacts, &input, &softs, problems, border, &work.sunk, &mut work.free);
        work.points.append(&work.free, set, records);
        free::gather(ContactMethod::Aggregate, contacts, &input, &softs, problems, border, &work.sunk, &mut work.free);
        work.patches.append(&work.free, &self.config.aggregate, set, records);
        let (params, friction) = (&self.config.contact, self.config.soft_friction);
        work.pairs.append(&work.soft_contacts, params, friction, dt, &softs, problems, set);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::tissue::Material;
    use crate::geometry::TetMesh;
    use crate::geometry::distance::Shape;
    use crate::math::{Pose, Quat, Vec3};
    use crate::world::{ObjectDef, SoftDef, WorldConfig};

    const DT: f64 = 1.0 / 250.0;
    /// A thousandth of the displacements tried below, metres: a soft pair measures its slip from an anchor next to the
    /// point at which it acts.
    const CLOSE: f64 = 1e-11;

    /// A soft block of five elements.
    fn block(corner: Vec3, size: f64) -> TetMesh {
        let at = |i: u32| corner + Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)) * size;
        let tets = vec![[0, 1, 2, 4], [3, 1, 7, 2], [5, 1, 4, 7], [6, 2, 7, 4], [1, 2, 4, 7]];
        let mut mesh = TetMesh { positions: (0..8).map(at).collect(), tets };
        for t in 0..mesh.tets.len() {
            let [a, b, c, d] = mesh.tets[t].map(|i| mesh.positions[i as usize]);
            if (b - a).cross(c - a).dot(d - a) < 0.0 {
                mesh.tets[t].swap(2, 3);
            }
        }
        mesh
    }

    /// Two soft blocks on each other and a brick on top, all at rest, stopped between free motion and constraints.
    fn before_constraints(method: ContactMethod) -> World {
        let mut world = World::new(WorldConfig { method, ..WorldConfig::default() });
        world.add_object(ObjectDef::fixed("table", Shape::Plane, Pose::IDENTITY)).unwrap();
        for (name, height) in [("lower", 0.0), ("upper", 0.02)] {
            let mesh = block(Vec3::new(-0.01, height, -0.01), 0.02);
            let material = Material { young: 1e5, poisson: 0.3 };
            world.add_soft(SoftDef { name: name.into(), mesh, material, limit: None, density: 1000.0 }).unwrap();
        }
        let above = Pose::new(Vec3::new(0.0, 0.0499, 0.0), Quat::IDENTITY);
        let brick = Shape::Box { half: Vec3::new(0.02, 0.01, 0.02) };
        world.add_object(ObjectDef::moving("brick", brick, 0.1, above)).unwrap();
        for _ in 0..40 {
            world.step(DT).unwrap();
        }
        world.predict(DT);
        world.detect_contacts();
        world.assemble_energies(DT);
        world.append_contacts(DT);
        world.factor().unwrap();
        world.solve(DT).unwrap();
        world.work.spring_records = world.work.records.len();
        world.work.sunk.resize(world.work.contacts.contacts.len(), 0.0);
        world.append_constraints(DT);
        world
    }

    /// What the rows measure now, after changing the free motion.
    fn measured(world: &mut World, change: impl FnOnce(&mut World)) -> Vec<f64> {
        change(world);
        world.append_constraints(DT);
        world.work.constraints.free.clone()
    }

    #[test]
    fn rows_are_the_derivatives_of_what_they_measure() {
        for (name, method) in ContactMethod::ALL {
            let mut world = before_constraints(method);
            let set = world.work.constraints.clone();
            assert!(!set.rows.is_empty(), "{name}: nothing touches");
            // a micrometre per second: far less than would change which points press
            let push = Vec3::new(1e-6, -2e-6, 3e-6);
            for body in 0..2u32 {
                for node in 0..8u32 {
                    let moved = |sign: f64| {
                        move |w: &mut World| {
                            w.work.problems[body as usize].solution[node as usize] += push * sign;
                        }
                    };
                    let after = measured(&mut world, moved(1.0));
                    measured(&mut world, moved(-1.0));
                    for (i, row) in set.rows.iter().enumerate() {
                        let own = set.entries(row).iter().filter(|e| e.body == body && e.block == node);
                        let expected: f64 = own.map(|e| e.value.dot(push) * DT).sum();
                        let found = after[i] - set.free[i];
                        assert!(
                            (found - expected).abs() < CLOSE,
                            "{name}, row {i}, node {node}: {found} for {expected}"
                        );
                    }
                }
            }
            let spun = [1e-6, -2e-6, 3e-6, 1e-5, 2e-5, -1e-5];
            let turned = |sign: f64| {
                move |w: &mut World| {
                    w.work.border.solution.iter_mut().zip(spun).for_each(|(v, d)| *v += sign * d);
                }
            };
            let after = measured(&mut world, turned(1.0));
            for (i, row) in set.rows.iter().enumerate() {
                let (v, w) = (Vec3::from_slice(&spun[..3]), Vec3::from_slice(&spun[3..]));
                let expected = row.object.map_or(0.0, |o| (o.linear.dot(v) + o.angular.dot(w)) * DT);
                let found = after[i] - set.free[i];
                assert!((found - expected).abs() < CLOSE, "{name}, row {i}: {found} for {expected}");
            }
        }
    }
}
