//! The mesh of a GLB: one octahedron for each bone, as in Blender's armatures. Without a mesh, most viewers show
//! nothing for a skeleton.

use crate::motion::clip::Clip;
use glam::Vec3;

/// Triangles in the bind pose. Vertex i follows only the joint `joints[i]`.
#[derive(Default)]
pub(super) struct Mesh {
    pub positions: Vec<Vec3>,
    pub joints: Vec<usize>,
    pub indices: Vec<u32>,
}

/// Length below which bones are left out, metres.
const MIN_BONE_LENGTH: f32 = 1e-3;
/// Largest distance of a joint from its offset, metres, at which a bone leads from its parent to the joint.
const MAX_DISPLACEMENT: f32 = 0.05;
/// Half the length of the octahedron that marks a skeleton without bones, metres.
const MARKER_SIZE: f32 = 0.05;

/// Builds the mesh. `rest_positions`: world positions of the joints at rest, metres.
pub(super) fn build_mesh(clip: &Clip, rest_positions: &[Vec3]) -> Mesh {
    let joints = clip.skeleton().joints();
    let mut mesh = Mesh::default();
    for (index, joint) in joints.iter().enumerate() {
        if let Some(parent) = joint.parent.filter(|_| !is_detached(clip, index)) {
            mesh.add_bone(parent, rest_positions[parent], joint.offset);
        }
        joint.end_sites.iter().for_each(|&site| mesh.add_bone(index, rest_positions[index], site));
    }
    if mesh.indices.is_empty() {
        mesh.add_bone(0, rest_positions[0] - Vec3::Y * MARKER_SIZE, Vec3::Y * (2.0 * MARKER_SIZE));
    }
    mesh
}

/// Returns whether a joint is farther than [`MAX_DISPLACEMENT`] from its offset in some frame.
fn is_detached(clip: &Clip, joint: usize) -> bool {
    let Some(slot) = clip.skeleton().translation_slot(joint) else { return false };
    let offset = clip.skeleton().joints()[joint].offset;
    let width = clip.skeleton().translated().len();
    clip.translations().iter().skip(slot).step_by(width).any(|t| t.distance(offset) > MAX_DISPLACEMENT)
}

impl Mesh {
    /// Adds an octahedron from `head` along `bone`, widest at a tenth of its length.
    fn add_bone(&mut self, joint: usize, head: Vec3, bone: Vec3) {
        let length = bone.length();
        if length < MIN_BONE_LENGTH {
            return;
        }
        let (side_a, side_b) = (bone / length).any_orthonormal_pair();
        let (side_a, side_b) = (side_a * (0.1 * length), side_b * (0.1 * length));
        let ring_centre = head + bone * 0.1;
        let first = self.positions.len() as u32;
        self.positions.extend([
            head,
            ring_centre + side_a,
            ring_centre + side_b,
            ring_centre - side_a,
            ring_centre - side_b,
            head + bone,
        ]);
        self.joints.extend([joint; 6]);
        for i in 0..4 {
            let (a, b) = (first + 1 + i, first + 1 + (i + 1) % 4);
            self.indices.extend([first, b, a, first + 5, a, b]);
        }
    }
}
