//! Rows of the controller: the input of its network for one frame, and the output for the next.
//!
//! Starke et al. 2020, *Local Motion Phases*, section 4, for any character and without a ball: trajectory, actions
//! and phases at 13 samples from a second back to a second ahead, contacts at the seven samples up to now, and the
//! state of every joint. Everything is local to the root of its own frame: the ground pose below the hips
//! ([`GroundPose`]), smoothed over time. Not in the paper: the root's own step is an output (as in Zhang et al.
//! 2018), and styles are columns.

use crate::body::{Character, GroundPose};
use glam::{Mat3, Quat, Vec2, Vec3};
use std::ops::Range;

/// Frame rate of the network, frames per second, as in the paper.
pub const FPS: f64 = 30.0;
/// Number of samples in a window.
pub const SAMPLES: usize = 13;
/// Index of the present sample.
pub const NOW: usize = 6;
/// Number of samples from the present on.
pub const AHEAD: usize = SAMPLES - NOW;
/// Number of frames between two samples.
pub const SPACING: usize = 5;
/// Trajectory columns of a sample: position, facing, velocity. Its actions follow.
pub const WAY: usize = 6;
/// Largest number of actions of a character.
pub const ACTIONS: usize = 6;
/// Increased whenever the meaning of a column changes.
pub const VERSION: u32 = 1;
/// Number of columns of a joint: position, forward and up axis, velocity.
pub const JOINT: usize = 12;

/// A sample of the path on the ground, world axes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PathSample {
    /// Position, metres; y is 0.
    pub place: Vec3,
    /// Facing direction, unit, on the ground.
    pub ahead: Vec3,
    /// Metres a second, on the ground.
    pub velocity: Vec3,
    /// Weight of each action, 0 to 1; the sum is 1.
    pub actions: [f32; ACTIONS],
}

/// State of a joint, world axes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointState {
    /// Position, metres.
    pub position: Vec3,
    /// Rotation.
    pub rotation: Quat,
    /// Velocity, metres per second.
    pub velocity: Vec3,
}

/// Column ranges of input and output rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Number of joints of the character.
    pub joints: usize,
    /// Number of its contacts.
    pub contacts: usize,
    /// Number of its limbs with phases.
    pub limbs: usize,
    /// Number of actions.
    pub actions: usize,
    /// Number of styles; a single style has no column.
    pub styles: usize,
}

impl Layout {
    /// Layout of a character.
    pub fn of(character: &Character, actions: usize, styles: usize) -> Self {
        let (contacts, limbs) = (character.contacts.len(), character.limbs().len());
        Self { joints: character.len(), contacts, limbs, actions, styles }
    }

    /// Number of columns of a path sample.
    pub fn sample(&self) -> usize {
        WAY + self.actions
    }

    /// Input: the path, [13 × sample].
    pub fn path(&self) -> Range<usize> {
        0..SAMPLES * self.sample()
    }

    /// Input: styles, one of them 1.
    pub fn style(&self) -> Range<usize> {
        after(self.path(), if self.styles > 1 { self.styles } else { 0 })
    }

    /// Input: joints, [joints × 12].
    pub fn state(&self) -> Range<usize> {
        after(self.style(), self.joints * JOINT)
    }

    /// Input: contacts up to now, [7 × contacts].
    pub fn contact(&self) -> Range<usize> {
        after(self.state(), (NOW + 1) * self.contacts)
    }

    /// Number of columns of an input row.
    pub fn input(&self) -> usize {
        self.contact().end
    }

    /// Number of columns of the gate's row: phase vectors, [13 × limbs × 2].
    pub fn gate(&self) -> usize {
        SAMPLES * self.limbs * 2
    }

    /// Output: the root's step in the frame before it: x, z metres, rotation about y in radians.
    pub fn out_root(&self) -> Range<usize> {
        0..3
    }

    /// Output: the path from now on, [7 × sample], local to the next frame's root, like all following columns.
    pub fn out_path(&self) -> Range<usize> {
        after(self.out_root(), AHEAD * self.sample())
    }

    /// Output: joints, [joints × 12].
    pub fn out_state(&self) -> Range<usize> {
        after(self.out_path(), self.joints * JOINT)
    }

    /// Output: contacts, 0 to 1.
    pub fn out_contact(&self) -> Range<usize> {
        after(self.out_state(), self.contacts)
    }

    /// Output: phase vectors from now on, then their differences from the frame before, each [7 × limbs × 2].
    pub fn out_phase(&self) -> Range<usize> {
        after(self.out_contact(), 2 * AHEAD * self.limbs * 2)
    }

    /// Number of columns of an output row.
    pub fn output(&self) -> usize {
        self.out_phase().end
    }

    /// Writes a path sample.
    pub fn write_sample(&self, root: GroundPose, sample: &PathSample, out: &mut [f32]) {
        let back = root.rotation().inverse();
        let (place, ahead, velocity) = (root.local_point(sample.place), back * sample.ahead, back * sample.velocity);
        out[..6].copy_from_slice(&[place.x, place.z, ahead.x, ahead.z, velocity.x, velocity.z]);
        out[WAY..WAY + self.actions].copy_from_slice(&sample.actions[..self.actions]);
    }

    /// Inverse of [`Layout::write_sample`]; directions are normalised, actions clamped to 0..1.
    pub fn read_sample(&self, root: GroundPose, row: &[f32]) -> PathSample {
        let turn = root.rotation();
        let ground = |at: usize| Vec3::new(row[at], 0.0, row[at + 1]);
        let mut actions = [0.0; ACTIONS];
        for (action, column) in actions.iter_mut().zip(&row[WAY..WAY + self.actions]) {
            *action = column.clamp(0.0, 1.0);
        }
        PathSample {
            place: root.world_point(ground(0)),
            ahead: turn * ground(2).try_normalize().unwrap_or(Vec3::Z),
            velocity: turn * ground(4),
            actions,
        }
    }
}

/// Writes a joint, [[`JOINT`]].
pub fn write_joint(root: GroundPose, back: Mat3, joint: &JointState, out: &mut [f32]) {
    let rotation = back * Mat3::from_quat(joint.rotation);
    (back * (joint.position - root.position)).write_to_slice(out);
    rotation.z_axis.write_to_slice(&mut out[3..]);
    rotation.y_axis.write_to_slice(&mut out[6..]);
    (back * joint.velocity).write_to_slice(&mut out[9..]);
}

/// Inverse of [`write_joint`]; the axes are made orthonormal, the forward axis keeps its direction.
pub fn read_joint(root: GroundPose, row: &[f32]) -> JointState {
    let turn = root.rotation();
    let z = Vec3::from_slice(&row[3..]).try_normalize().unwrap_or(Vec3::Z);
    let up = Vec3::from_slice(&row[6..]);
    let y = (up - z * z.dot(up)).try_normalize().unwrap_or_else(|| z.any_orthonormal_vector());
    JointState {
        position: root.position + turn * Vec3::from_slice(row),
        rotation: (turn * Quat::from_mat3(&Mat3::from_cols(y.cross(z), y, z))).normalize(),
        velocity: turn * Vec3::from_slice(&row[9..]),
    }
}

/// Rotation from the world to the frame of a root, for [`write_joint`].
pub fn back(root: GroundPose) -> Mat3 {
    Mat3::from_rotation_y(-root.heading)
}

/// Eq. 2: phase vectors of the next frame, from the predicted ones and the updated present ones. `share` is λ.
pub fn updated_phase(before: Vec2, predicted: Vec2, change: Vec2, share: f32) -> Vec2 {
    predicted * share + (before + change) * (1.0 - share)
}

fn after(before: Range<usize>, width: usize) -> Range<usize> {
    before.end..before.end + width
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{biped, dog};

    #[test]
    fn a_dog_has_the_columns_of_the_paper_and_four_limbs() {
        let layout = Layout::of(dog(), 4, 1);
        assert_eq!((layout.limbs, layout.gate()), (4, 104));
        assert_eq!(layout.input(), 13 * 10 + 25 * 12 + 7 * 4);
        assert_eq!(layout.output(), 3 + 7 * 10 + 25 * 12 + 4 + 2 * 7 * 4 * 2);
        let layout = Layout::of(biped(), 2, 7);
        assert_eq!((layout.limbs, layout.contacts, layout.style().len()), (2, 4, 7));
    }

    #[test]
    fn what_is_written_is_read_back() {
        let layout = Layout::of(dog(), 4, 1);
        let root = GroundPose { position: Vec3::new(3.0, 0.0, -2.0), heading: 2.5 };
        let sample = PathSample {
            place: Vec3::new(1.0, 0.0, 0.5),
            ahead: Vec3::new(0.6, 0.0, -0.8),
            velocity: Vec3::new(-1.0, 0.0, 2.0),
            actions: [0.25, 0.75, 0.0, 0.0, 0.0, 0.0],
        };
        let mut row = vec![0.0; layout.sample()];
        layout.write_sample(root, &sample, &mut row);
        let decoded = layout.read_sample(root, &row);
        assert!(decoded.place.distance(sample.place) < 1e-5 && decoded.ahead.distance(sample.ahead) < 1e-5);
        assert!(decoded.velocity.distance(sample.velocity) < 1e-5 && decoded.actions == sample.actions);

        let rotation = Quat::from_rotation_x(0.7) * Quat::from_rotation_z(-1.9);
        let joint = JointState { position: Vec3::new(2.0, 0.4, -1.0), rotation, velocity: Vec3::new(0.1, 0.2, 0.3) };
        let mut row = [0.0; JOINT];
        write_joint(root, back(root), &joint, &mut row);
        let decoded = read_joint(root, &row);
        assert!(decoded.position.distance(joint.position) < 1e-5 && decoded.velocity.distance(joint.velocity) < 1e-5);
        assert!(decoded.rotation.dot(rotation).abs() > 1.0 - 1e-5);
    }
}
