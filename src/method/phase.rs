//! Local motion phases: the position of each limb in its cycle of contacts (Starke, Zhao, Komura, Zaman: *Local
//! Motion Phases for Learning Multi-Contact Character Movements*, SIGGRAPH 2020, section 5).
//!
//! Contacts of a joint with the ground or an object (eq. 20, [`limb`]) are normalised and low-passed (eq. 5, 6,
//! [`signal`]); a sinusoid is fitted at every frame (eq. 3, 4, [`fit`]); its phase (eq. 7), amplitude and the joint's
//! speed give a two-dimensional vector (eq. 8) that makes one rotation per cycle and shrinks to zero where the joint
//! rests.

mod butterworth;
pub mod fit;
mod limb;
pub mod seam;
pub mod signal;

use crate::error::{Error, Result, quoted};
use crate::motion::clip::Clip;
use crate::motion::rig::Rig;
use fit::Sinusoid;
use glam::{Vec2, Vec3};

/// Largest speed of a joint relative to an object that counts as touching, m/s (v_max of eq. 20).
pub const OBJECT_SPEED: f32 = 1.0;

/// A moving object beside the body: a ball, a box.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectTrack {
    /// World position in every frame of the clip, metres.
    pub positions: Vec<Vec3>,
    /// Largest distance of a joint, or the end of its bone, that counts as touching, metres: d_max of eq. 20,
    /// including the object's own radius.
    pub radius: f32,
    /// Largest relative speed that counts as touching, m/s; usually [`OBJECT_SPEED`].
    pub speed: f32,
}

/// Options of [`phases`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PhaseOptions {
    /// Names of joints or roles. They touch the object if there is one, else the ground. By default: the feet on the
    /// ground and, with an object, the hands on it; for rigs other than bipeds all feet, identified by role or else
    /// as ends of limbs that touch the ground.
    pub joints: Vec<String>,
    /// Object that the hands, or the named joints, touch.
    pub object: Option<ObjectTrack>,
}

/// Partner of a limb's contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touches {
    /// The ground.
    Ground,
    /// The object of the options.
    Object,
}

/// The phase of one joint, per frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Limb {
    /// Name as requested; else the role.
    pub name: String,
    /// Joint index.
    pub joint: usize,
    /// Partner of its contacts.
    pub touches: Touches,
    /// Whether it touches, [frames].
    pub contact: Vec<bool>,
    /// G of eq. 6: the normalised contacts, low-passed.
    pub filtered: Vec<f64>,
    /// F of eq. 3.
    pub fits: Vec<Sinusoid>,
    /// P of eq. 8, m/s: greatest speed within a cycle × amplitude × (sin φ, cos φ).
    pub vectors: Vec<Vec2>,
}

/// Phases of a clip, one limb per joint.
///
/// # Errors
/// [`Error::TooShort`] for a clip without frames; [`Error::Option`] for a joint that the clip lacks, and for an
/// object whose track has another length than the clip or is not finite, or whose radius or speed is not positive;
/// [`Error::Rig`] where no joints are named and no feet are found.
pub fn phases(clip: &Clip, rig: &Rig, options: &PhaseOptions) -> Result<Vec<Limb>> {
    if clip.frames() == 0 {
        return Err(Error::TooShort { clip: clip.name.clone(), frames: 0, needed: 1 });
    }
    if let Some(object) = &options.object {
        object.check(clip)?;
    }
    let (targets, guessed) = limb::targets(clip, rig, options)?;
    let contacts = limb::contacts_of(clip, rig, &targets, options.object.as_ref());
    let mut limbs: Vec<_> = targets.into_iter().zip(contacts).collect();
    if guessed {
        limbs.retain(|(_, (contact, _))| contact.contains(&true));
    }
    if limbs.is_empty() {
        let message =
            "no feet are known, and none are seen to touch the ground; name them in `joints`, or map its roles";
        return Err(Error::Rig { clip: clip.name.clone(), message: message.to_owned() });
    }
    let limb = |(target, (contact, track)): (limb::Target, (Vec<bool>, Vec<Vec3>))| {
        let filtered = signal::filtered(&contact, clip.fps());
        let fits = fit::fit(&filtered, clip.fps(), &signal::windows(&contact, clip.fps()));
        let vectors = vectors(&fits, &speeds(&track, clip.fps()), clip.fps());
        Limb { name: target.name, joint: target.joint, touches: target.touches, contact, filtered, fits, vectors }
    };
    Ok(limbs.into_iter().map(limb).collect())
}

/// Phase vectors (P of eq. 8) of a point, [frames], from its contacts and its world trajectory, metres.
pub fn phase_vectors(contact: &[bool], track: &[Vec3], fps: f64) -> Vec<Vec2> {
    let fits = fit::fit(&signal::filtered(contact, fps), fps, &signal::windows(contact, fps));
    vectors(&fits, &speeds(track, fps), fps)
}

impl ObjectTrack {
    fn check(&self, clip: &Clip) -> Result<()> {
        let fail = |message| Err(Error::Option { option: "object", message });
        if self.positions.len() != clip.frames() {
            let (have, frames) = (self.positions.len(), clip.frames());
            return fail(format!("its track has {have} positions, clip {} has {frames} frames", quoted(&clip.name)));
        }
        if let Some(frame) = self.positions.iter().position(|position| !position.is_finite()) {
            return fail(format!("frame {frame} of its track holds a value that is not a finite number"));
        }
        if !(self.radius.is_finite() && self.radius > 0.0 && self.speed.is_finite() && self.speed > 0.0) {
            let Self { radius, speed, .. } = self;
            return fail(format!("radius and speed must be above 0, not {radius} m and {speed} m/s"));
        }
        Ok(())
    }
}

/// Eq. 8. A cycle, Φ = 1/Δφ frames, is centred on its frame.
fn vectors(fits: &[Sinusoid], speeds: &[f32], fps: f64) -> Vec<Vec2> {
    let vector = |(frame, fit): (usize, &Sinusoid)| {
        if fit.frequency <= 0.0 {
            return Vec2::ZERO;
        }
        let half = (fps / fit.frequency / 2.0).round() as usize;
        let cycle = frame.saturating_sub(half)..(frame + half + 1).min(speeds.len());
        let fastest = speeds[cycle].iter().copied().fold(0.0, f32::max);
        let (sin, cos) = fit.phase.sin_cos();
        fastest * fit.amplitude as f32 * Vec2::new(sin as f32, cos as f32)
    };
    fits.iter().enumerate().map(vector).collect()
}

/// Speed by central differences, m/s.
fn speeds(track: &[Vec3], fps: f64) -> Vec<f32> {
    let last = track.len().saturating_sub(1);
    let speed = |frame: usize| {
        let (before, after) = (frame.saturating_sub(1), (frame + 1).min(last));
        track[after].distance(track[before]) * fps as f32 / (after - before).max(1) as f32
    };
    (0..track.len()).map(speed).collect()
}
