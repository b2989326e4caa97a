//! Second hook of contact methods: constraints are met from the free motion on [Talvas Alg. 1].

use super::World;
use super::assemble::{SoftView, contact_input};
use crate::contact::penalty::ObjectContacts;
use crate::contact::{ContactMethod, free};
use crate::energy::problem::BorderTerms;
use crate::solve::{SolveError, direct};

/// How often contacts between objects are judged anew after the constraints moved the objects.
const ROUNDS: u32 = 4;

impl World {
    /// Finds the forces of all constraints and adds their response to the free motion.
    ///
    /// Contacts between objects were judged by the free motion, in which no hand holds anything. If the constraints
    /// change the verdict (what lay on the table is lifted off it), both are solved again.
    pub(super) fn meet_constraints(&mut self, dt: f64) -> Result<(), SolveError> {
        self.work.spring_records = self.work.records.len();
        for round in 1..=ROUNDS {
            self.append_constraints(dt);
            let work = &mut self.work;
            let set = &mut work.constraints;
            if set.rows.is_empty() {
                break;
            }
            let (problems, factors) = (&mut work.problems, &mut work.factors);
            let info = work.constraint_solver.solve(set, dt, problems, factors, &mut work.border);
            self.report.constraints = set.rows.len() as u32;
            self.report.iterations = info.sweeps;
            self.report.residual = info.residual;
            self.report.flags.contact_overflow |= set.overflow;
            let mut terms = ObjectContacts {
                dt,
                objects: &self.objects,
                poses: &work.predicted_objects,
                records: &mut work.records[work.soft_records..work.spring_records],
            };
            if terms.records.is_empty() || !terms.reconsider(&work.border) || round == ROUNDS {
                break;
            }
            direct::solve_again(problems, factors, &mut work.border, &terms)?;
        }
        Ok(())
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
        free::gather(ContactMethod::Point, contacts, &input, &softs, problems, border, &mut work.free);
        work.points.append(&work.free, set, records);
        free::gather(ContactMethod::Aggregate, contacts, &input, &softs, problems, border, &mut work.free);
        work.patches.append(&work.free, &self.config.aggregate, set, records);
        let (params, friction) = (&self.config.contact, self.config.soft_friction);
        work.pairs.append(&work.soft_contacts, params, friction, dt, &softs, problems, set);
    }
}
