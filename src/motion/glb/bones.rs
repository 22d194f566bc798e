//! The mesh of a GLB: an octahedron per bone, in the style of Blender's armatures. Without a mesh, most viewers show
//! nothing for a skeleton.

use crate::motion::clip::Clip;
use glam::Vec3;

/// Triangles in bind space; vertex i follows `joints[i]` alone.
#[derive(Default)]
pub(super) struct Mesh {
    pub positions: Vec<Vec3>,
    pub joints: Vec<usize>,
    pub indices: Vec<u32>,
}

/// Bones shorter than this are left out, metres.
const SHORTEST: f32 = 1e-3;
/// A child whose distance from its parent changes by more than this is not connected by a bone, metres.
const LOOSE: f32 = 0.05;
/// Half the size of the mesh for a skeleton without bones, metres.
const MARK: f32 = 0.05;

/// `rest`: world positions of the joints at rest, metres.
pub(super) fn mesh(clip: &Clip, rest: &[Vec3]) -> Mesh {
    let joints = clip.skeleton().joints();
    let mut mesh = Mesh::default();
    for (index, joint) in joints.iter().enumerate() {
        if let Some(parent) = joint.parent.filter(|_| !is_loose(clip, index)) {
            mesh.bone(parent, rest[parent], joint.offset);
        }
        joint.end_sites.iter().for_each(|&site| mesh.bone(index, rest[index], site));
    }
    if mesh.indices.is_empty() {
        mesh.bone(0, rest[0] - Vec3::Y * MARK, Vec3::Y * (2.0 * MARK));
    }
    mesh
}

fn is_loose(clip: &Clip, joint: usize) -> bool {
    let Some(slot) = clip.skeleton().translation_slot(joint) else { return false };
    let offset = clip.skeleton().joints()[joint].offset;
    let width = clip.skeleton().translated().len();
    clip.translations().iter().skip(slot).step_by(width).any(|t| t.distance(offset) > LOOSE)
}

impl Mesh {
    /// An octahedron from `head` along `bone`, widest at a tenth of its length.
    fn bone(&mut self, joint: usize, head: Vec3, bone: Vec3) {
        let length = bone.length();
        if length < SHORTEST {
            return;
        }
        let (side, other) = (bone / length).any_orthonormal_pair();
        let (side, other) = (side * (0.1 * length), other * (0.1 * length));
        let ring = head + bone * 0.1;
        let first = self.positions.len() as u32;
        self.positions.extend([head, ring + side, ring + other, ring - side, ring - other, head + bone]);
        self.joints.extend([joint; 6]);
        for i in 0..4 {
            let (a, b) = (first + 1 + i, first + 1 + (i + 1) % 4);
            self.indices.extend([first, b, a, first + 5, a, b]);
        }
    }
}
