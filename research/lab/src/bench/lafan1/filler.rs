//! Gap fillers as methods of the LAFAN1 table: window → filler → motion on LAFAN1's own skeleton.

use crate::Outcome;
use crate::window::{JOINTS, PAST, Window, World};
use glam::{Quat, Vec2, Vec3};
use kinestitch::body::poses::Poses;
use kinestitch::body::{self, Canonical, canonical::Fit};
use kinestitch::feature::encode;
use kinestitch::method::filler::{self, BodyGap, BodyMotion, End, Gap, Motion, OptionMap, Velocity};
use kinestitch::method::frame::Frame;
use kinestitch::motion::hinge::Hinge;
use kinestitch::motion::quat::with_nearest_sign;
use kinestitch::motion::rig::{self, Rig};
use kinestitch::{Clip, Result};
use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

const FPS: f64 = 30.0;

/// Fit of LAFAN1's rig to the canonical body, from the recordings of the training subjects.
pub struct Body {
    fit: Fit,
    rig: Rig,
    /// Height of the ground, metres on the canonical body.
    ground: f32,
    /// Knees and elbows, from the recordings.
    hinges: Vec<Hinge>,
}

impl Body {
    /// Fits the body. `clips`: recordings of the training subjects. The height of the ground is the median of their
    /// grounds; the ten known frames of a window are too few to measure it.
    ///
    /// # Errors
    /// If there are no clips; the errors of [`Fit::new`] and [`Fit::convert`].
    pub fn of(clips: &[Clip]) -> Outcome<Self> {
        let first = clips.first().ok_or("no clip of the training subjects")?;
        let rig = rig::infer(first);
        let fit = Fit::new(first, &rig)?;
        let grounds: Result<Vec<f32>> = clips.iter().map(|clip| Ok(encode::ground(&fit.convert(clip)?).0)).collect();
        let mut grounds = grounds?;
        grounds.sort_by(f32::total_cmp);
        let hinges = Hinge::detect_all(&clips.iter().collect::<Vec<_>>(), &rig);
        Ok(Self { fit, rig, ground: grounds[grounds.len() / 2], hinges })
    }
}

/// A gap filler applied to LAFAN1 windows.
pub struct Filler<'a> {
    method: Arc<dyn filler::Filler>,
    body: &'a Body,
    /// Time spent in the method, and frames generated.
    pub spent: RefCell<(Duration, usize)>,
}

impl<'a> Filler<'a> {
    /// Wraps a method with its default options.
    pub fn new(method: Arc<dyn filler::Filler>, body: &'a Body) -> Self {
        Self { method, body, spent: RefCell::default() }
    }

    /// Returns the method's name in the registry.
    pub fn name(&self) -> &'static str {
        self.method.name()
    }

    /// Fills a gap. Quaternion signs continue those of the past frames, because L2Q compares quaternions with signs.
    ///
    /// # Errors
    /// Those of the method and of the body.
    pub fn fill(&self, window: &Window, gap: usize, options: &OptionMap) -> Result<World> {
        let unfilled = self.unfilled(window, gap)?;
        let body_gap = self.body_gap(&unfilled.1, gap);
        let frame =
            |index: usize| Frame { rotations: window.pose(index).to_vec(), translations: vec![window.roots[index]] };
        // The target is a single frame, so only the past frames give a velocity.
        let velocity = Velocity::between(&frame(PAST - 2), &frame(PAST - 1), 1.0);
        let ends =
            [End { pose: frame(PAST - 1), velocity: Some(velocity) }, End { pose: frame(PAST + gap), velocity: None }];
        let method = self.method.with_options(options)?;
        let clock = Instant::now();
        let motion = method.fill(&Gap {
            ends: [&ends[0], &ends[1]],
            frames: gap,
            fps: FPS,
            hinges: &self.body.hinges,
            index: 0,
            body_gap: &|| Ok(&body_gap),
        })?;
        let mut spent = self.spent.borrow_mut();
        *spent = (spent.0 + clock.elapsed(), spent.1 + gap);
        let mut world = World::default();
        match motion {
            Motion::Skeleton(frames) => {
                for (frame, reference) in frames.iter().zip(super::baseline::interpolated_rotations(window, gap)) {
                    let pairs = frame.rotations.iter().zip(&reference);
                    let signed = pairs.map(|(rotation, reference)| with_nearest_sign(*rotation, *reference));
                    world.push(&window.skeleton, frame.translations[0], &signed.collect::<Vec<_>>());
                }
            }
            Motion::Body(filled) => self.apply(window, &unfilled, &filled, &mut world)?,
        }
        Ok(world)
    }

    /// Returns the ground path of the recording from the last past frame to the target, metres on LAFAN1's skeleton.
    pub fn path(window: &Window, gap: usize) -> Vec<Vec2> {
        (PAST - 1..=PAST + gap).map(|frame| Vec2::new(window.roots[frame].x, window.roots[frame].z)).collect()
    }

    /// Returns the window as a clip, up to the target, and the same clip on the canonical body. The last past pose
    /// replaces the frames of the gap, so that the method cannot read them.
    fn unfilled(&self, window: &Window, gap: usize) -> Result<(Clip, Canonical)> {
        let frames = PAST + gap + 1;
        let (rotations, roots) = (window.rotations[..frames * JOINTS].to_vec(), window.roots[..frames].to_vec());
        let mut clip = Clip::new("window", window.skeleton.clone(), 1.0 / FPS, rotations, roots)?;
        for frame in PAST..PAST + gap {
            clip.rotations_mut()[frame * JOINTS..][..JOINTS].copy_from_slice(window.pose(PAST - 1));
            clip.translations_mut()[frame] = window.roots[PAST - 1];
        }
        let Fit { character, scale, .. } = self.body.fit;
        let canonical = Canonical { character, clip: self.body.fit.convert(&clip)?, scale };
        Ok((clip, canonical))
    }

    /// Creates the gap on the canonical body.
    fn body_gap(&self, canonical: &Canonical, gap: usize) -> BodyGap {
        let offsets: [Vec3; JOINTS] = std::array::from_fn(|joint| canonical.clip.skeleton().joints()[joint].offset);
        let past = Poses::from_clip(&canonical.clip, 0..PAST);
        let target = Poses::from_clip(&canonical.clip, PAST + gap..PAST + gap + 1);
        BodyGap { past, target, frames: gap, offsets, ground: self.body.ground, scale: canonical.scale }
    }

    /// Applies the filled gap to the window's own skeleton, and adds its frames to `world`.
    fn apply(
        &self,
        window: &Window,
        (clip, canonical): &(Clip, Canonical),
        filled: &BodyMotion,
        world: &mut World,
    ) -> Result<()> {
        let gap = filled.poses.len();
        let mut edited = canonical.clip.clone();
        edited.rotations_mut()[PAST * JOINTS..][..gap * JOINTS].copy_from_slice(&filled.poses.rotations);
        edited.translations_mut()[PAST..PAST + gap].copy_from_slice(&filled.poses.hips);
        let applied = body::apply(clip, &self.body.rig, canonical, &edited)?;
        let mut previous: Vec<Quat> = window.pose(PAST - 1).to_vec();
        for frame in PAST..PAST + gap {
            let pairs = applied.frame_rotations(frame).iter().zip(&previous);
            let pose: Vec<Quat> = pairs.map(|(rotation, previous)| with_nearest_sign(*rotation, *previous)).collect();
            world.push(&window.skeleton, applied.local_translation(frame, 0), &pose);
            previous = pose;
        }
        Ok(())
    }
}
