//! Clip → GLB (glTF 2.0, one binary file): a skeleton of nodes, a small mesh so that viewers show something, and one
//! animation. Metres and Y up, as glTF requires and as clips are in memory.
//!
//! The bind pose is the rest pose of the skeleton: offsets without rotations. Joints that do not move get a single
//! keyframe.

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

/// Largest distance of a joint from its parent, metres; equal to the largest value in BVH files.
pub const MAX_DISTANCE: f64 = bvh::MAX_VALUE;

/// Writes a clip as a GLB that importers read as a skinned skeleton with one animation. The animation has the name of
/// the clip, and the nodes have the names of the joints.
///
/// # Errors
/// [`Error::Glb`] if the file would be too large, the skeleton has more than 65,536 joints, a joint is more than
/// [`MAX_DISTANCE`] from its parent (the error names joint and frame), or the motion is so long that its times are not
/// finite.
pub fn write(clip: &Clip) -> Result<Vec<u8>> {
    check(clip)?;
    let joints = clip.skeleton().joints();
    let mut file = File::default();

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
    let primitive = push_primitive(&mut file, clip, &rest_positions)?;
    let inverse_bind_matrices = push_inverse_bind_matrices(&mut file, &rest_positions)?;
    let animations = if clip.frames() > 0 { Some([push_animation(&mut file, clip)?]) } else { None };
    file.align();
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
        buffers: [Buffer { byte_length: file.binary.len() }],
        buffer_views: file.views,
        accessors: file.accessors,
    };
    encode_file(&document, &file.binary)
}

/// Returns an error for values that readers do not accept.
fn check(clip: &Clip) -> Result<()> {
    let fail = |message| Err(Error::Glb { message });
    if !((clip.frames() as f64 * clip.frame_time_secs()) as f32).is_finite() {
        return fail(format!(
            "{} frames of {} s are too long for a GLB; resample the clip",
            clip.frames(),
            clip.frame_time_secs()
        ));
    }
    length_limits::describe_excess(clip, 1.0, MAX_DISTANCE, false).map_or(Ok(()), fail)
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

fn push_inverse_bind_matrices(file: &mut File, rest_positions: &[Vec3]) -> Result<usize> {
    let start = file.align();
    for p in rest_positions {
        file.push_floats(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -p.x, -p.y, -p.z, 1.0]);
    }
    file.push_accessor(start, None, Values::new(Component::F32, "MAT4", rest_positions.len()))
}

/// Writes the only primitive of the mesh. Its positions are in the bind pose; every vertex follows one joint.
fn push_primitive(file: &mut File, clip: &Clip, rest_positions: &[Vec3]) -> Result<Primitive> {
    let mesh = bones::build_mesh(clip, rest_positions);
    let count = mesh.positions.len();

    let start = file.align();
    mesh.positions.iter().for_each(|p| file.push_floats(&p.to_array()));
    let min = mesh.positions.iter().fold(Vec3::INFINITY, |min, &p| min.min(p)).to_array();
    let max = mesh.positions.iter().fold(Vec3::NEG_INFINITY, |max, &p| max.max(p)).to_array();
    let position_values = Values { min: min.to_vec(), max: max.to_vec(), ..Values::new(Component::F32, "VEC3", count) };
    let positions = file.push_accessor(start, Some(Target::Vertices), position_values)?;

    let start = file.align();
    for &joint in &mesh.joints {
        // Clips read from BVH files never have so many joints, but skeletons built by a program can.
        let joint = u16::try_from(joint).map_err(|_| Error::Glb { message: "more than 65,536 joints".to_owned() })?;
        file.binary.extend_from_slice(&joint.to_le_bytes());
        file.binary.extend_from_slice(&[0; 6]);
    }
    let joints = file.push_accessor(start, Some(Target::Vertices), Values::new(Component::U16, "VEC4", count))?;

    let start = file.align();
    mesh.joints.iter().for_each(|_| file.binary.extend_from_slice(&[255, 0, 0, 0]));
    let weight_values = Values { normalized: true, ..Values::new(Component::U8, "VEC4", count) };
    let weights = file.push_accessor(start, Some(Target::Vertices), weight_values)?;

    let start = file.align();
    mesh.indices.iter().for_each(|index| file.binary.extend_from_slice(&index.to_le_bytes()));
    let index_values = Values::new(Component::U32, "SCALAR", mesh.indices.len());
    let indices = file.push_accessor(start, Some(Target::Indices), index_values)?;
    Ok(Primitive { attributes: Attributes { positions, joints, weights }, indices, material: 0 })
}

/// Writes samplers of the rotations of all joints, and of the translations of joints that have them.
fn push_animation<'a>(file: &mut File, clip: &'a Clip) -> Result<Animation<'a>> {
    let frames = clip.frames();
    // Accessors of the time of a single keyframe and of the times of all keyframes, created when first needed.
    let (mut single_time, mut all_times) = (None, None);
    let mut times = |file: &mut File, count: usize| match if count == 1 { &mut single_time } else { &mut all_times } {
        Some(accessor) => Ok(*accessor),
        missing => push_times(file, clip, count).inspect(|&accessor| *missing = Some(accessor)),
    };
    let mut samplers = Vec::new();
    let mut channels = Vec::new();
    let mut add = |node: usize, path: &'static str, input: usize, output: usize| {
        channels.push(Channel { sampler: samplers.len(), target: AnimationTarget { node, path } });
        samplers.push(Sampler { input, output, interpolation: "LINEAR" });
    };
    for joint in 0..clip.joints() {
        let keys = clip.rotations().iter().skip(joint).step_by(clip.joints());
        let count = if keys.clone().all(|q| Some(q) == clip.rotations().get(joint)) { 1 } else { frames };
        let start = file.align();
        let mut rotation = Quat::IDENTITY;
        for &key in keys.take(count) {
            // Normalised and in the hemisphere of the previous keyframe, because importers differ in how they
            // interpolate.
            rotation = with_nearest_sign(key.normalize(), rotation);
            file.push_floats(&rotation.to_array());
        }
        let output = file.push_accessor(start, None, Values::new(Component::F32, "VEC4", count))?;
        add(joint, "rotation", times(file, count)?, output);
    }
    let translated = clip.skeleton().translated();
    for (slot, &joint) in translated.iter().enumerate() {
        let keys = clip.translations().iter().skip(slot).step_by(translated.len());
        let count = if keys.clone().all(|t| Some(t) == clip.translations().get(slot)) { 1 } else { frames };
        let start = file.align();
        keys.take(count).for_each(|key| file.push_floats(&key.to_array()));
        let output = file.push_accessor(start, None, Values::new(Component::F32, "VEC3", count))?;
        add(joint, "translation", times(file, count)?, output);
    }
    Ok(Animation { name: &clip.name, samplers, channels })
}

/// Writes the times of the first `count` frames, seconds, and returns their accessor.
fn push_times(file: &mut File, clip: &Clip, count: usize) -> Result<usize> {
    let start = file.align();
    let time = |frame: usize| (frame as f64 * clip.frame_time_secs()) as f32;
    (0..count).for_each(|frame| file.push_floats(&[time(frame)]));
    let time_values =
        Values { min: vec![0.0], max: vec![time(count - 1)], ..Values::new(Component::F32, "SCALAR", count) };
    file.push_accessor(start, None, time_values)
}

/// The binary chunk so far, and its views and accessors. Every view is aligned to four bytes.
#[derive(Default)]
struct File {
    binary: Vec<u8>,
    views: Vec<View>,
    accessors: Vec<Accessor>,
}

/// Description of an accessor's values.
struct Values {
    component: Component,
    shape: &'static str,
    count: usize,
    normalized: bool,
    min: Vec<f32>,
    max: Vec<f32>,
}

impl Values {
    fn new(component: Component, shape: &'static str, count: usize) -> Self {
        Self { component, shape, count, normalized: false, min: Vec::new(), max: Vec::new() }
    }
}

impl File {
    /// Pads the binary chunk, and returns the aligned start of the next view.
    fn align(&mut self) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        self.binary.len()
    }

    fn push_floats(&mut self, values: &[f32]) {
        for value in values {
            self.binary.extend_from_slice(&value.to_le_bytes());
        }
    }

    /// Adds a view of the bytes from `start`, and its accessor; returns the index of the accessor.
    fn push_accessor(&mut self, start: usize, target: Option<Target>, values: Values) -> Result<usize> {
        let Values { component, shape, count, normalized, min, max } = values;
        let byte_length = self.binary.len() - start;
        let (buffer_view, component_type) = (self.views.len(), component as u32);
        self.views.push(View {
            buffer: 0,
            byte_offset: start,
            byte_length,
            target: target.map(|target| target as u32),
        });
        self.accessors.push(Accessor { buffer_view, component_type, count, shape, normalized, min, max });
        // 2 GB, not the 4 GB of the format, so that this error comes before memory in wasm runs out.
        match u32::try_from(self.binary.len()) {
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
