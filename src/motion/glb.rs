//! Clip → GLB (glTF 2.0, one binary file): a skeleton of nodes, a light mesh so that viewers show something, one
//! animation. Metres, Y up, as glTF asks and as clips are in memory.
//!
//! The bind pose is the rest pose of the skeleton: offsets, no rotation. Joints that do not move get a single key.

mod bones;
mod document;

use self::document::{
    Accessor, Animated, Animation, Asset, Attributes, Buffer, Channel, Component, Document, Material, Mesh, Node,
    Primitive, Sampler, Scene, Skin, Surface, Target, View,
};
use crate::error::{Error, Result};
use crate::motion::bvh;
use crate::motion::clip::Clip;
use crate::motion::length_limits;
use crate::motion::quat::with_nearest_sign;
use glam::{Quat, Vec3};

/// Largest distance of a joint from its parent, metres; equal to the largest value in BVH files.
pub const MAX_DISTANCE: f64 = bvh::MAX_VALUE;

/// Writes a clip as a GLB that importers read as a skinned skeleton with one animation of the clip's name. Node names
/// are the joint names as in the file.
///
/// # Errors
/// [`Error::Glb`] if the result would exceed the format's 4 GB, a joint is more than [`MAX_DISTANCE`] from its parent
/// (the error names joint and frame), or the motion is so long that its times are not finite.
pub fn write(clip: &Clip) -> Result<Vec<u8>> {
    check(clip)?;
    let joints = clip.skeleton().joints();
    let mut file = File::default();

    // Nodes 0..joints are the joints; then the armature that holds the roots, then the mesh.
    let (armature, mesh) = (joints.len(), joints.len() + 1);
    let mut children = vec![Vec::new(); joints.len() + 1];
    for (index, joint) in joints.iter().enumerate() {
        children[joint.parent.unwrap_or(armature)].push(index);
    }
    let named =
        joints.iter().map(|joint| (joint.name.as_str(), joint.offset)).chain([(clip.name.as_str(), Vec3::ZERO)]);
    let mut nodes: Vec<Node> =
        named.zip(&children).map(|((name, offset), children)| node(name, children, offset)).collect();
    nodes.push(Node { name: "Bones", mesh: Some(0), skin: Some(0), ..Node::default() });

    let rest = rest_positions(clip);
    let primitive = primitive(&mut file, clip, &rest)?;
    let inverse_bind_matrices = inverse_bind_matrices(&mut file, &rest)?;
    let animations = if clip.frames() > 0 { Some([animation(&mut file, clip)?]) } else { None };
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
            pbr_metallic_roughness: Surface {
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

/// Refuses values that readers do not accept.
fn check(clip: &Clip) -> Result<()> {
    let fail = |message| Err(Error::Glb { message });
    if !((clip.frames() as f64 * clip.frame_time_secs()) as f32).is_finite() {
        return fail(format!("{} frames of {} s last too long; resample them", clip.frames(), clip.frame_time_secs()));
    }
    length_limits::describe_excess(clip, 1.0, MAX_DISTANCE, false).map_or(Ok(()), fail)
}

fn node<'a>(name: &'a str, children: &'a [usize], offset: Vec3) -> Node<'a> {
    let translation = (offset != Vec3::ZERO).then(|| offset.to_array());
    Node { name, children, translation, ..Node::default() }
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
    let start = file.align();
    for p in rest {
        file.floats(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -p.x, -p.y, -p.z, 1.0]);
    }
    file.accessor(start, None, Values::new(Component::F32, "MAT4", rest.len()))
}

/// The one primitive of the mesh. Positions in bind space; every vertex follows one joint.
fn primitive(file: &mut File, clip: &Clip, rest: &[Vec3]) -> Result<Primitive> {
    let mesh = bones::mesh(clip, rest);
    let count = mesh.positions.len();

    let start = file.align();
    mesh.positions.iter().for_each(|p| file.floats(&p.to_array()));
    let low = mesh.positions.iter().fold(Vec3::INFINITY, |low, &p| low.min(p)).to_array();
    let high = mesh.positions.iter().fold(Vec3::NEG_INFINITY, |high, &p| high.max(p)).to_array();
    let bounded = Values { min: low.to_vec(), max: high.to_vec(), ..Values::new(Component::F32, "VEC3", count) };
    let positions = file.accessor(start, Some(Target::Vertices), bounded)?;

    let start = file.align();
    for &joint in &mesh.joints {
        // The BVH parser limits files to fewer joints; larger skeletons made in code are refused here.
        let joint = u16::try_from(joint).map_err(|_| Error::Glb { message: "more than 65,536 joints".to_owned() })?;
        file.binary.extend_from_slice(&joint.to_le_bytes());
        file.binary.extend_from_slice(&[0; 6]);
    }
    let joints = file.accessor(start, Some(Target::Vertices), Values::new(Component::U16, "VEC4", count))?;

    let start = file.align();
    mesh.joints.iter().for_each(|_| file.binary.extend_from_slice(&[255, 0, 0, 0]));
    let shares = Values { normalized: true, ..Values::new(Component::U8, "VEC4", count) };
    let weights = file.accessor(start, Some(Target::Vertices), shares)?;

    let start = file.align();
    mesh.indices.iter().for_each(|index| file.binary.extend_from_slice(&index.to_le_bytes()));
    let corners = Values::new(Component::U32, "SCALAR", mesh.indices.len());
    let indices = file.accessor(start, Some(Target::Indices), corners)?;
    Ok(Primitive { attributes: Attributes { positions, joints, weights }, indices, material: 0 })
}

/// Rotation samplers for all joints, translation samplers for the translated ones.
fn animation<'a>(file: &mut File, clip: &'a Clip) -> Result<Animation<'a>> {
    let frames = clip.frames();
    // Accessors of the times of a single key and of all keys, created when first needed.
    let (mut one, mut all) = (None, None);
    let mut times = |file: &mut File, count: usize| match if count == 1 { &mut one } else { &mut all } {
        Some(made) => Ok(*made),
        wanted => times(file, clip, count).inspect(|&made| *wanted = Some(made)),
    };
    let mut samplers = Vec::new();
    let mut channels = Vec::new();
    let mut add = |node: usize, path: &'static str, input: usize, output: usize| {
        channels.push(Channel { sampler: samplers.len(), target: Animated { node, path } });
        samplers.push(Sampler { input, output, interpolation: "LINEAR" });
    };
    for joint in 0..clip.joints() {
        let keys = clip.rotations().iter().skip(joint).step_by(clip.joints());
        let count = if keys.clone().all(|q| Some(q) == clip.rotations().get(joint)) { 1 } else { frames };
        let start = file.align();
        let mut last = Quat::IDENTITY;
        for &key in keys.take(count) {
            // Normalised and in the hemisphere of the key before: importers differ in how they interpolate.
            let key = key.normalize();
            last = with_nearest_sign(key, last);
            file.floats(&last.to_array());
        }
        let output = file.accessor(start, None, Values::new(Component::F32, "VEC4", count))?;
        add(joint, "rotation", times(file, count)?, output);
    }
    let moving = clip.skeleton().translated();
    for (slot, &joint) in moving.iter().enumerate() {
        let keys = clip.translations().iter().skip(slot).step_by(moving.len());
        let count = if keys.clone().all(|t| Some(t) == clip.translations().get(slot)) { 1 } else { frames };
        let start = file.align();
        keys.take(count).for_each(|key| file.floats(&key.to_array()));
        let output = file.accessor(start, None, Values::new(Component::F32, "VEC3", count))?;
        add(joint, "translation", times(file, count)?, output);
    }
    Ok(Animation { name: &clip.name, samplers, channels })
}

/// Accessor of the times of the first `count` frames, seconds.
fn times(file: &mut File, clip: &Clip, count: usize) -> Result<usize> {
    let start = file.align();
    let time = |frame: usize| (frame as f64 * clip.frame_time_secs()) as f32;
    (0..count).for_each(|frame| file.floats(&[time(frame)]));
    let bounded = Values { min: vec![0.0], max: vec![time(count - 1)], ..Values::new(Component::F32, "SCALAR", count) };
    file.accessor(start, None, bounded)
}

/// The binary chunk, and its views and accessors. Every view is aligned to four bytes.
#[derive(Default)]
struct File {
    binary: Vec<u8>,
    views: Vec<View>,
    accessors: Vec<Accessor>,
}

/// Type of the values of an accessor.
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
    /// Aligned start of the next view.
    fn align(&mut self) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        self.binary.len()
    }

    fn floats(&mut self, values: &[f32]) {
        for value in values {
            self.binary.extend_from_slice(&value.to_le_bytes());
        }
    }

    /// Makes the bytes since `start` a view with one accessor; returns the accessor's index.
    fn accessor(&mut self, start: usize, target: Option<Target>, values: Values) -> Result<usize> {
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
        // Far below 4 GB, so that the limit of the format is reported before memory in wasm runs out.
        match u32::try_from(self.binary.len()) {
            Ok(length) if length < u32::MAX / 2 => Ok(self.accessors.len() - 1),
            _ => Err(Error::Glb { message: "the motion is too long for one file; trim it".to_owned() }),
        }
    }
}

/// Header, JSON chunk, binary chunk (glTF 2.0, section 4.4).
fn encode_file(document: &Document, binary: &[u8]) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec(document).map_err(|error| Error::Glb { message: error.to_string() })?;
    text.resize(text.len().next_multiple_of(4), b' ');

    let length = |bytes: usize| {
        u32::try_from(bytes).map_err(|_| Error::Glb { message: "the file would be larger than 4 GB".to_owned() })
    };
    let total = 12 + 8 + text.len() + 8 + binary.len();
    let mut out = Vec::with_capacity(total);
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
