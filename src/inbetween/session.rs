//! Keys prepared once and solved repeatedly while one of them is moved.

use super::feet::Limbs;
use super::floor::Floor;
use super::gap::{Filled, Window, fill, questions};
use super::hands::{self, Hands};
use super::key::{Key, Piece, check, piece};
use super::{Gap, Inbetween, InbetweenOptions, feet, gap};
use crate::body::GroundPose;
use crate::body::canonical::Fit;
use crate::error::{Error, Result, quoted};
use crate::method::filler::Filler;
use crate::metrics;
use crate::motion::clip::Clip;
use crate::motion::contact::{Legs, detect_contacts};
use crate::motion::extrapolate::extrapolate_placement;
use crate::motion::foot_hold::MAX_DISPLACEMENT;
use crate::motion::hinge::Hinge;
use crate::motion::retarget::retarget;
use crate::motion::rig::{Rig, RigKind};
use crate::motion::root::{GroundTransform, Root, wrap};
use crate::motion::root_convention::adopt_root_convention;
use crate::progress::{Progress, Stage};
use std::borrow::Cow;
use std::ops::Range;
use std::slice::Iter;
use std::sync::Arc;

/// The keys of one motion, prepared for repeated solving while one of them is dragged. Solving again needs no more
/// memory.
#[derive(Debug, Clone)]
pub struct Session {
    pub(super) pieces: Vec<Piece>,
    at: Vec<Option<GroundPose>>,
    frames: Vec<usize>,
    pub(super) rig: Rig,
    pub(super) root: Root,
    pub(super) hinges: Vec<Hinge>,
    /// Fit of the rig to the canonical body, for networks.
    pub(super) fit: Result<Fit>,
    /// Largest step of any joint in the keys, metres per frame.
    pub(super) fastest: f32,
    /// Largest joint jerk in the keys, m/s³.
    pub(super) peak_jerk: f32,
    legs: Option<Legs>,
    hands: Option<Hands>,
    floor: Option<Floor>,
    knees: [Option<Hinge>; 2],
    foot_lock: bool,
    name: String,
    warnings: Vec<String>,
}

impl Session {
    /// Retargets and resamples the keys.
    ///
    /// # Errors
    /// Those of [`super::inbetween`].
    pub fn new(keys: &[Key], options: &InbetweenOptions, progress: &mut Progress) -> Result<Self> {
        let [first, _, ..] = keys else {
            let message = format!("at least two keys are needed, not {}", keys.len());
            return Err(Error::Option { option: "keys", message });
        };
        keys.iter().enumerate().try_for_each(|(index, key)| key.check(index))?;
        let frames = gap_lengths(keys.len() - 1, &options.frames)?;

        let mut warnings = Vec::new();
        let fps = options.fps.unwrap_or(first.clip.fps());
        let first_root = Root::new(first.clip.skeleton(), &[first.clip], first.rig);
        let mut sources: Vec<(&Clip, Cow<Clip>)> = Vec::new();
        for (index, key) in keys.iter().enumerate() {
            progress.at(Stage::Align, index as f32 / keys.len() as f32)?;
            if sources.iter().all(|(clip, _)| !std::ptr::eq(*clip, key.clip)) {
                sources.push((key.clip, on_first_skeleton(key, first, &first_root)?));
            }
        }
        let clips: Vec<&Clip> = sources.iter().map(|(_, clip)| clip.as_ref()).collect();
        let root = Root::new(first.clip.skeleton(), &clips, first.rig);
        if let Some(joint) = root.find_unwritable_carrier(first.clip.skeleton()) {
            warnings.push(format!(
                "root {} has no channels for all positions and rotations: a BVH file cannot hold where the keys stand",
                quoted(&first.clip.skeleton().joints()[joint].name)
            ));
        }
        let touches: Vec<_> = clips.iter().map(|clip| detect_contacts(clip, first.rig)).collect();
        let hands = Hands::new(&clips, first.rig);
        let mut pieces = Vec::with_capacity(keys.len());
        for key in keys {
            let source = sources.iter().position(|(clip, _)| std::ptr::eq(*clip, key.clip)).unwrap_or(0);
            let contacts = (&touches[source], hands.as_ref().map(|hands| &hands.contacts[source]));
            pieces.push(piece(clips[source], contacts, key.frames.clone(), source, fps)?);
        }
        let legs = Legs::detect(first.clip, first.rig);
        let knee = |side: usize| legs.as_ref().and_then(|legs| Hinge::detect(&clips, legs.chain[side]));
        let name = options.name.clone().unwrap_or_else(|| {
            let names = sources.iter().map(|(clip, _)| clip.name.as_str());
            names.collect::<Vec<_>>().join(" + ")
        });
        Ok(Self {
            at: keys.iter().map(|key| key.at).collect(),
            frames,
            rig: first.rig.clone(),
            hinges: Hinge::detect_all(&clips, first.rig),
            fit: biped(first.clip, first.rig),
            fastest: pieces.iter().map(|piece| metrics::largest_step(&piece.clip)).fold(0.0, f32::max),
            knees: [knee(0), knee(1)],
            peak_jerk: pieces.iter().map(|piece| gap::peak_jerk(&piece.clip)).fold(0.0, f32::max),
            root,
            hands,
            floor: Floor::new(&clips, first.rig),
            legs,
            foot_lock: options.foot_lock,
            name,
            warnings,
            pieces,
        })
    }

    /// Moves a key; `None` places it as in its clip, or by extrapolating the motion.
    ///
    /// # Errors
    /// [`Error::Option`] for a key that does not exist, or a ground pose that is not finite.
    pub fn place(&mut self, key: usize, at: Option<GroundPose>) -> Result<()> {
        at.as_ref().map_or(Ok(()), |at| check(at, key))?;
        let count = self.at.len();
        let Some(slot) = self.at.get_mut(key) else {
            return Err(Error::Option { option: "key", message: format!("there is no key {key}, only {count}") });
        };
        *slot = at;
        Ok(())
    }

    /// Sets the number of frames of a gap.
    ///
    /// # Errors
    /// [`Error::Option`] for a gap that does not exist, or a number outside [`super::GAP_FRAMES`].
    pub fn set_frames(&mut self, gap: usize, frames: usize) -> Result<()> {
        gap::check(frames)?;
        let count = self.frames.len();
        let Some(slot) = self.frames.get_mut(gap) else {
            return Err(Error::Option { option: "gap", message: format!("there is no gap {gap}, only {count}") });
        };
        *slot = frames;
        Ok(())
    }

    /// Number of keys.
    pub fn keys(&self) -> usize {
        self.pieces.len()
    }

    /// Fixes every key at its present ground pose. Later changes of the durations of gaps do not move it.
    pub fn stay(&mut self) {
        let poses = self.ground_poses();
        for index in 1..self.pieces.len() {
            let follows_other_key = self.pieces[..index].iter().any(|other| other.source == self.pieces[index].source);
            if self.at[index].is_none() && !follows_other_key {
                self.at[index] = Some(poses[index]);
            }
        }
    }

    /// Returns the ground pose of each key.
    pub fn ground_poses(&self) -> Vec<GroundPose> {
        self.ground_poses_of(&self.placed())
    }

    fn ground_poses_of(&self, placed: &[Clip]) -> Vec<GroundPose> {
        let poses = placed.iter().zip(&self.pieces).map(|(clip, piece)| self.root.pose(clip, piece.key.start));
        poses.map(|pose| GroundPose::new(pose.world_position.x, pose.world_position.z, pose.heading())).collect()
    }

    /// Makes the motion through all keys.
    ///
    /// # Errors
    /// [`Error::Option`] for options of the filler that do not suit the keys, [`Error::Rig`] if a network is given
    /// a rig that is not a biped, [`Error::Aborted`] if `progress` aborts.
    pub fn solve(&self, filler: &dyn Filler, progress: &mut Progress) -> Result<Inbetween> {
        self.solve_with(&[filler], None, progress)
    }

    /// Makes the motion like [`Session::solve`], with one filler for each gap.
    pub(super) fn solve_each(&self, fillers: &[&dyn Filler], progress: &mut Progress) -> Result<Inbetween> {
        self.solve_with(fillers, None, progress)
    }

    /// Input rows of all gaps for a GPU, see [`Session::solve_answered`]; empty if the method runs on the CPU
    /// only.
    ///
    /// # Errors
    /// Those of [`Session::solve`].
    pub fn questions(&self, filler: &dyn Filler) -> Result<Vec<Vec<f32>>> {
        filler.check(self.pieces.len())?;
        let placed = self.placed();
        let gaps = (0..self.frames.len())
            .map(|gap| questions(self, &self.window(&placed, gap), gap, self.frames[gap], filler));
        Ok(gaps.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// Makes the motion like [`Session::solve`], from the network's outputs for [`Session::questions`], in their order.
    ///
    /// # Errors
    /// Those of [`Session::solve`], and [`Error::Device`] if an answer is missing or has another length.
    pub fn solve_answered(
        &self,
        filler: &dyn Filler,
        answers: &[Vec<f32>],
        progress: &mut Progress,
    ) -> Result<Inbetween> {
        self.solve_with(&[filler], Some(answers.iter()), progress)
    }

    fn window<'a>(&'a self, placed: &'a [Clip], gap: usize) -> Window<'a> {
        Window { clips: [&placed[gap], &placed[gap + 1]], pieces: [&self.pieces[gap], &self.pieces[gap + 1]] }
    }

    /// Makes the motion. `fillers`: one for all gaps, or one for each gap. `answers`: outputs of the network on a GPU.
    fn solve_with(
        &self,
        fillers: &[&dyn Filler],
        mut answers: Option<Iter<'_, Vec<f32>>>,
        progress: &mut Progress,
    ) -> Result<Inbetween> {
        fillers.iter().try_for_each(|filler| filler.check(self.pieces.len()))?;
        let placed = self.placed();
        let first = &placed[0];
        let (mut rotations, mut translations) = (Vec::new(), Vec::new());
        let (mut keys, mut gaps, mut footings) = (Vec::new(), Vec::new(), Vec::new());
        let mut warnings = self.warnings.clone();
        for (index, (clip, piece)) in placed.iter().zip(&self.pieces).enumerate() {
            progress.at(Stage::Blend, index as f32 / placed.len() as f32)?;
            if let Some(before) = index.checked_sub(1) {
                let (window, frames) = (self.window(&placed, before), self.frames[before]);
                let filler = fillers[before.min(fillers.len() - 1)];
                let filled = fill(self, &window, before, frames, filler, answers.as_mut())?;
                if filled.method != filler.name() {
                    let message = "the network's motion was implausibly fast; inertialized instead";
                    warnings.push(format!("gap {before}: {message}"));
                }
                let start = rotations.len() / first.joints();
                rotations.extend_from_slice(filled.clip.rotations());
                translations.extend_from_slice(filled.clip.translations());
                gaps.push(to_report(&filled, start..start + frames));
                footings.push(filled.footing);
            }
            let start = rotations.len() / first.joints();
            keys.push(start..start + piece.key.len());
            let own = clip.trimmed(piece.key.clone())?;
            rotations.extend_from_slice(own.rotations());
            translations.extend_from_slice(own.translations());
        }
        let skeleton = Arc::clone(first.skeleton());
        let mut clip = Clip::new(self.name.clone(), skeleton, first.frame_time_secs(), rotations, translations)?;
        self.finish(&mut clip, &mut gaps, &footings, progress)?;
        Ok(Inbetween { clip, keys, ground_poses: self.ground_poses_of(&placed), gaps, warnings })
    }

    /// Pins the feet and measures the gaps.
    fn finish(
        &self,
        clip: &mut Clip,
        gaps: &mut [Gap],
        footings: &[feet::Footing],
        progress: &mut Progress,
    ) -> Result<()> {
        let ground = feet::ground(&self.pieces);
        for (index, gap) in gaps.iter_mut().enumerate() {
            progress.at(Stage::FootLock, index as f32 / self.frames.len() as f32)?;
            if self.foot_lock {
                self.hold(clip, &gap.range, index, &footings[index])?;
            }
            gap::measure(gap, clip, &self.rig, ground);
        }
        progress.at(Stage::FootLock, 1.0)
    }

    /// Pins feet and hands in gap `index`, at the frames `gap` of the clip, and keeps limbs above the floor.
    fn hold(&self, clip: &mut Clip, gap: &Range<usize>, index: usize, footing: &feet::Footing) -> Result<()> {
        let ends = [&self.pieces[index], &self.pieces[index + 1]];
        if let Some(legs) = &self.legs {
            let contacts = ends.map(|end| &end.contacts);
            let limbs = Limbs { legs, hinges: &self.knees, contacts, farthest: MAX_DISPLACEMENT };
            feet::pin(clip, gap, &limbs, ends, footing, self.peak_jerk)?;
        }
        if let (Some(hands), [Some(first), Some(second)]) = (&self.hands, ends.map(|end| end.hand_contacts.as_ref())) {
            let contacts = [first, second];
            let limbs = Limbs { legs: &hands.arms, hinges: &hands.elbows, contacts, farthest: hands::FARTHEST };
            feet::pin(clip, gap, &limbs, ends, &Hands::footing(gap.len()), self.peak_jerk)?;
        }
        match &self.floor {
            Some(floor) => floor.lift(clip, gap),
            None => Ok(()),
        }
    }

    /// Returns the transform that moves a key's first frame to a ground pose.
    fn transform_to(&self, piece: &Piece, at: &GroundPose) -> GroundTransform {
        let now = self.root.pose(&piece.clip, piece.key.start);
        GroundTransform::from_points(now.world_position, at.position, wrap(at.heading - now.heading()))
    }

    /// Returns the clip of each key, placed on the ground.
    pub(super) fn placed(&self) -> Vec<Clip> {
        let mut placements: Vec<Option<GroundTransform>> = Vec::with_capacity(self.pieces.len());
        let mut placed: Vec<Clip> = Vec::with_capacity(self.pieces.len());
        for (index, piece) in self.pieces.iter().enumerate() {
            let same_clip = self.pieces[..index].iter().rposition(|other| other.source == piece.source);
            let placement = match (&self.at[index], same_clip) {
                (Some(at), _) => Some(self.transform_to(piece, at)),
                (None, Some(other)) => placements[other],
                (None, None) if index == 0 => None,
                (None, None) => {
                    let (before, clip) = (&self.pieces[index - 1], &placed[index - 1]);
                    Some(extrapolate_placement(
                        clip,
                        before.key.end - 1,
                        &piece.clip,
                        piece.key.start,
                        &self.root,
                        self.frames[index - 1],
                    ))
                }
            };
            let mut clip = piece.clip.clone();
            if let Some(placement) = &placement {
                self.root.place(&mut clip, placement);
            }
            placements.push(placement);
            placed.push(clip);
        }
        placed
    }
}

fn to_report(made: &Filled, range: Range<usize>) -> Gap {
    Gap {
        method: made.method,
        range,
        key_error_cm: made.key_error_cm,
        key_error_degrees: made.key_error_degrees,
        foot_skate: 0.0,
        peak_jerk: 0.0,
        trials: Vec::new(),
    }
}

/// Fit of a rig to the canonical biped, the only body that networks support.
fn biped(clip: &Clip, rig: &Rig) -> Result<Fit> {
    if rig.kind != RigKind::Biped {
        let message = "a network needs a biped: map hips, legs and feet, or use \"inertialize\"".to_owned();
        return Err(Error::Rig { clip: clip.name.clone(), message });
    }
    Fit::new(clip, rig)
}

/// Returns the number of frames of each gap. `frames`: one number for all gaps, or one for each.
fn gap_lengths(gaps: usize, frames: &[usize]) -> Result<Vec<usize>> {
    let frames = match frames {
        [all] => vec![*all; gaps],
        each => each.to_vec(),
    };
    if frames.len() != gaps {
        let message = format!("{gaps} gaps, but {} numbers of frames", frames.len());
        return Err(Error::Option { option: "frames", message });
    }
    frames.iter().try_for_each(|&count| gap::check(count))?;
    Ok(frames)
}

/// Returns a key's whole clip on the first key's skeleton. The same joint moves the body as in the first key's clip
/// ([`crate::motion::root_convention`]).
fn on_first_skeleton<'a>(key: &Key<'a>, first: &Key, root: &Root) -> Result<Cow<'a, Clip>> {
    let mut clip = match Arc::ptr_eq(key.clip.skeleton(), first.clip.skeleton()) {
        true => Cow::Borrowed(key.clip),
        false => Cow::Owned(retarget(key.clip, key.rig, first.clip, first.rig)?),
    };
    if !std::ptr::eq(key.clip, first.clip) && root.path().len() == 2 {
        adopt_root_convention(clip.to_mut(), first.clip, root);
    }
    Ok(clip)
}
