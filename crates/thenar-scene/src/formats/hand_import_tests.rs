//! Hands written, bent in the ways exporters bend them, and imported again.

use super::*;
use crate::formats::glb;
use crate::formats::{read_gltf_mesh, webxr_name, write_skin};
use crate::mutation::mutations;
use serde_json::{Value, json};
use std::sync::OnceLock;
use thenar::geometry::{SurfaceDistance, TriMesh};
use thenar::hand::{Anatomy, HandSurface, Preset, SkinDetail};

fn built(side: Side) -> &'static HandSurface {
    static BOTH: OnceLock<[HandSurface; 2]> = OnceLock::new();
    let both = BOTH.get_or_init(|| {
        [Side::Left, Side::Right]
            .map(|side| HandSurface::build(&Anatomy::preset(Preset::Adult, side), SkinDetail::Coarse).unwrap())
    });
    &both[usize::from(side == Side::Right)]
}

/// A written hand taken apart, so that a test can change it.
struct Glb {
    json: Value,
    bytes: Vec<u8>,
}

impl Glb {
    fn of(side: Side) -> Glb {
        Glb::with_mesh(side, |_| {})
    }

    /// A hand whose mesh was changed before it was written.
    fn with_mesh(side: Side, change: impl Fn(&mut TriMesh)) -> Glb {
        let hand = built(side);
        let mut skin = hand.skin.clone();
        change(&mut skin.mesh);
        let file = write_skin(side, &skin, &hand.skeleton);
        let (json, bytes) = glb::split(&file).unwrap();
        Glb { json: serde_json::from_slice(json).unwrap(), bytes: bytes.to_vec() }
    }

    fn file(&self) -> Vec<u8> {
        glb::join(self.json.to_string().as_bytes(), &self.bytes)
    }

    fn import(&self) -> Result<HandParts, ImportError> {
        import_parts(&self.file(), "test.glb", None)
    }

    /// The message of the error an import must end with.
    fn refusal(&self) -> String {
        self.import().err().map_or_else(|| panic!("the file should be refused"), |e| e.to_string())
    }

    fn node(&mut self, joint: XrJoint) -> &mut Value {
        let nodes = self.json["nodes"].as_array_mut().unwrap();
        nodes.iter_mut().find(|n| n["name"] == webxr_name(joint)).unwrap()
    }

    /// Offset of an attribute's data.
    fn data(&self, attribute: &str) -> usize {
        let accessor = self.json["meshes"][0]["primitives"][0]["attributes"][attribute].as_u64().unwrap() as usize;
        let view = self.json["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
        self.json["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize
    }
}

/// Joints of the import lie where those of the original hand do, and bones have the same frames.
fn expect_same_joints(parts: &HandParts, side: Side) {
    let real = &built(side).skeleton;
    assert_eq!(parts.side, side);
    for joint in XrJoint::ALL {
        let (found, real) = (parts.skeleton.xr_rest[joint].unwrap(), real.xr_rest[joint].unwrap());
        let distance = found.pose.position.distance(real.pose.position);
        // A tip is drawn back where it would come too near to the skin; everything else survives but for f32.
        let allowed = if webxr_name(joint).ends_with("tip") { 0.003 } else { 1e-5 };
        assert!(distance < allowed, "{joint:?} is off by {distance} m");
        assert!(found.pose.rotation.angle_between(real.pose.rotation) < 1e-3, "{joint:?} is turned");
        // Finer triangles round the skin by less than this.
        assert!((found.radius - real.radius).abs() < 0.002 || joint == XrJoint::Palm, "radius of {joint:?}");
    }
}

#[test]
fn a_written_hand_comes_back_as_the_same_hand() {
    for side in [Side::Left, Side::Right] {
        let parts = Glb::of(side).import().unwrap();
        expect_same_joints(&parts, side);
        let real = &built(side).skin.mesh;
        let ratio = parts.skin.mesh.volume() / real.volume();
        assert!((0.99..1.02).contains(&ratio), "refinement only rounds edges: volume ratio {ratio}");
        assert_eq!(parts.skin.mesh.check_solid(), Ok(()));
        let distance = SurfaceDistance::new(&parts.skin.mesh);
        let farthest = real.positions.iter().map(|p| distance.distance(*p).abs()).fold(0.0, f64::max);
        assert!(farthest < 1e-5, "every original vertex lies on the imported skin: {farthest}");
    }
}

#[test]
fn imported_parts_meet_what_a_hand_must_have() {
    let parts = Glb::of(Side::Right).import().unwrap();
    assert!(parts.contact_vertices.len() >= 3000, "{} contact vertices", parts.contact_vertices.len());
    let area: f64 = parts.contact_areas.iter().sum();
    assert!((area - parts.skin.mesh.area()).abs() < 1e-9);
    let skin = SurfaceDistance::new(&parts.skin.mesh);
    for digit in Digit::ALL {
        let distal = thenar::hand::BoneId::of(digit, 2);
        let pads = &parts.pads[digit.index()];
        assert_eq!(pads.len(), 100);
        for pad in pads {
            let off = skin.distance(parts.skeleton.bone(distal).rest.point(pad.local)).abs();
            assert!(off < 1e-4, "a pad sample of the {} lies {off} m off the skin", digit.name());
            assert!(pad.normal.y < 0.3, "pads face the palm");
        }
        let frame = parts.skeleton.bone(distal).rest;
        let on_pad = (parts.contact_vertices.iter())
            .map(|&v| v as usize)
            .filter(|&v| parts.skin.patches[v].bone() == distal && frame.local(parts.skin.mesh.positions[v]).y < 0.0);
        assert!(on_pad.count() >= 60, "{}", digit.name());
    }
    for patch in 1..thenar::hand::Patch::COUNT {
        assert!(parts.skin.patches.iter().any(|p| p.0 as usize == patch), "no skin belongs to patch {patch}");
    }
    assert!(parts.nail.iter().any(|n| *n));
    assert!(parts.skin.weights.iter().all(|w| (w.iter().map(|x| x.1).sum::<f32>() - 1.0).abs() < 1e-5));
}

#[test]
fn flat_skeletons_in_any_order_with_other_names_give_the_same_hand() {
    for side in [Side::Left, Side::Right] {
        let mut glb = Glb::of(side);
        // Flat: every joint a root with its scene transform.
        for joint in XrJoint::ALL.into_iter().filter(|j| *j != XrJoint::Palm) {
            let pose = built(side).skeleton.xr_rest[joint].unwrap().pose;
            let q = pose.rotation;
            let node = glb.node(joint);
            node["translation"] = json!(pose.position.to_array());
            node["rotation"] = json!([q.x, q.y, q.z, q.w]);
            node.as_object_mut().unwrap().remove("children");
            // Unreal names: XR_HAND_JOINT_LITTLE_INTERMEDIATE_EXT.
            let plain = webxr_name(joint).replace("-finger", "").replace("-phalanx", "").replace("pinky", "little");
            node["name"] = json!(format!("XR_HAND_JOINT_{}_EXT", plain.replace('-', "_").to_uppercase()));
        }
        // In reverse order: joints, their matrices, and the numbers the vertices use.
        let joints = glb.json["skins"][0]["joints"].as_array().unwrap().clone();
        let count = joints.len();
        glb.json["skins"][0]["joints"] = json!(joints.into_iter().rev().collect::<Vec<_>>());
        let vertices = built(side).skin.mesh.positions.len();
        let at = glb.data("JOINTS_0");
        for byte in &mut glb.bytes[at..at + 4 * vertices] {
            *byte = (count - 1) as u8 - *byte;
        }
        let accessor = glb.json["skins"][0]["inverseBindMatrices"].as_u64().unwrap() as usize;
        let view = glb.json["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
        let at = glb.json["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize;
        let matrices: Vec<Vec<u8>> = glb.bytes[at..at + 64 * count].chunks(64).map(<[u8]>::to_vec).collect();
        let reversed: Vec<u8> = matrices.into_iter().rev().flatten().collect();
        glb.bytes[at..at + 64 * count].copy_from_slice(&reversed);
        expect_same_joints(&glb.import().unwrap(), side);
    }
}

#[test]
fn tips_and_metacarpals_may_be_missing() {
    let mut glb = Glb::of(Side::Right);
    for joint in XrJoint::ALL.into_iter().filter(|j| *j != XrJoint::Palm) {
        let name = webxr_name(joint);
        if name.ends_with("tip") || name.ends_with("finger-metacarpal") {
            glb.node(joint)["name"] = json!("helper");
        }
    }
    let parts = glb.import().unwrap();
    let real = &built(Side::Right).skeleton;
    for bone in thenar::hand::BoneId::all() {
        let (found, real) = (parts.skeleton.bone(bone).rest, real.bone(bone).rest);
        assert!(found.position.distance(real.position) < 1e-5, "{bone:?}");
    }
    let length = |s: &thenar::hand::Skeleton| s.bone(thenar::hand::BoneId::of(Digit::Index, 2)).length;
    assert!((length(&parts.skeleton) - length(real)).abs() < 0.004);
}

#[test]
fn the_other_side_can_be_asked_for() {
    let file = Glb::of(Side::Right).file();
    let parts = import_parts(&file, "test.glb", Some(Side::Left)).unwrap();
    expect_same_joints(&parts, Side::Left);
}

#[test]
fn seams_are_welded_and_an_open_wrist_is_closed() {
    let open = Glb::with_mesh(Side::Right, |mesh| {
        let behind = |p: &u32| mesh.positions[*p as usize].z > 0.02;
        mesh.triangles.retain(|t| !t.iter().all(behind));
    });
    let parts = open.import().unwrap();
    assert_eq!(parts.skin.mesh.check_solid(), Ok(()));
    let behind = parts.skin.mesh.positions.iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max);
    assert!(behind < 0.03, "the stub ends at the cut, not {behind} m behind the wrist");
}

#[test]
fn faults_are_told_with_file_place_and_remedy() {
    let mut no_skin = Glb::of(Side::Right);
    let nodes = no_skin.json["nodes"].as_array_mut().unwrap();
    nodes.iter_mut().for_each(|n| drop(n.as_object_mut().unwrap().remove("skin")));
    let mut nameless = Glb::of(Side::Right);
    nameless.node(XrJoint::RingIntermediate)["name"] = json!("bone 17");
    let hole = Glb::with_mesh(Side::Right, |mesh| {
        let gone = |p: &u32| mesh.positions[*p as usize].z < -0.17;
        mesh.triangles.retain(|t| !t.iter().all(gone));
    });
    let mut crossing = Glb::with_mesh(Side::Right, |mesh| {
        for p in &mut mesh.positions {
            // Little finger and ring finger through one another.
            if p.x > 0.030 && p.z < -0.11 {
                p.x -= 0.022;
            }
        }
    });
    crossing.json["accessors"][0].as_object_mut().unwrap().remove("extras");
    let mut far = Glb::of(Side::Right);
    let at = far.data("POSITION");
    far.bytes[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    let mut short = Glb::of(Side::Right);
    short.bytes.truncate(1000);
    let mut index = Glb::of(Side::Right);
    let accessor = index.json["meshes"][0]["primitives"][0]["indices"].as_u64().unwrap() as usize;
    let view = index.json["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
    let at = index.json["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize;
    index.bytes[at..at + 4].copy_from_slice(&9_999_999_u32.to_le_bytes());
    let mut huge = Glb::of(Side::Right);
    for node in huge.json["nodes"].as_array_mut().unwrap() {
        if let Some(t) = node.get_mut("translation") {
            *t = json!(t.as_array().unwrap().iter().map(|v| v.as_f64().unwrap() * 100.0).collect::<Vec<_>>());
        }
    }
    for (glb, expected) in [
        (no_skin, "no skin"),
        (nameless, "joint \"ring-finger-phalanx-intermediate\" is missing"),
        (hole, "the surface is open: a hole of"),
        (crossing, "cross"),
        (far, "vertex 0 is at NaN"),
        (short, "reads past"),
        (index, "names vertex 9999999"),
        (huge, "times the size"),
    ] {
        let message = glb.refusal();
        assert!(message.starts_with("test.glb: ") && message.contains(expected), "{expected} expected: {message}");
    }
    for (bytes, expected) in [
        (&b"solid cube"[..], "not valid glTF"),
        (b"", "not valid glTF"),
        (b"glTF\x02\0\0\0", "cut short"),
        (b"glTF\x01\0\0\0\0\0\0\0", "version 1"),
    ] {
        let message = import_parts(bytes, "x.glb", None).err().unwrap().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn damaged_files_are_read_or_refused_but_never_panic() {
    // A skinned triangle, and a tetrahedron with all joints of a hand: small enough for thousands of damaged copies.
    let triangle: &[u8] = include_bytes!("../../../../fuzz/seeds/gltf/triangle.glb");
    let tetrahedron: &[u8] = include_bytes!("../../../../fuzz/seeds/gltf/tetrahedron-hand.gltf");
    for (seed, joints) in [(triangle, 2), (tetrahedron, 25)] {
        assert!(matches!(read_skinned(seed), Ok(hand) if hand.joints.iter().flatten().count() == joints));
    }
    let mut read = 0;
    for bytes in [triangle, tetrahedron].into_iter().flat_map(|seed| mutations(seed, 4000)) {
        read += usize::from(read_gltf_mesh(&bytes, "damaged").is_ok());
        let _ = read_skinned(&bytes).map(|hand| surface_repair::close(&hand.mesh, |_| true));
        let _ = import_parts(&bytes, "damaged", None);
    }
    assert!(read > 40, "some damage leaves a file readable, or the test damages too much: {read}");
    // Whole hands, where most damage hits vertices and indices and reaches the later stages.
    let whole = Glb::of(Side::Right).file();
    for bytes in mutations(&whole, 12) {
        let _ = import_parts(&bytes, "damaged", None);
    }
}

/// The bones of a hand in litres of flesh: thousands of elements for each one wanted, minutes of work for nothing.
#[test]
fn a_body_of_flesh_is_refused_before_it_is_filled() {
    let lump = Glb::with_mesh(Side::Right, |skin| skin.positions.iter_mut().for_each(|p| *p *= 3.0)).file();
    let error = import_hand(&lump, "lump.glb", &ImportOptions::default()).err().unwrap().to_string();
    assert!(error.contains("lump.glb") && error.contains("litres"), "{error}");
}

#[test]
fn a_plain_mesh_is_read_by_the_ending_of_its_name() {
    let file = Glb::of(Side::Left).file();
    let mesh = crate::formats::read_mesh("hand.GLB", &file).unwrap();
    let real = &built(Side::Left).skin.mesh;
    assert_eq!(mesh.triangles, real.triangles);
    assert!(mesh.positions.iter().zip(&real.positions).all(|(a, b)| a.distance(*b) < 1e-7));
    let error = crate::formats::read_mesh("hand.glb", &file[..100]).unwrap_err().to_string();
    assert!(error.contains("cut short"), "{error}");
}

#[test]
fn the_generic_hands_of_webxr_become_hands() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/npm/node_modules/@webxr-input-profiles/assets/dist/profiles/generic-hand");
    for (file, side) in [("left.glb", Side::Left), ("right.glb", Side::Right)] {
        let Ok(bytes) = std::fs::read(folder.join(file)) else {
            println!("skipped: {file} is not installed; `cargo xtask test` installs it from npm");
            return;
        };
        let hand = import_hand(&bytes, file, &ImportOptions::default()).unwrap();
        assert_eq!(hand.side, side);
        let report = hand.report();
        assert!(report.min_dihedral_deg >= 10.0, "{report:?}");
        assert_eq!(report.euler, 2);
        assert!(report.embedded_fraction >= 0.998, "{report:?}");
        assert!(report.contact_vertices >= 3000);
        assert!((0.8..1.2).contains(&report.volume_ratio), "{report:?}");
        let thumb = hand.skeleton.xr_rest[XrJoint::ThumbTip].unwrap().pose.position.x;
        assert!(if side == Side::Right { thumb < -0.05 } else { thumb > 0.05 }, "the thumb lies at {thumb}");
    }
}
