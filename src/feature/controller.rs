//! Rows of the controller: the input of its network for one frame, and the output for the next.
//!
//! Starke et al. 2020, *Local Motion Phases*, section 4, without the paper's columns for a basketball: trajectory,
//! actions and phases at 13 samples from one second in the past to one second in the future, contacts at the seven
//! samples up to the current frame, and the state of every joint. The columns of a frame are in its root space:
//! relative to the ground pose below the hips ([`GroundPose`]), which is smoothed over time in training data. Not in
//! the paper: the root's motion to the next frame is an output (as in Zhang et al. 2018), and styles are input columns.

use crate::body::{Character, GroundPose};
use glam::{Mat3, Quat, Vec2, Vec3};
use std::ops::Range;

/// Frame rate of the network, frames per second, as in the paper.
pub const FPS: f64 = 30.0;
/// Number of samples in a window.
pub const SAMPLES: usize = 13;
/// Index of the sample at the current frame.
pub const NOW: usize = 6;
/// Number of samples from the current frame on, the current one included.
pub const AHEAD: usize = SAMPLES - NOW;
/// Number of frames between two samples.
pub const SPACING: usize = 5;
/// Number of trajectory columns of a sample: x and z of position, facing direction and velocity. The actions follow.
pub const TRAJECTORY_WIDTH: usize = 6;
/// Largest number of actions of a character.
pub const MAX_ACTIONS: usize = 6;
/// Version of this layout, stored in weight files; increased whenever the meaning of a column changes.
pub const VERSION: u32 = 1;
/// Number of columns of a joint: position, forward axis, up axis and velocity, three each.
pub const JOINT_WIDTH: usize = 12;

/// A sample of the path on the ground, in world space.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PathSample {
    /// Position, metres; y is 0.
    pub position: Vec3,
    /// Facing direction on the ground, a unit vector.
    pub facing: Vec3,
    /// Velocity on the ground, metres per second.
    pub velocity: Vec3,
    /// Weight of each action, 0 to 1; their sum is 1, but only roughly in predictions.
    pub actions: [f32; MAX_ACTIONS],
}

/// State of a joint, in world space.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointState {
    /// Position, metres.
    pub position: Vec3,
    /// Rotation.
    pub rotation: Quat,
    /// Velocity, metres per second.
    pub velocity: Vec3,
}

/// Numbers from which the column ranges of the input and output rows of one character follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Number of joints of the character.
    pub joints: usize,
    /// Number of its contacts.
    pub contacts: usize,
    /// Number of its limbs that have a phase.
    pub limbs: usize,
    /// Number of actions.
    pub actions: usize,
    /// Number of styles. Each has an input column, unless there is only one style.
    pub styles: usize,
}

impl Layout {
    /// Creates the layout for a character.
    pub fn new(character: &Character, actions: usize, styles: usize) -> Self {
        let (contacts, limbs) = (character.contacts.len(), character.limbs().len());
        Self { joints: character.len(), contacts, limbs, actions, styles }
    }

    /// Returns the number of columns of a path sample.
    pub fn sample_width(&self) -> usize {
        TRAJECTORY_WIDTH + self.actions
    }

    /// Returns the input columns of the path, [13 × `sample_width`].
    pub fn path(&self) -> Range<usize> {
        0..SAMPLES * self.sample_width()
    }

    /// Returns the input columns of the styles; the requested style is 1, all others are 0.
    pub fn style(&self) -> Range<usize> {
        range_after(self.path(), if self.styles > 1 { self.styles } else { 0 })
    }

    /// Returns the input columns of the joints, [joints × 12].
    pub fn state(&self) -> Range<usize> {
        range_after(self.style(), self.joints * JOINT_WIDTH)
    }

    /// Returns the input columns of the contacts up to the current frame, [7 × contacts].
    pub fn contact(&self) -> Range<usize> {
        range_after(self.state(), (NOW + 1) * self.contacts)
    }

    /// Returns the number of columns of an input row.
    pub fn input_width(&self) -> usize {
        self.contact().end
    }

    /// Returns the number of columns of the gate's row: phase vectors, [13 × limbs × 2].
    pub fn gate_width(&self) -> usize {
        SAMPLES * self.limbs * 2
    }

    /// Returns the output columns of the root's motion to the next frame, in root space of the current frame: x and z
    /// in metres, rotation about y in radians.
    pub fn out_root(&self) -> Range<usize> {
        0..3
    }

    /// Returns the output columns of the path from the next frame on, [7 × `sample_width`]. These columns and those of
    /// the joints are in root space of the next frame.
    pub fn out_path(&self) -> Range<usize> {
        range_after(self.out_root(), AHEAD * self.sample_width())
    }

    /// Returns the output columns of the joints, [joints × 12].
    pub fn out_state(&self) -> Range<usize> {
        range_after(self.out_path(), self.joints * JOINT_WIDTH)
    }

    /// Returns the output columns of the contacts, 0 to 1.
    pub fn out_contact(&self) -> Range<usize> {
        range_after(self.out_state(), self.contacts)
    }

    /// Returns the output columns of the phases: vectors from the next frame on, then their changes from the current
    /// frame, each [7 × limbs × 2].
    pub fn out_phase(&self) -> Range<usize> {
        range_after(self.out_contact(), 2 * AHEAD * self.limbs * 2)
    }

    /// Returns the number of columns of an output row.
    pub fn output_width(&self) -> usize {
        self.out_phase().end
    }

    /// Converts a path sample from world space to root space of `root`, and writes it to `out`, `[sample_width]`.
    pub fn write_sample(&self, root: GroundPose, sample: &PathSample, out: &mut [f32]) {
        let to_root = root.rotation().inverse();
        let (position, facing, velocity) =
            (root.local_point(sample.position), to_root * sample.facing, to_root * sample.velocity);
        out[..TRAJECTORY_WIDTH].copy_from_slice(&[position.x, position.z, facing.x, facing.z, velocity.x, velocity.z]);
        out[TRAJECTORY_WIDTH..TRAJECTORY_WIDTH + self.actions].copy_from_slice(&sample.actions[..self.actions]);
    }

    /// Reads a path sample, the inverse of [`Layout::write_sample`]. Normalises the facing direction and clamps actions
    /// to 0..1.
    pub fn read_sample(&self, root: GroundPose, row: &[f32]) -> PathSample {
        let to_world = root.rotation();
        let ground_vector = |column: usize| Vec3::new(row[column], 0.0, row[column + 1]);
        let mut actions = [0.0; MAX_ACTIONS];
        for (action, value) in actions.iter_mut().zip(&row[TRAJECTORY_WIDTH..TRAJECTORY_WIDTH + self.actions]) {
            *action = value.clamp(0.0, 1.0);
        }
        PathSample {
            position: root.world_point(ground_vector(0)),
            facing: to_world * ground_vector(2).try_normalize().unwrap_or(Vec3::Z),
            velocity: to_world * ground_vector(4),
            actions,
        }
    }
}

/// Converts the state of a joint from world space to root space of `root`, and writes it to `out`, `[12]`. `to_root`:
/// [`world_to_root`] of `root`.
pub fn write_joint(root: GroundPose, to_root: Mat3, joint: &JointState, out: &mut [f32]) {
    let rotation = to_root * Mat3::from_quat(joint.rotation);
    (to_root * (joint.position - root.position)).write_to_slice(out);
    rotation.z_axis.write_to_slice(&mut out[3..]);
    rotation.y_axis.write_to_slice(&mut out[6..]);
    (to_root * joint.velocity).write_to_slice(&mut out[9..]);
}

/// Reads the state of a joint, the inverse of [`write_joint`]. Makes the axes orthonormal; the forward axis keeps its
/// direction.
pub fn read_joint(root: GroundPose, row: &[f32]) -> JointState {
    let to_world = root.rotation();
    let z = Vec3::from_slice(&row[3..]).try_normalize().unwrap_or(Vec3::Z);
    let up = Vec3::from_slice(&row[6..]);
    let y = (up - z * z.dot(up)).try_normalize().unwrap_or_else(|| z.any_orthonormal_vector());
    JointState {
        position: root.position + to_world * Vec3::from_slice(row),
        rotation: (to_world * Quat::from_mat3(&Mat3::from_cols(y.cross(z), y, z))).normalize(),
        velocity: to_world * Vec3::from_slice(&row[9..]),
    }
}

/// Returns the rotation from world space to root space.
pub fn world_to_root(root: GroundPose) -> Mat3 {
    Mat3::from_rotation_y(-root.heading)
}

/// Returns a phase vector of the next frame (eq. 2): the weighted mean of the `predicted` vector and of the sum of the
/// `current` vector and its predicted `change`. `weight`: weight of `predicted`, λ in the paper.
pub fn next_phase(current: Vec2, predicted: Vec2, change: Vec2, weight: f32) -> Vec2 {
    predicted * weight + (current + change) * (1.0 - weight)
}

/// Returns the range of `width` columns that follows `previous`.
fn range_after(previous: Range<usize>, width: usize) -> Range<usize> {
    previous.end..previous.end + width
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{biped, dog};

    #[test]
    fn widths_of_a_dog_and_a_biped() {
        let layout = Layout::new(dog(), 4, 1);
        assert_eq!((layout.limbs, layout.gate_width()), (4, 104));
        assert_eq!(layout.input_width(), 13 * 10 + 25 * 12 + 7 * 4);
        assert_eq!(layout.output_width(), 3 + 7 * 10 + 25 * 12 + 4 + 2 * 7 * 4 * 2);
        let layout = Layout::new(biped(), 2, 7);
        assert_eq!((layout.limbs, layout.contacts, layout.style().len()), (2, 4, 7));
    }

    #[test]
    fn samples_and_joints_are_read_as_written() {
        let layout = Layout::new(dog(), 4, 1);
        let root = GroundPose { position: Vec3::new(3.0, 0.0, -2.0), heading: 2.5 };
        let sample = PathSample {
            position: Vec3::new(1.0, 0.0, 0.5),
            facing: Vec3::new(0.6, 0.0, -0.8),
            velocity: Vec3::new(-1.0, 0.0, 2.0),
            actions: [0.25, 0.75, 0.0, 0.0, 0.0, 0.0],
        };
        let mut row = vec![0.0; layout.sample_width()];
        layout.write_sample(root, &sample, &mut row);
        let decoded = layout.read_sample(root, &row);
        assert!(decoded.position.distance(sample.position) < 1e-5 && decoded.facing.distance(sample.facing) < 1e-5);
        assert!(decoded.velocity.distance(sample.velocity) < 1e-5 && decoded.actions == sample.actions);

        let rotation = Quat::from_rotation_x(0.7) * Quat::from_rotation_z(-1.9);
        let joint = JointState { position: Vec3::new(2.0, 0.4, -1.0), rotation, velocity: Vec3::new(0.1, 0.2, 0.3) };
        let mut row = [0.0; JOINT_WIDTH];
        write_joint(root, world_to_root(root), &joint, &mut row);
        let decoded = read_joint(root, &row);
        assert!(decoded.position.distance(joint.position) < 1e-5 && decoded.velocity.distance(joint.velocity) < 1e-5);
        assert!(decoded.rotation.dot(rotation).abs() > 1.0 - 1e-5);
    }
}
