//! What a check must satisfy: bounds, a time within the scene, and something that has what is measured.

use super::validate::{Outcome, fault, within};
use super::{Check, Measure, Scene, SceneError, Subject};

impl Scene {
    pub(super) fn check_check(&self, path: &str, check: &Check) -> Outcome {
        if check.min.is_none() && check.max.is_none() {
            return Err(fault(path, format!("check `{}` needs `min`, `max` or both", check.name)));
        }
        for (field, bound) in [("min", check.min), ("max", check.max)] {
            if bound.is_some_and(f64::is_nan) {
                return Err(fault(format!("{path}.{field}"), "a bound cannot be NaN"));
            }
        }
        if check.at.is_some() && (check.from.is_some() || check.to.is_some() || check.over.is_some()) {
            return Err(fault(format!("{path}.at"), "`at` is one time; it does not go with `from`, `to` or `over`"));
        }
        for (field, time) in [("at", check.at), ("from", check.from), ("to", check.to)] {
            if let Some(time) = time {
                within(format!("{path}.{field}"), time, 0.0, self.seconds, "s (the length of the scene)")?;
            }
        }
        if let (Some(from), Some(to)) = (check.from, check.to)
            && from > to
        {
            return Err(fault(format!("{path}.to"), format!("the time ends ({to} s) before it begins ({from} s)")));
        }
        match check.measure.subject() {
            Subject::Object => self.check_measured_object(path, check),
            Subject::Hand => {
                let index = check.hand.unwrap_or(0);
                if index >= self.hands.len() {
                    let what = format!("there is no hand {index}; the scene has {}, counted from 0", self.hands.len());
                    return Err(fault(format!("{path}.hand"), what));
                }
                Ok(())
            }
            Subject::World => Ok(()),
        }
    }

    /// What a check is measured on must be there, and have what is measured.
    fn check_measured_object(&self, path: &str, check: &Check) -> Outcome {
        let (measure, word) = (check.measure, check.measure.word());
        let of_handle = matches!(measure, Measure::HandleForce | Measure::HandleTorque | Measure::HandleError);
        let about_palms = "; of a hand whose palm is led, measure palm-force or palm-error";
        let about_palms = if of_handle { about_palms } else { "" };
        let Some(name) = &check.object else {
            let whose = if of_handle { "soft object with a `[[soft.handle]]`" } else { "object" };
            let what = format!("check `{}` needs `object`: the {whose} whose {word} is measured", check.name);
            return Err(fault(path, format!("{what}{about_palms}")));
        };
        if let Some(soft) = self.softs.iter().find(|soft| soft.name == *name) {
            if !measure.fits_soft() {
                let what = format!(
                    "{word} cannot be measured on the soft object `{name}`; choose height, displacement, speed, squash, deformation, digits-on or, with a handle, handle-force, handle-torque or handle-error; forces on a hand are grip-force"
                );
                return Err(fault(format!("{path}.measure"), what));
            }
            if of_handle && soft.handles.is_empty() {
                let what = format!(
                    "{word} is of a handle, and the soft object `{name}` has none: give it a `[[soft.handle]]`"
                );
                return Err(fault(format!("{path}.measure"), format!("{what}{about_palms}")));
            }
            return Ok(());
        }
        if !self.objects.iter().any(|object| object.name == *name) {
            let softs = self.softs.iter().map(|soft| soft.name.as_str());
            let names = self.objects.iter().map(|object| object.name.as_str()).chain(softs);
            let what = format!("there is no object `{name}`{about_palms}");
            return Err(SceneError::unknown(format!("{path}.object"), what, name, names));
        }
        if of_handle || matches!(measure, Measure::Squash | Measure::Deformation) {
            let what = format!("`{name}` is rigid, and {word} is measured on soft objects (`[[soft]]`){about_palms}");
            return Err(fault(format!("{path}.measure"), what));
        }
        Ok(())
    }
}
