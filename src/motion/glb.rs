//! Clip → GLB (glTF 2.0, one binary file): a skeleton of nodes, a small mesh so that viewers show something, and one
//! animation. Metres and Y up, as glTF requires and as clips are in memory.
//!
//! The bind pose is the rest pose of the skeleton: offsets without rotations. Rotations and translations that do not
//! change get a single keyframe, except for the rotations of the first joint.

mod bones;
mod document;

use self::document::{
    Accessor, Animation, AnimationTarget, Asset, Attributes, Buffer, Channel, Component, Document, Material, Mesh,
    Node, PbrMaterial, Primitive, Sampler, Scene, Skin, Target, View,
};
use crate::error::{Error, Result};
use crate::motion::bvh;
use crate::motion::clip::Clip;
use crate::motion::length_limits;
use crate::motion::quat::with_nearest_sign;
use glam::{Quat, Vec3};

/// Largest coordinate of an offset, End Site or translation, metres; equal to the largest value in BVH files.
pub const MAX_COORDINATE: f64 = bvh::MAX_VALUE;

/// Largest number of joints: vertices hold the indices of their joints as 16-bit numbers.
pub const MAX_JOINTS: usize = 1 << 16;

/// Writes a clip as a GLB that importers read as a skinned skeleton with one animation. The animation has the name of
/// the clip, and the nodes have the names of the joints.
///
/// # Errors
/// [`Error::Glb`] if the file would be too large, the skeleton has more than [`MAX_JOINTS`] joints, a coordinate is
/// above [`MAX_COORDINATE`] (the error names the joint, and the frame of a translation), or the motion is so long that
/// its times are not finite.
pub fn write(clip: &Clip) -> Result<Vec<u8>> {
    check(clip)?;
    let joints = clip.skeleton().joints();
    let mut chunk = BinaryChunk::default();

    // The first nodes are the joints; then comes the armature, the parent of the roots, and then the mesh.
    let (armature, mesh) = (joints.len(), joints.len() + 1);
    let mut children = vec![Vec::new(); joints.len() + 1];
    for (index, joint) in joints.iter().enumerate() {
        children[joint.parent.unwrap_or(armature)].push(index);
    }
    let names_and_offsets =
        joints.iter().map(|joint| (joint.name.as_str(), joint.offset)).chain([(clip.name.as_str(), Vec3::ZERO)]);
    let mut nodes: Vec<Node> =
        names_and_offsets.zip(&children).map(|((name, offset), children)| node(name, children, offset)).collect();
    nodes.push(Node { name: "Bones", mesh: Some(0), skin: Some(0), ..Node::default() });

    let rest_positions = compute_rest_positions(clip);
    let primitive = push_primitive(&mut chunk, clip, &rest_positions)?;
    let inverse_bind_matrices = push_inverse_bind_matrices(&mut chunk, &rest_positions)?;
    let animations = if clip.frames() > 0 { Some([push_animation(&mut chunk, clip)?]) } else { None };
    chunk.align();
    let document = Document {
        asset: Asset { version: "2.0", generator: concat!("Kinestitch ", env!("CARGO_PKG_VERSION")) },
        scene: 0,
        scenes: [Scene { nodes: [armature, mesh] }],
        nodes,
        meshes: [Mesh { name: "Bones", primitives: [primitive] }],
        materials: [Material {
            name: "Bones",
            double_sided: true,
            pbr_metallic_roughness: PbrMaterial {
                base_color_factor: [0.6, 0.65, 0.7, 1.0],
                metallic_factor: 0.0,
                roughness_factor: 0.8,
            },
        }],
        skins: [Skin { joints: (0..joints.len()).collect(), skeleton: armature, inverse_bind_matrices }],
        animations,
        buffers: [Buffer { byte_length: chunk.bytes.len() }],
        buffer_views: chunk.views,
        accessors: chunk.accessors,
    };
    encode_file(&document, &chunk.bytes)
}

/// Returns an error for values that readers do not accept.
fn check(clip: &Clip) -> Result<()> {
    let fail = |message| Err(Error::Glb { message });
    if !((clip.frames() as f64 * clip.frame_time_secs()) as f32).is_finite() {
        return fail(format!(
            "{} frames of {} s are too long for a GLB; the frame time of the clip is wrong",
            clip.frames(),
            clip.frame_time_secs()
        ));
    }
    // Clips read from BVH files never have so many joints, but skeletons built by a program can.
    if clip.joints() > MAX_JOINTS {
        return fail(format!("{} joints are too many for a GLB; it holds at most {MAX_JOINTS}", clip.joints()));
    }
    length_limits::describe_excess(clip, 1.0, MAX_COORDINATE, false).map_or(Ok(()), fail)
}

fn node<'a>(name: &'a str, children: &'a [usize], offset: Vec3) -> Node<'a> {
    let translation = (offset != Vec3::ZERO).then(|| offset.to_array());
    Node { name, children, translation, ..Node::default() }
}

/// Computes the world positions of the joints at rest, metres.
fn compute_rest_positions(clip: &Clip) -> Vec<Vec3> {
    let mut rest_positions: Vec<Vec3> = Vec::with_capacity(clip.joints());
    for joint in clip.skeleton().joints() {
        rest_positions.push(joint.offset + joint.parent.map_or(Vec3::ZERO, |parent| rest_positions[parent]));
    }
    rest_positions
}

fn push_inverse_bind_matrices(chunk: &mut BinaryChunk, rest_positions: &[Vec3]) -> Result<usize> {
    let start = chunk.align();
    for p in rest_positions {
        chunk.push_floats(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -p.x, -p.y, -p.z, 1.0]);
    }
    chunk.push_view_and_accessor(start, None, AccessorSpec::new(Component::F32, "MAT4", rest_positions.len()))
}

/// Writes the only primitive of the mesh. Its positions are in the bind pose; every vertex follows one joint.
fn push_primitive(chunk: &mut BinaryChunk, clip: &Clip, rest_positions: &[Vec3]) -> Result<Primitive> {
    let mesh = bones::build_mesh(clip, rest_positions);
    let count = mesh.positions.len();

    let start = chunk.align();
    mesh.positions.iter().for_each(|p| chunk.push_floats(&p.to_array()));
    let min = mesh.positions.iter().fold(Vec3::INFINITY, |min, &p| min.min(p)).to_array();
    let max = mesh.positions.iter().fold(Vec3::NEG_INFINITY, |max, &p| max.max(p)).to_array();
    let position_spec =
        AccessorSpec { min: min.to_vec(), max: max.to_vec(), ..AccessorSpec::new(Component::F32, "VEC3", count) };
    let positions = chunk.push_view_and_accessor(start, Some(Target::Vertices), position_spec)?;

    let start = chunk.align();
    for &joint in &mesh.joints {
        // Below MAX_JOINTS, so the index fits into 16 bits.
        chunk.bytes.extend_from_slice(&(joint as u16).to_le_bytes());
        chunk.bytes.extend_from_slice(&[0; 6]);
    }
    let joint_spec = AccessorSpec::new(Component::U16, "VEC4", count);
    let joints = chunk.push_view_and_accessor(start, Some(Target::Vertices), joint_spec)?;

    let start = chunk.align();
    mesh.joints.iter().for_each(|_| chunk.bytes.extend_from_slice(&[255, 0, 0, 0]));
    let weight_spec = AccessorSpec { normalized: true, ..AccessorSpec::new(Component::U8, "VEC4", count) };
    let weights = chunk.push_view_and_accessor(start, Some(Target::Vertices), weight_spec)?;

    let start = chunk.align();
    mesh.indices.iter().for_each(|index| chunk.bytes.extend_from_slice(&index.to_le_bytes()));
    let index_spec = AccessorSpec::new(Component::U32, "SCALAR", mesh.indices.len());
    let indices = chunk.push_view_and_accessor(start, Some(Target::Indices), index_spec)?;
    Ok(Primitive { attributes: Attributes { positions, joints, weights }, indices, material: 0 })
}

/// Writes samplers of the rotations of all joints, and of the translations of joints that have them.
fn push_animation<'a>(chunk: &mut BinaryChunk, clip: &'a Clip) -> Result<Animation<'a>> {
    // Accessors of the time of a single keyframe and of the times of all keyframes, created when first needed.
    let (mut single_time, mut all_times) = (None, None);
    let mut samplers = Vec::new();
    let mut channels = Vec::new();
    let mut add = |chunk: &mut BinaryChunk, node, path, count: usize, output| -> Result<()> {
        let times = if count == 1 { &mut single_time } else { &mut all_times };
        let input = match *times {
            Some(accessor) => accessor,
            None => *times.insert(push_times(chunk, clip, count)?),
        };
        channels.push(Channel { sampler: samplers.len(), target: AnimationTarget { node, path } });
        samplers.push(Sampler { input, output, interpolation: "LINEAR" });
        Ok(())
    };
    for joint in 0..clip.joints() {
        let mut keys = keyframes(clip.rotations(), joint, clip.joints());
        if joint == 0 {
            // One track has all keyframes: a motion in which nothing moves keeps its length and its rate.
            keys = clip.rotations().iter().step_by(clip.joints()).copied().collect();
        }
        let start = chunk.align();
        let mut rotation = Quat::IDENTITY;
        for key in &keys {
            // Normalised and in the hemisphere of the previous keyframe, because importers differ in how they
            // interpolate.
            rotation = with_nearest_sign(key.normalize(), rotation);
            chunk.push_floats(&rotation.to_array());
        }
        let spec = AccessorSpec::new(Component::F32, "VEC4", keys.len());
        let output = chunk.push_view_and_accessor(start, None, spec)?;
        add(chunk, joint, "rotation", keys.len(), output)?;
    }
    let translated = clip.skeleton().translated();
    for (slot, &joint) in translated.iter().enumerate() {
        let keys = keyframes(clip.translations(), slot, translated.len());
        let start = chunk.align();
        keys.iter().for_each(|key| chunk.push_floats(&key.to_array()));
        let spec = AccessorSpec::new(Component::F32, "VEC3", keys.len());
        let output = chunk.push_view_and_accessor(start, None, spec)?;
        add(chunk, joint, "translation", keys.len(), output)?;
    }
    Ok(Animation { name: &clip.name, samplers, channels })
}

/// Returns the keyframes of one column of `values`, [frames × width]: one for each frame, or only the first if all are
/// equal.
fn keyframes<T: Copy + PartialEq>(values: &[T], column: usize, width: usize) -> Vec<T> {
    let mut keys: Vec<T> = values.iter().skip(column).step_by(width).copied().collect();
    if keys.iter().all(|key| *key == keys[0]) {
        keys.truncate(1);
    }
    keys
}

/// Writes the times of the first `count` frames, seconds by the clip's rate, and returns their accessor.
fn push_times(chunk: &mut BinaryChunk, clip: &Clip, count: usize) -> Result<usize> {
    let start = chunk.align();
    let time = |frame: usize| (frame as f64 / clip.fps()) as f32;
    (0..count).for_each(|frame| chunk.push_floats(&[time(frame)]));
    let time_spec = AccessorSpec {
        min: vec![0.0],
        max: vec![time(count - 1)],
        ..AccessorSpec::new(Component::F32, "SCALAR", count)
    };
    chunk.push_view_and_accessor(start, None, time_spec)
}

/// The binary chunk so far, and its views and accessors. Every view is aligned to four bytes.
#[derive(Default)]
struct BinaryChunk {
    bytes: Vec<u8>,
    views: Vec<View>,
    accessors: Vec<Accessor>,
}

/// Description of an accessor.
struct AccessorSpec {
    component: Component,
    shape: &'static str,
    count: usize,
    normalized: bool,
    min: Vec<f32>,
    max: Vec<f32>,
}

impl AccessorSpec {
    fn new(component: Component, shape: &'static str, count: usize) -> Self {
        Self { component, shape, count, normalized: false, min: Vec::new(), max: Vec::new() }
    }
}

impl BinaryChunk {
    /// Pads the binary chunk, and returns the aligned start of the next view.
    fn align(&mut self) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.bytes.len()
    }

    fn push_floats(&mut self, values: &[f32]) {
        for value in values {
            self.bytes.extend_from_slice(&value.to_le_bytes());
        }
    }

    /// Adds a view of the bytes from `start`, and its accessor; returns the index of the accessor.
    fn push_view_and_accessor(&mut self, start: usize, target: Option<Target>, spec: AccessorSpec) -> Result<usize> {
        let AccessorSpec { component, shape, count, normalized, min, max } = spec;
        let byte_length = self.bytes.len() - start;
        let (buffer_view, component_type) = (self.views.len(), component as u32);
        self.views.push(View {
            buffer: 0,
            byte_offset: start,
            byte_length,
            target: target.map(|target| target as u32),
        });
        self.accessors.push(Accessor { buffer_view, component_type, count, shape, normalized, min, max });
        // 2 GB, not the 4 GB of the format, so that this error comes before memory in wasm runs out.
        match u32::try_from(self.bytes.len()) {
            Ok(length) if length < u32::MAX / 2 => Ok(self.accessors.len() - 1),
            _ => Err(Error::Glb { message: "the motion is too long for one file; trim it".to_owned() }),
        }
    }
}

/// Encodes the file: header, JSON chunk, binary chunk (glTF 2.0, section 4.4).
fn encode_file(document: &Document, binary: &[u8]) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec(document).map_err(|error| Error::Glb { message: error.to_string() })?;
    text.resize(text.len().next_multiple_of(4), b' ');

    let length = |bytes: usize| {
        u32::try_from(bytes).map_err(|_| Error::Glb { message: "the file would be larger than 4 GB".to_owned() })
    };
    let total = 12 + 8 + text.len() + 8 + binary.len();
    let mut out = Vec::with_capacity(total);
    // The constants are ASCII: "glTF", "JSON", "BIN\0". 2 is the version.
    for word in [0x4654_6c67, 2, length(total)?, length(text.len())?, 0x4e4f_534a] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(&text);
    for word in [length(binary.len())?, 0x004e_4942] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(binary);
    Ok(out)
}
