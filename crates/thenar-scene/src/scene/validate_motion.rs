//! What pushes, closing fingers and cases must satisfy.

use super::error::nearest;
use super::validate::{Outcome, fault, vector, within};
use super::{PushSpec, Scene, SceneError};

impl Scene {
    pub(super) fn check_push(&self, path: &str, push: &PushSpec) -> Outcome {
        self.check_object_name(&format!("{path}.object"), &push.object)?;
        if self.objects.iter().any(|object| object.name == push.object && object.fixed) {
            return Err(fault(format!("{path}.object"), format!("`{}` is fixed and cannot be pushed", push.object)));
        }
        within(format!("{path}.from"), push.from, 0.0, self.seconds, "s (the length of the scene)")?;
        within(format!("{path}.to"), push.to, push.from, self.seconds, "s (not before `from`, nor after the end)")?;
        match (push.force, push.acceleration) {
            (Some(force), None) => vector(format!("{path}.force"), force, 1e5, "N"),
            (None, Some(acceleration)) => vector(format!("{path}.acceleration"), acceleration, 1e4, "N/kg"),
            _ => Err(fault(path, "a push needs either `force` or `acceleration`")),
        }
    }

    /// Fingers close around objects that exist.
    pub(super) fn check_closing(&self) -> Outcome {
        for (h, hand) in self.hands.iter().enumerate() {
            for (k, key) in hand.keys.iter().enumerate() {
                let path = format!("hand[{h}].key[{k}]");
                if let Some(name) = &key.around {
                    if self.softs.iter().any(|soft| soft.name == *name) {
                        let what = format!(
                            "`{name}` is soft, and fingers close around rigid objects only; leave `around` out and let `grasp` and `amount` press on it"
                        );
                        return Err(fault(format!("{path}.around"), what));
                    }
                    self.check_object_name(&format!("{path}.around"), name)?;
                    if key.grasp.is_none() {
                        return Err(fault(format!("{path}.around"), "`around` goes with a `grasp` in the same key"));
                    }
                }
                if let Some(squeeze) = key.squeeze {
                    within(format!("{path}.squeeze"), squeeze, -30.0, 60.0, "degrees")?;
                    if key.around.is_none() {
                        return Err(fault(format!("{path}.squeeze"), "`squeeze` goes with `around` in the same key"));
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn check_cases(&self) -> Outcome {
        for (index, case) in self.cases.iter().enumerate() {
            if let Some(first) = self.cases[..index].iter().position(|other| other.name == case.name) {
                let what = format!("`{}` is already the name of case {first}", case.name);
                return Err(fault(format!("case[{index}].name"), what));
            }
        }
        for (list, variations) in [("variant", &self.variants), ("control", &self.controls)] {
            for (index, variation) in variations.iter().enumerate() {
                for (k, name) in variation.cases.iter().enumerate() {
                    if !self.cases.iter().any(|case| case.name == *name) {
                        let near = nearest(name, self.cases.iter().map(|case| case.name.as_str()));
                        let what = format!("there is no case `{name}`");
                        let path = format!("{list}[{index}].cases[{k}]");
                        return Err(SceneError { nearest: near, ..fault(path, what) });
                    }
                }
            }
        }
        Ok(())
    }
}
