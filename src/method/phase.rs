//! Local motion phases: the position of each limb in its cycle of contacts (Starke, Zhao, Komura, Zaman: *Local
//! Motion Phases for Learning Multi-Contact Character Movements*, SIGGRAPH 2020, section 5).
//!
//! Contacts of a joint with the ground or an object (eq. 20, `limb`) are normalised and low-passed (eq. 5, 6,
//! [`signal`]); a sinusoid is fitted at every frame (eq. 3, 4, [`fit`]); its phase (eq. 7), amplitude and the joint's
//! speed give a two-dimensional vector (eq. 8), which rotates once per cycle and shrinks to zero while the joint rests.

pub mod butterworth;
pub mod fit;
mod limb;
pub mod signal;

use crate::error::{Error, Result, quoted};
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use fit::Sinusoid;
use glam::{Vec2, Vec3};

/// Largest speed of a joint relative to an object that it touches, metres per second (v_max of eq. 20).
pub const OBJECT_SPEED: f32 = 1.0;

/// A moving object near the body, such as a ball or a box.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectTrack {
    /// World position in every frame of the clip, metres.
    pub positions: Vec<Vec3>,
    /// Largest distance from the object's centre at which a joint, or the end of its bone, touches the object, metres
    /// (d_max of eq. 20). It includes the radius of the object.
    pub radius: f32,
    /// Largest relative speed at which a joint touches the object, metres per second; by default [`OBJECT_SPEED`].
    pub speed: f32,
}

/// Options of [`phases`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PhaseOptions {
    /// Names of joints or roles. Named joints touch the object if there is one, else the ground. If no names are given,
    /// the joints are the feet, which touch the ground, and, if there is an object, the hands, which touch the object.
    /// In rigs other than bipeds, hands are front feet, and touch the ground, too. If such a rig lacks a role of a foot
    /// or hand, the joints are all ends of limbs that touch the ground, and the object has no effect.
    pub joints: Vec<String>,
    /// Object that the hands, or the named joints, touch.
    pub object: Option<ObjectTrack>,
}

/// Surface that a limb touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactSurface {
    /// The ground.
    Ground,
    /// The object of the options.
    Object,
}

/// The phases of one joint in all frames.
#[derive(Debug, Clone, PartialEq)]
pub struct Limb {
    /// Name as in the options; by default the name of the role or of the joint.
    pub name: String,
    /// Joint index.
    pub joint: usize,
    /// Surface that the joint touches.
    pub touches: ContactSurface,
    /// Whether the joint is in contact, `[frames]`.
    pub contact: Vec<bool>,
    /// Normalised contacts after the low-pass, `[frames]` (G of eq. 6).
    pub filtered: Vec<f64>,
    /// Fitted sinusoids, `[frames]` (F of eq. 3).
    pub fits: Vec<Sinusoid>,
    /// Phase vectors, `[frames]`, metres per second: highest speed within a cycle × amplitude × (sin φ, cos φ) (P of
    /// eq. 8).
    pub vectors: Vec<Vec2>,
}

/// Computes the phases of a clip, one limb per joint.
///
/// # Errors
/// [`Error::TooShort`] for a clip without frames; [`Error::Option`] for a joint that the clip lacks, and for an
/// object whose track has another length than the clip or is not finite, or whose radius or speed is not positive;
/// [`Error::Rig`] if no joints are named and no feet are found.
pub fn phases(clip: &Clip, rig: &Rig, options: &PhaseOptions) -> Result<Vec<Limb>> {
    if clip.frames() == 0 {
        return Err(Error::TooShort { clip: clip.name.clone(), frames: 0, needed: 1 });
    }
    if let Some(object) = &options.object {
        object.check(clip)?;
    }
    let (joints, are_guesses) = limb::select_joints(clip, rig, options)?;
    let contacts = limb::detect_joint_contacts(clip, rig, &joints, options.object.as_ref());
    let mut limbs: Vec<_> = joints.into_iter().zip(contacts).collect();
    if are_guesses {
        limbs.retain(|(_, (contact, _))| contact.contains(&true));
    }
    if limbs.is_empty() {
        let message = "the rig has no feet, and no end of a limb touches the ground; name the joints in `joints`, or \
                       map the roles";
        return Err(Error::Rig { clip: clip.name.clone(), message: message.to_owned() });
    }
    let limb = |(joint, (contact, track)): (limb::PhaseJoint, (Vec<bool>, Vec<Vec3>))| {
        let filtered = signal::contact_signal(&contact, clip.fps());
        let fits = fit::fit(&filtered, clip.fps(), &signal::windows(&contact, clip.fps()));
        let vectors = vectors(&fits, &speeds(&track, clip.fps()), clip.fps());
        Limb { name: joint.name, joint: joint.joint, touches: joint.touches, contact, filtered, fits, vectors }
    };
    Ok(limbs.into_iter().map(limb).collect())
}

/// Computes the phase vectors of a point, `[frames]`, metres per second (P of eq. 8). `contact`: whether the point is
/// in contact. `track`: world positions, metres.
pub fn phase_vectors(contact: &[bool], track: &[Vec3], fps: f64) -> Vec<Vec2> {
    let fits = fit::fit(&signal::contact_signal(contact, fps), fps, &signal::windows(contact, fps));
    vectors(&fits, &speeds(track, fps), fps)
}

impl ObjectTrack {
    fn check(&self, clip: &Clip) -> Result<()> {
        let fail = |message| Err(Error::Option { option: "object", message });
        if self.positions.len() != clip.frames() {
            let (positions, frames) = (self.positions.len(), clip.frames());
            return fail(format!(
                "its track has {positions} positions, clip {} has {frames} frames",
                quoted(&clip.name)
            ));
        }
        if let Some(frame) = self.positions.iter().position(|position| !position.is_finite()) {
            return fail(format!("frame {frame} of its track holds a value that is not a finite number"));
        }
        if !(self.radius.is_finite() && self.radius > 0.0 && self.speed.is_finite() && self.speed > 0.0) {
            let Self { radius, speed, .. } = self;
            return fail(format!("radius and speed must be greater than 0, not {radius} m and {speed} m/s"));
        }
        Ok(())
    }
}

/// Computes phase vectors (eq. 8). The cycle of a frame, Φ = 1/Δφ frames, is centred on the frame.
fn vectors(fits: &[Sinusoid], speeds: &[f32], fps: f64) -> Vec<Vec2> {
    let vector = |(frame, fit): (usize, &Sinusoid)| {
        if fit.frequency <= 0.0 {
            return Vec2::ZERO;
        }
        let half_cycle = (fps / fit.frequency / 2.0).round() as usize;
        let cycle = frame.saturating_sub(half_cycle)..(frame + half_cycle + 1).min(speeds.len());
        let fastest = speeds[cycle].iter().copied().fold(0.0, f32::max);
        let (sin, cos) = fit.phase.sin_cos();
        fastest * fit.amplitude as f32 * Vec2::new(sin as f32, cos as f32)
    };
    fits.iter().enumerate().map(vector).collect()
}

/// Computes speeds by central differences, metres per second.
fn speeds(track: &[Vec3], fps: f64) -> Vec<f32> {
    let last = track.len().saturating_sub(1);
    let speed = |frame: usize| {
        let (previous, next) = (frame.saturating_sub(1), (frame + 1).min(last));
        track[next].distance(track[previous]) * fps as f32 / (next - previous).max(1) as f32
    };
    (0..track.len()).map(speed).collect()
}
