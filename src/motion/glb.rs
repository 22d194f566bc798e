//! Clip → GLB (glTF 2.0, one binary file): a skeleton of nodes, a light mesh so that viewers show something, one
//! animation. Metres, Y up, as glTF asks and as clips are in memory.
//!
//! The bind pose is the skeleton's rest: offsets, no rotation. Joints that keep still get a single key.

mod bones;

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::quat::near;
use glam::{Quat, Vec3};
use serde_json::{Value, json};

/// Component types of accessors (glTF 2.0, section 5.1.3).
const U8: u32 = 5121;
const U16: u32 = 5123;
const U32: u32 = 5125;
const F32: u32 = 5126;

/// What a buffer view is for (glTF 2.0, section 5.11.5).
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// Writes a clip as a GLB that importers see as a skinned skeleton with one animation of the clip's name.
/// Node names are joint names as the file spelled them.
///
/// # Errors
/// [`Error::Glb`] where the result would not fit the format's 4 GB.
pub fn write(clip: &Clip) -> Result<Vec<u8>> {
    let joints = clip.skeleton().joints();
    let mut file = File::default();

    // Nodes 0..joints are the joints; then the armature that holds the roots, then the mesh.
    let (armature, mesh) = (joints.len(), joints.len() + 1);
    let mut children = vec![Vec::new(); joints.len() + 1];
    for (index, joint) in joints.iter().enumerate() {
        children[joint.parent.unwrap_or(armature)].push(index);
    }
    let mut nodes = Vec::with_capacity(joints.len() + 2);
    for (joint, children) in joints.iter().zip(&children) {
        nodes.push(node(&joint.name, children, joint.offset));
    }
    nodes.push(node(&clip.name, &children[armature], Vec3::ZERO));
    nodes.push(json!({ "name": "Bones", "mesh": 0, "skin": 0 }));

    let rest = rest_positions(clip);
    let primitive = primitive(&mut file, clip, &rest)?;
    let skin = json!({
        "joints": (0..joints.len()).collect::<Vec<_>>(),
        "skeleton": armature,
        "inverseBindMatrices": inverse_bind_matrices(&mut file, &rest)?,
    });
    let mut root = json!({
        "asset": { "version": "2.0", "generator": concat!("Kinestitch ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "scenes": [{ "nodes": [armature, mesh] }],
        "nodes": nodes,
        "meshes": [{ "name": "Bones", "primitives": [primitive] }],
        "materials": [{
            "name": "Bones",
            "doubleSided": true,
            "pbrMetallicRoughness": { "baseColorFactor": [0.6, 0.65, 0.7, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8 },
        }],
        "skins": [skin],
    });
    if clip.frames() > 0 {
        root["animations"] = json!([animation(&mut file, clip)?]);
    }
    file.finish(root)
}

fn node(name: &str, children: &[usize], translation: Vec3) -> Value {
    let mut node = json!({ "name": name });
    if !children.is_empty() {
        node["children"] = json!(children);
    }
    if translation != Vec3::ZERO {
        node["translation"] = json!(translation.to_array());
    }
    node
}

/// World positions of the joints at rest, metres.
fn rest_positions(clip: &Clip) -> Vec<Vec3> {
    let mut rest: Vec<Vec3> = Vec::with_capacity(clip.joints());
    for joint in clip.skeleton().joints() {
        rest.push(joint.offset + joint.parent.map_or(Vec3::ZERO, |parent| rest[parent]));
    }
    rest
}

fn inverse_bind_matrices(file: &mut File, rest: &[Vec3]) -> Result<usize> {
    let start = file.start();
    for p in rest {
        file.floats(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -p.x, -p.y, -p.z, 1.0]);
    }
    file.accessor(start, None, json!({ "componentType": F32, "count": rest.len(), "type": "MAT4" }))
}

/// The mesh's one primitive. Positions in bind space; every vertex follows one joint.
fn primitive(file: &mut File, clip: &Clip, rest: &[Vec3]) -> Result<Value> {
    let mesh = bones::mesh(clip, rest);
    let count = mesh.positions.len();

    let start = file.start();
    mesh.positions.iter().for_each(|p| file.floats(&p.to_array()));
    let low = mesh.positions.iter().fold(Vec3::INFINITY, |low, &p| low.min(p)).to_array();
    let high = mesh.positions.iter().fold(Vec3::NEG_INFINITY, |high, &p| high.max(p)).to_array();
    let bounds = json!({ "componentType": F32, "count": count, "type": "VEC3", "min": low, "max": high });
    let positions = file.accessor(start, Some(VERTICES), bounds)?;

    let start = file.start();
    for &joint in &mesh.joints {
        // The parser's limit keeps joints below 65,536; a larger hand-made skeleton is refused here.
        let joint = u16::try_from(joint).map_err(|_| Error::Glb { message: "more than 65,536 joints".to_owned() })?;
        file.binary.extend_from_slice(&joint.to_le_bytes());
        file.binary.extend_from_slice(&[0; 6]);
    }
    let joints =
        file.accessor(start, Some(VERTICES), json!({ "componentType": U16, "count": count, "type": "VEC4" }))?;

    let start = file.start();
    mesh.joints.iter().for_each(|_| file.binary.extend_from_slice(&[255, 0, 0, 0]));
    let shares = json!({ "componentType": U8, "normalized": true, "count": count, "type": "VEC4" });
    let weights = file.accessor(start, Some(VERTICES), shares)?;

    let start = file.start();
    mesh.indices.iter().for_each(|index| file.binary.extend_from_slice(&index.to_le_bytes()));
    let corners = json!({ "componentType": U32, "count": mesh.indices.len(), "type": "SCALAR" });
    let indices = file.accessor(start, Some(INDICES), corners)?;

    let attributes = json!({ "POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights });
    Ok(json!({ "attributes": attributes, "indices": indices, "material": 0 }))
}

/// Rotation samplers for all joints, translation samplers for the translated ones.
fn animation(file: &mut File, clip: &Clip) -> Result<Value> {
    let frames = clip.frames();
    // Accessors of the times of one key and of all keys, made when first needed.
    let (mut one, mut all) = (None, None);
    let mut times = |file: &mut File, count: usize| match if count == 1 { &mut one } else { &mut all } {
        Some(made) => Ok(*made),
        wanted => times(file, clip, count).inspect(|&made| *wanted = Some(made)),
    };
    let mut samplers = Vec::new();
    let mut channels = Vec::new();
    let mut add = |joint: usize, path: &str, input: usize, output: usize| {
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": joint, "path": path } }));
        samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
    };
    for joint in 0..clip.joints() {
        let keys = clip.rotations().iter().skip(joint).step_by(clip.joints());
        let count = if keys.clone().all(|q| Some(q) == clip.rotations().get(joint)) { 1 } else { frames };
        let start = file.start();
        let mut last = Quat::IDENTITY;
        for &key in keys.take(count) {
            // Unit, and on the near side of the key before: importers differ in how they interpolate.
            let key = key.normalize();
            last = near(key, last);
            file.floats(&last.to_array());
        }
        let output = file.accessor(start, None, json!({ "componentType": F32, "count": count, "type": "VEC4" }))?;
        add(joint, "rotation", times(file, count)?, output);
    }
    let moving = clip.skeleton().translated();
    for (slot, &joint) in moving.iter().enumerate() {
        let keys = clip.translations().iter().skip(slot).step_by(moving.len());
        let count = if keys.clone().all(|t| Some(t) == clip.translations().get(slot)) { 1 } else { frames };
        let start = file.start();
        keys.take(count).for_each(|key| file.floats(&key.to_array()));
        let output = file.accessor(start, None, json!({ "componentType": F32, "count": count, "type": "VEC3" }))?;
        add(joint, "translation", times(file, count)?, output);
    }
    Ok(json!({ "name": clip.name, "samplers": samplers, "channels": channels }))
}

/// Accessor of the times of the first `count` frames, seconds.
fn times(file: &mut File, clip: &Clip, count: usize) -> Result<usize> {
    let start = file.start();
    let time = |frame: usize| (frame as f64 * clip.frame_time_secs()) as f32;
    (0..count).for_each(|frame| file.floats(&[time(frame)]));
    let bounds =
        json!({ "componentType": F32, "count": count, "type": "SCALAR", "min": [0.0], "max": [time(count - 1)] });
    file.accessor(start, None, bounds)
}

/// The binary chunk as it grows, and what describes it. Every view starts on four bytes.
#[derive(Default)]
struct File {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl File {
    /// Where the next view starts.
    fn start(&mut self) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        self.binary.len()
    }

    fn floats(&mut self, values: &[f32]) {
        for value in values {
            self.binary.extend_from_slice(&value.to_le_bytes());
        }
    }

    /// Makes the bytes since `start` a view with one accessor; returns the accessor's index.
    fn accessor(&mut self, start: usize, target: Option<u32>, mut accessor: Value) -> Result<usize> {
        let mut view = json!({ "buffer": 0, "byteOffset": start, "byteLength": self.binary.len() - start });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        accessor["bufferView"] = json!(self.views.len());
        self.views.push(view);
        self.accessors.push(accessor);
        // Far below 4 GB, so that wasm's address space is not exhausted before the format's is.
        match u32::try_from(self.binary.len()) {
            Ok(length) if length < u32::MAX / 2 => Ok(self.accessors.len() - 1),
            _ => Err(Error::Glb { message: "the motion is too long for one file; trim it".to_owned() }),
        }
    }

    /// Header, JSON chunk, binary chunk (glTF 2.0, section 4.4).
    fn finish(mut self, mut root: Value) -> Result<Vec<u8>> {
        self.start();
        root["buffers"] = json!([{ "byteLength": self.binary.len() }]);
        root["bufferViews"] = Value::Array(self.views);
        root["accessors"] = Value::Array(self.accessors);
        let mut text = root.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');

        let length = |bytes: usize| {
            u32::try_from(bytes).map_err(|_| Error::Glb { message: "the file would be larger than 4 GB".to_owned() })
        };
        let total = 12 + 8 + text.len() + 8 + self.binary.len();
        let mut out = Vec::with_capacity(total);
        for word in [0x4654_6c67, 2, length(total)?, length(text.len())?, 0x4e4f_534a] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(&text);
        for word in [length(self.binary.len())?, 0x004e_4942] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(&self.binary);
        Ok(out)
    }
}
