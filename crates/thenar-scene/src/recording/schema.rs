//! JSON schemas of the channels, written into every file so that viewers know the fields.

/// A schema as MCAP stores it.
pub(super) struct ChannelSchema {
    pub name: &'static str,
    pub text: &'static str,
}

pub(super) const TRACKER: ChannelSchema = ChannelSchema {
    name: "thenar.TrackerFrame",
    text: r#"{
  "title": "thenar.TrackerFrame",
  "description": "One tracked frame of a hand. Metres; orientations x y z w in the convention of OpenXR.",
  "type": "object",
  "properties": {
    "step": { "type": "integer", "description": "Fed before this step, counted from 0" },
    "time": { "type": "number", "description": "Simulated seconds" },
    "side": { "type": "string", "enum": ["left", "right"], "description": "The hand the tracker believed to see" },
    "joints": {
      "type": "object",
      "description": "By WebXR name; joints that were not tracked are absent",
      "additionalProperties": {
        "type": "object",
        "properties": {
          "position": { "type": "array", "items": { "type": "number" } },
          "orientation": { "type": "array", "items": { "type": "number" } },
          "radius": { "type": "number", "description": "To the skin; 0 where unknown" }
        }
      }
    }
  }
}"#,
};

pub(super) const STEP: ChannelSchema = ChannelSchema {
    name: "thenar.Step",
    text: r#"{
  "title": "thenar.Step",
  "type": "object",
  "properties": {
    "step": { "type": "integer", "description": "Counted from 1" },
    "time": { "type": "number", "description": "Simulated seconds at its end" },
    "hash": { "type": "string", "description": "Hash of the state, 16 hexadecimal digits" },
    "contacts": { "type": "integer", "description": "Skin points that touch" },
    "recovered": { "type": "boolean", "description": "The step was rolled back" },
    "palms": { "type": "array", "items": { "type": "array", "items": { "type": "number" } } },
    "objects": { "type": "array", "items": { "type": "array", "items": { "type": "number" } } }
  }
}"#,
};

/// Foxglove's own schema by its name and fields, so that 3D views show bones and objects.
pub(super) const TRANSFORMS: ChannelSchema = ChannelSchema {
    name: "foxglove.FrameTransforms",
    text: r#"{
  "title": "foxglove.FrameTransforms",
  "type": "object",
  "properties": {
    "transforms": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "timestamp": {
            "type": "object",
            "properties": { "sec": { "type": "integer" }, "nsec": { "type": "integer" } }
          },
          "parent_frame_id": { "type": "string" },
          "child_frame_id": { "type": "string" },
          "translation": {
            "type": "object",
            "properties": { "x": { "type": "number" }, "y": { "type": "number" }, "z": { "type": "number" } }
          },
          "rotation": {
            "type": "object",
            "properties": {
              "x": { "type": "number" }, "y": { "type": "number" }, "z": { "type": "number" }, "w": { "type": "number" }
            }
          }
        }
      }
    }
  }
}"#,
};

pub(super) const TOUCH: ChannelSchema = ChannelSchema {
    name: "thenar.Touch",
    text: r#"{
  "title": "thenar.Touch",
  "description": "Forces on the skin of one hand: newtons, metres, pascals, in the world.",
  "type": "object",
  "properties": {
    "step": { "type": "integer" },
    "time": { "type": "number" },
    "contacts": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "vertex": { "type": "integer" },
          "object": { "type": "integer" },
          "patch": { "type": "string" },
          "point": { "type": "array", "items": { "type": "number" } },
          "normal": { "type": "array", "items": { "type": "number" } },
          "force": { "type": "array", "items": { "type": "number" } },
          "pressure": { "type": "number" },
          "slipping": { "type": "boolean" }
        }
      }
    },
    "patches": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "patch": { "type": "string" },
          "object": { "type": "integer" },
          "force": { "type": "array", "items": { "type": "number" } },
          "torque": { "type": "array", "items": { "type": "number" }, "description": "About the origin of the patch's bone" },
          "pressure": { "type": "number", "description": "Greatest in the patch" }
        }
      }
    }
  }
}"#,
};

pub(super) const TACTILE: ChannelSchema = ChannelSchema {
    name: "thenar.Tactile",
    text: r#"{
  "title": "thenar.Tactile",
  "description": "Touch on the fingertips of one hand and what a device there shall do. SI units, radians, in the frame of each pad: x across, y into, z along the finger away from its tip.",
  "type": "object",
  "properties": {
    "step": { "type": "integer" },
    "time": { "type": "number" },
    "fingers": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "digit": { "type": "string" },
          "displacement": { "type": "number", "description": "Of the disc from the undeformed pad into the finger" },
          "pitch": { "type": "number" },
          "roll": { "type": "number" },
          "target": { "type": "array", "items": { "type": "number" }, "description": "The matched displacement, pitch and roll" },
          "legs": { "type": "array", "items": { "type": "number" } },
          "touching": { "type": "integer", "description": "Samples of the pad that touch" },
          "residual": { "type": "number" },
          "force": { "type": "array", "items": { "type": "number" } },
          "pressing": { "type": "number" },
          "pressure_displacement": { "type": "number" },
          "stretch": { "type": "array", "items": { "type": "number" } },
          "slip": { "type": "number", "description": "Level from 0 to 1" },
          "slipping": { "type": "boolean" },
          "slip_event": { "type": "boolean", "description": "Slip began in this step" },
          "taxels": { "type": "array", "items": { "type": "integer" }, "description": "Across and along the pad" },
          "taxel_forces": { "type": "array", "items": { "type": "array", "items": { "type": "number" } } }
        }
      }
    }
  }
}"#,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_json_and_carry_their_names() {
        for schema in [TRACKER, STEP, TRANSFORMS, TOUCH, TACTILE] {
            let value: serde_json::Value = serde_json::from_str(schema.text).unwrap();
            assert_eq!(value["title"], schema.name);
            assert!(value["properties"].is_object());
        }
    }
}
