//! What must come of a scene.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A bound on something that is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Name for the report.
    pub name: String,
    /// What is measured.
    pub measure: Measure,
    /// The object it is measured on, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The hand it is measured on, counted from 0 in the order of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hand: Option<usize>,
    /// At one time, seconds …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    /// … or from a time (the start if missing) …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// … to a time (the end if missing).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
    /// What is taken over that time; without it, the value that is worst for the bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Over>,
    /// Least value allowed, in the unit of the measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Greatest value allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

/// How a time span becomes one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// The least value.
    Min,
    /// The greatest value.
    Max,
    /// The mean.
    Mean,
    /// Greatest minus least.
    Range,
    /// Root of the mean square.
    Rms,
    /// The last value.
    Last,
    /// Last minus first.
    Change,
}

/// What a measure is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One object.
    Object,
    /// One hand.
    Hand,
    /// The world as a whole.
    World,
}

/// Things that can be measured after every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Height of an object's origin above y = 0, m.
    Height,
    /// Distance of an object from where it started, m.
    Displacement,
    /// Angle by which an object is turned from its start, degrees.
    Turn,
    /// Angle by which an object is turned about the vertical from its start, degrees; positive as seen from above
    /// against the clock, from -180 to 180.
    Yaw,
    /// Speed of an object, m/s.
    Speed,
    /// Kinetic energy of an object, J.
    KineticEnergy,
    /// Motion of an object relative to the palm since the beginning of the check's time, m.
    Slip,
    /// Turn of an object since the start of the check's time, seen from a palm, degrees.
    SlipTurn,
    /// Turn of an object about its own y axis since the start, seen from a palm, degrees; whole turns count.
    Roll,
    /// Force of all hands on an object, N.
    Force,
    /// How much less a soft object measures along the axis of the world in which it lost most, m.
    Squash,
    /// How far the nodes of a soft object are from its shape at rest, laid over them as well as it fits; root of the
    /// mean square, m.
    Deformation,
    /// Force of a soft object on its first handle, N. Of a hand whose palm is led, see `palm-force`.
    HandleForce,
    /// Torque of a soft object on its first handle, about the handle's centre of mass, N·m.
    HandleTorque,
    /// Distance of a soft object's first handle from where its keys want it, m.
    HandleError,
    /// Upward part of the force of all hands on an object, N.
    Lift,
    /// Force of all hands on an object divided by its weight.
    ForceOverWeight,
    /// Distance of a hand's palm from where its script wants it, m.
    PalmError,
    /// Force with which tracking pulls a hand's palm, N.
    PalmForce,
    /// Sum of the normal contact forces on a hand, N.
    GripForce,
    /// Number of skin points of a hand in contact.
    Contacts,
    /// Number of digits of a hand that press on something.
    Digits,
    /// Number of digits of a hand that press on an object by 0.05 N or more, each.
    DigitsOn,
    /// Normal force between the thumb and the index finger of a hand, N.
    ThumbOnIndex,
    /// Normal force between the thumb and the middle finger of a hand, N.
    ThumbOnMiddle,
    /// Normal force between the thumb and the ring finger of a hand, N.
    ThumbOnRing,
    /// Normal force between the thumb and the little finger of a hand, N.
    ThumbOnLittle,
    /// Number of phalanges of a hand in contact, 15 at most.
    Phalanges,
    /// Angle between palm and distal phalanx, summed over the joints of a finger; mean of the four fingers, degrees.
    Bend,
    /// Greatest distance between bones that should meet in a joint, m.
    JointDrift,
    /// Least det F of all tissue.
    LeastDetF,
    /// Least principal stretch of all tissue: 1 at rest, negative inside out.
    LeastStretch,
    /// Greatest principal stretch of all tissue.
    GreatestStretch,
    /// Volume of a hand's tissue around its joints, over that at rest: elements within a finger's radius of a joint.
    JointVolume,
    /// Greatest depth of a skin point inside an object, m.
    Depth,
    /// Number of objects on the other side of the plane x = 0 from where they started.
    Crossed,
    /// Number of steps so far in which the state was rolled back.
    Recoveries,
    /// Number of places where soft surfaces press on each other.
    SoftContacts,
    /// Number of soft objects whose centres move by more than 2 cm/s.
    MovingAtOnce,
    /// Number of steps so far in which a hand was put on its target at once.
    Reseats,
    /// Relative residual of the linear solve.
    Residual,
    /// Distance between the copies of an object in Thenar and in the host, m.
    HostOffset,
    /// Mean displacement of the discs on a hand's fingertips that touch something, m; that of a free disc if none does.
    DiscDisplacement,
    /// Mean angle between the discs on a hand's fingertips and the surfaces under their touching samples, degrees; surfaces that
    /// are tilted beyond the device's range are left out, and so are steps with fewer than two others. Half of a check's steps have to be left.
    DiscTiltError,
    /// Greatest tilt of the surfaces under a hand's touching fingertips, degrees.
    SurfaceTilt,
    /// Greatest slip level of a hand's fingertips, 0 to 1.
    SlipLevel,
    /// Number of times that a fingertip of a hand was reported to slip so far.
    SlipEvents,
}

impl Measure {
    /// As scene files have it.
    #[must_use]
    pub fn word(self) -> String {
        toml::Value::try_from(self).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// True if it can be taken from a soft object.
    #[must_use]
    pub fn fits_soft(self) -> bool {
        matches!(
            self,
            Measure::Height
                | Measure::Displacement
                | Measure::Speed
                | Measure::DigitsOn
                | Measure::Squash
                | Measure::Deformation
                | Measure::HandleForce
                | Measure::HandleTorque
                | Measure::HandleError
        )
    }

    /// What it is taken from.
    #[must_use]
    pub fn subject(self) -> Subject {
        use Measure::{
            Bend, Contacts, Crossed, Deformation, Depth, Digits, DigitsOn, DiscDisplacement, DiscTiltError,
            Displacement, Force, ForceOverWeight, GreatestStretch, GripForce, HandleError, HandleForce, HandleTorque,
            Height, HostOffset, JointDrift, JointVolume, KineticEnergy, LeastDetF, LeastStretch, Lift, MovingAtOnce,
            PalmError, PalmForce, Phalanges, Recoveries, Reseats, Residual, Roll, Slip, SlipEvents, SlipLevel,
            SlipTurn, SoftContacts, Speed, Squash, SurfaceTilt, ThumbOnIndex, ThumbOnLittle, ThumbOnMiddle,
            ThumbOnRing, Turn, Yaw,
        };
        match self {
            Height | Displacement | Turn | Yaw | Speed | KineticEnergy | Slip | SlipTurn | Roll | Squash
            | Deformation | HandleForce | HandleTorque | HandleError | Force | Lift | ForceOverWeight | DigitsOn => {
                Subject::Object
            }
            PalmError | PalmForce | GripForce | Contacts | Digits | Phalanges | Bend | JointDrift | JointVolume
            | Depth | ThumbOnIndex | ThumbOnMiddle | ThumbOnRing | ThumbOnLittle => Subject::Hand,
            LeastDetF | LeastStretch | GreatestStretch | Crossed | Reseats | Recoveries | SoftContacts
            | MovingAtOnce | Residual | HostOffset => Subject::World,
            DiscDisplacement | DiscTiltError | SurfaceTilt | SlipLevel | SlipEvents => Subject::Hand,
        }
    }

    /// True if it needs touch on the fingertips.
    #[must_use]
    pub fn is_tactile(self) -> bool {
        use Measure::{DiscDisplacement, DiscTiltError, SlipEvents, SlipLevel, SurfaceTilt};
        matches!(self, DiscDisplacement | DiscTiltError | SurfaceTilt | SlipLevel | SlipEvents)
    }

    /// Unit for the report; empty for pure numbers.
    #[must_use]
    pub fn unit(self) -> &'static str {
        use Measure::{
            Bend, Contacts, Crossed, Deformation, Depth, Digits, DigitsOn, DiscDisplacement, DiscTiltError,
            Displacement, Force, ForceOverWeight, GreatestStretch, GripForce, HandleError, HandleForce, HandleTorque,
            Height, HostOffset, JointDrift, JointVolume, KineticEnergy, LeastDetF, LeastStretch, Lift, MovingAtOnce,
            PalmError, PalmForce, Phalanges, Recoveries, Reseats, Residual, Roll, Slip, SlipEvents, SlipLevel,
            SlipTurn, SoftContacts, Speed, Squash, SurfaceTilt, ThumbOnIndex, ThumbOnLittle, ThumbOnMiddle,
            ThumbOnRing, Turn, Yaw,
        };
        match self {
            Height | Displacement | Slip | Squash | Deformation | HandleError | PalmError | JointDrift | Depth
            | HostOffset | DiscDisplacement => "m",
            Turn | Yaw | Bend | SlipTurn | Roll | DiscTiltError | SurfaceTilt => "°",
            Speed => "m/s",
            KineticEnergy => "J",
            Force | HandleForce | Lift | PalmForce | GripForce | ThumbOnIndex | ThumbOnMiddle | ThumbOnRing
            | ThumbOnLittle => "N",
            HandleTorque => "N·m",
            ForceOverWeight | Contacts | Digits | DigitsOn | MovingAtOnce | Phalanges | LeastDetF | LeastStretch
            | GreatestStretch | JointVolume | Crossed | Recoveries | SoftContacts | Reseats | Residual | SlipLevel
            | SlipEvents => "",
        }
    }
}

/// The scene with some values replaced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variation {
    /// Name for the report.
    pub name: String,
    /// New values by path, as in `"object.ball.friction" = 0.0`; elements of lists by name or number.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub set: toml::Table,
    /// For a variant or control of a scene with cases: those it is tried on, by name; all if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<String>,
    /// For a control: the checks that must fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fails: Vec<String>,
}
