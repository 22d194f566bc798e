//! The content of an FBX file: nodes in a tree, meshes on them, and the motion of nodes. Metres.

use crate::motion::clip::Clip;
use glam::{Mat4, Quat, Vec2, Vec3};

/// Distance of a moving bone from the y of its parent at rest, relative to its length: 0.1 mm for a metre.
const DISPLACEMENT: f32 = 1e-4;

/// A node of the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Name.
    pub name: String,
    /// Index of the parent, smaller than the node's own; `None` for a root.
    pub parent: Option<usize>,
    /// Position in the parent at rest.
    pub translation: Vec3,
    /// Rotation in the parent at rest.
    pub rotation: Quat,
    /// Scale at rest.
    pub scale: Vec3,
    /// Whether the node is a bone.
    pub is_bone: bool,
}

/// Motion of a node; a part without motion keeps its value at rest.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Track {
    /// Index of the node.
    pub node: usize,
    /// Rotations in the parent, one for each frame.
    pub rotations: Option<Vec<Quat>>,
    /// Positions in the parent, one for each frame.
    pub translations: Option<Vec<Vec3>>,
}

/// A skinned mesh of triangles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Name.
    pub name: String,
    /// Positions in the bind pose, world axes.
    pub positions: Vec<Vec3>,
    /// Normals, one for each vertex, or none.
    pub normals: Vec<Vec3>,
    /// Texture coordinates, one for each vertex, or none; (0, 0) is the lower left corner.
    pub uvs: Vec<Vec2>,
    /// Vertices of the triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Bones that move the mesh.
    pub clusters: Vec<Cluster>,
    /// Base colour: red, green and blue.
    pub color: [f32; 3],
}

/// Vertices that a bone moves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cluster {
    /// Index of the bone's node.
    pub node: usize,
    /// Vertices and their weights.
    pub weights: Vec<(u32, f32)>,
    /// World transform of the bone in the bind pose.
    pub bind: Mat4,
}

/// All that an FBX file holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    /// Name of the animation.
    pub name: String,
    /// Frame rate, frames per second.
    pub fps: f64,
    /// Number of frames.
    pub frames: usize,
    /// Nodes, parents first.
    pub nodes: Vec<Node>,
    /// Motion of nodes.
    pub tracks: Vec<Track>,
    /// Skinned meshes.
    pub meshes: Vec<Mesh>,
}

impl Scene {
    /// Returns the skeleton and the motion of a clip. Several roots get a common parent.
    pub(super) fn from_clip(clip: &Clip) -> Self {
        let joints = clip.skeleton().joints();
        let has_one_root = joints.iter().filter(|joint| joint.parent.is_none()).count() == 1;
        let first = usize::from(!has_one_root);
        let at_rest = |name: &str, parent, translation, is_bone| Node {
            name: name.to_owned(),
            parent,
            translation,
            rotation: Quat::IDENTITY,
            scale: Vec3::ONE,
            is_bone,
        };
        let mut nodes = Vec::with_capacity(first + joints.len());
        if !has_one_root {
            nodes.push(at_rest(&clip.name, None, Vec3::ZERO, false));
        }
        nodes.extend(joints.iter().map(|joint| {
            let parent = joint.parent.map(|parent| parent + first).or((!has_one_root).then_some(0));
            at_rest(&joint.name, parent, joint.offset, true)
        }));
        let frames = clip.frames();
        let track = |joint: usize| Track {
            node: joint + first,
            rotations: Some((0..frames).map(|frame| clip.frame_rotations(frame)[joint]).collect()),
            translations: clip
                .skeleton()
                .translation_slot(joint)
                .map(|slot| (0..frames).map(|frame| clip.frame_translations(frame)[slot]).collect()),
        };
        let tracks = if frames > 0 { (0..joints.len()).map(track).collect() } else { Vec::new() };
        Self { name: clip.name.clone(), fps: clip.fps(), frames, nodes, tracks, meshes: Vec::new() }
    }

    /// Returns the time of the last frame, seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.frames.saturating_sub(1) as f64 / self.fps
    }

    /// Returns the small displacements of bones at rest, in their parents. Blender connects a bone to its parent, and
    /// then ignores its positions, if it lies at rest exactly along the parent's y: bones that move lie a little beside.
    pub(super) fn displacements(&self) -> Vec<Vec3> {
        let mut displacements = vec![Vec3::ZERO; self.nodes.len()];
        for track in &self.tracks {
            let node = &self.nodes[track.node];
            let length = node.translation.length();
            let is_in_line = node.translation.distance(Vec3::Y * length) < DISPLACEMENT * length;
            let moves = track.translations.as_ref().is_some_and(|all| all.iter().any(|each| *each != node.translation));
            if node.is_bone && node.parent.is_some() && is_in_line && moves {
                displacements[track.node] = Vec3::Z * 2.0 * DISPLACEMENT * length;
            }
        }
        displacements
    }

    /// Returns the world transforms of all nodes at rest, displaced.
    pub(super) fn rest(&self) -> Vec<Mat4> {
        let mut worlds: Vec<Mat4> = Vec::with_capacity(self.nodes.len());
        for (node, displacement) in self.nodes.iter().zip(self.displacements()) {
            let translation = node.translation + displacement;
            let local = Mat4::from_scale_rotation_translation(node.scale, node.rotation, translation);
            worlds.push(node.parent.map_or(local, |parent| worlds[parent] * local));
        }
        worlds
    }

    /// Returns the fault of a scene that is not consistent.
    pub(super) fn check(&self) -> Result<(), String> {
        if !(self.fps.is_finite() && self.fps > 0.0) {
            return Err(format!("a rate of {} frames per second cannot be written", self.fps));
        }
        for (index, node) in self.nodes.iter().enumerate() {
            if node.parent.is_some_and(|parent| parent >= index) {
                return Err(format!("the parent of node {index} does not come before it"));
            }
            let is_finite = node.translation.is_finite() && node.rotation.is_finite() && node.scale.is_finite();
            if !is_finite {
                return Err(format!("node {index} has a value that is not a finite number"));
            }
        }
        for track in &self.tracks {
            let lengths = [track.rotations.as_ref().map(Vec::len), track.translations.as_ref().map(Vec::len)];
            let has_node = track.node < self.nodes.len();
            if !has_node || lengths.into_iter().flatten().any(|length| length != self.frames) {
                return Err(format!("the track of node {} does not fit the scene", track.node));
            }
        }
        self.meshes.iter().try_for_each(|mesh| mesh.check(self.nodes.len()))
    }
}

impl Mesh {
    fn check(&self, nodes: usize) -> Result<(), String> {
        let vertices = self.positions.len();
        let fits = |length: usize| length == 0 || length == vertices;
        let is_vertex = |&vertex: &u32| (vertex as usize) < vertices;
        let has_vertices = self.triangles.iter().flatten().all(is_vertex);
        let has_clusters = self.clusters.iter().all(|cluster| {
            cluster.node < nodes
                && cluster.bind.is_finite()
                && cluster.weights.iter().all(|(vertex, _)| is_vertex(vertex))
        });
        match fits(self.normals.len()) && fits(self.uvs.len()) && has_vertices && has_clusters {
            true => Ok(()),
            false => Err(format!("the mesh {:?} does not fit the scene", self.name)),
        }
    }
}
