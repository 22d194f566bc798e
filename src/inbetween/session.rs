//! Keys prepared once and solved repeatedly while one of them is moved.

use super::feet::Limbs;
use super::floor::Floor;
use super::gap::{Filled, GapKeys, fill, network_inputs};
use super::hands::{self, Hands};
use super::key::{Key, Piece, check, piece};
use super::source::{on_first_skeleton, on_one_floor, unwritable_root};
use super::{Gap, Inbetween, InbetweenOptions, feet, gap};
use crate::body::GroundPose;
use crate::body::canonical::Fit;
use crate::error::{Error, Result};
use crate::judge::heights::Heights;
use crate::method::filler::Filler;
use crate::metrics;
use crate::motion::clip::Clip;
use crate::motion::contact::{Legs, detect_contacts};
use crate::motion::extrapolate::extrapolate_placement;
use crate::motion::foot_hold::MAX_DISPLACEMENT;
use crate::motion::hinge::Hinge;
use crate::motion::retarget::left_out;
use crate::motion::rig::{Rig, RigKind};
use crate::motion::root::{GroundTransform, Root, wrap};
use crate::progress::{Progress, Stage};
use std::borrow::Cow;
use std::ops::Range;
use std::slice::Iter;
use std::sync::Arc;

/// The keys of one motion, prepared for repeated solving while one of them is dragged. Solving stores nothing in the
/// session, so its memory does not grow.
#[derive(Debug, Clone)]
pub struct Session {
    pub(super) pieces: Vec<Piece>,
    /// Requested ground pose of each key.
    ground_poses: Vec<Option<GroundPose>>,
    /// Number of frames of each gap.
    pub(super) frames: Vec<usize>,
    pub(super) rig: Rig,
    pub(super) root: Root,
    pub(super) hinges: Vec<Hinge>,
    /// Fit of the rig to the canonical body, for networks; an error if the rig is not a biped.
    pub(super) fit: Result<Fit>,
    /// Largest displacement of any joint in the keys and the frames around them, metres per frame.
    pub(super) largest_step: f32,
    /// Largest joint jerk in the keys and the frames around them, m/s³.
    pub(super) peak_jerk: f32,
    legs: Option<Legs>,
    hands: Option<Hands>,
    floor: Option<Floor>,
    /// Heights of the lowest joint in the clips of the keys.
    pub(super) heights: Heights,
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

        let (levelled, mut warnings) = on_one_floor(keys, options.ground);
        let level_clip = |key: &Key| levelled.iter().find(|(clip, ..)| std::ptr::eq(*clip, key.clip));
        let first = &Key { clip: level_clip(first).map_or(first.clip, |(_, level)| level), ..first.clone() };
        let fps = options.fps.unwrap_or(first.clip.fps());
        let first_root = Root::new(first.clip.skeleton(), &[first.clip], first.rig);
        let mut sources: Vec<(&Clip, Cow<Clip>)> = Vec::new();
        for (index, key) in keys.iter().enumerate() {
            progress.at(Stage::Align, index as f32 / keys.len() as f32)?;
            if sources.iter().all(|(clip, _)| !std::ptr::eq(*clip, key.clip)) {
                let level = level_clip(key).map_or(key.clip, |(_, level)| level);
                warnings.extend(left_out(level, key.rig, first.clip, first.rig));
                let source = on_first_skeleton((level, key.rig), first, &first_root, options.ground)?;
                sources.push((key.clip, source));
            }
        }
        let clips: Vec<&Clip> = sources.iter().map(|(_, clip)| clip.as_ref()).collect();
        let root = Root::new(first.clip.skeleton(), &clips, first.rig);
        warnings.extend(unwritable_root(&root, first.clip));
        let foot_contacts: Vec<_> = clips.iter().map(|clip| detect_contacts(clip, first.rig)).collect();
        let hands = Hands::new(&clips, first.rig);
        let mut pieces = Vec::with_capacity(keys.len());
        for key in keys {
            let source = sources.iter().position(|(clip, _)| std::ptr::eq(*clip, key.clip)).unwrap_or(0);
            let contacts = (&foot_contacts[source], hands.as_ref().map(|hands| &hands.contacts[source]));
            pieces.push(piece(clips[source], contacts, key.frames.clone(), source, fps)?);
        }
        let legs = Legs::detect(first.clip, first.rig);
        let knee = |side: usize| legs.as_ref().and_then(|legs| Hinge::detect(&clips, legs.chain[side]));
        let name = options.name.clone().unwrap_or_else(|| {
            let names = sources.iter().map(|(clip, _)| clip.name.as_str());
            names.collect::<Vec<_>>().join(" + ")
        });
        Ok(Self {
            ground_poses: keys.iter().map(|key| key.at).collect(),
            frames,
            rig: first.rig.clone(),
            hinges: Hinge::detect_all(&clips, first.rig),
            fit: fit_biped(first.clip, first.rig),
            largest_step: pieces.iter().map(|piece| metrics::largest_step(&piece.clip)).fold(0.0, f32::max),
            knees: [knee(0), knee(1)],
            peak_jerk: pieces.iter().map(|piece| gap::peak_jerk(&piece.clip)).fold(0.0, f32::max),
            root,
            hands,
            floor: Floor::new(&clips, first.rig),
            heights: Heights::new(&clips, first.rig),
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
        let last = self.ground_poses.len() - 1;
        let Some(slot) = self.ground_poses.get_mut(key) else {
            return Err(Error::Option { option: "key", message: format!("there is no key {key}, only 0 to {last}") });
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
        let last = self.frames.len() - 1;
        let Some(slot) = self.frames.get_mut(gap) else {
            return Err(Error::Option { option: "gap", message: format!("there is no gap {gap}, only 0 to {last}") });
        };
        *slot = frames;
        Ok(())
    }

    /// Returns the number of keys.
    pub fn keys(&self) -> usize {
        self.pieces.len()
    }

    /// Fixes every key at its present ground pose: later changes of the durations of gaps do not move it. Keys that
    /// follow an earlier key of their clip are not fixed.
    pub fn fix_keys(&mut self) {
        let poses = self.ground_poses();
        for index in 1..self.pieces.len() {
            let follows_other_key = self.pieces[..index].iter().any(|key| key.source == self.pieces[index].source);
            if self.ground_poses[index].is_none() && !follows_other_key {
                self.ground_poses[index] = Some(poses[index]);
            }
        }
    }

    /// Returns the ground pose of each key.
    pub fn ground_poses(&self) -> Vec<GroundPose> {
        self.ground_poses_of(&self.placed_clips())
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

    /// Returns the network's input rows of all gaps, to be evaluated on a GPU before [`Session::solve_from_outputs`];
    /// empty if the method runs on the CPU only.
    ///
    /// # Errors
    /// Those of [`Session::solve`].
    pub fn network_inputs(&self, filler: &dyn Filler) -> Result<Vec<Vec<f32>>> {
        filler.check(self.pieces.len())?;
        let placed = self.placed_clips();
        let gaps = (0..self.frames.len())
            .map(|gap| network_inputs(self, &self.gap_keys(&placed, gap), gap, self.frames[gap], filler));
        Ok(gaps.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// Makes the motion like [`Session::solve`], from the network's outputs for [`Session::network_inputs`], in their
    /// order.
    ///
    /// # Errors
    /// Those of [`Session::solve`], and [`Error::Device`] if an output is missing or has another length.
    pub fn solve_from_outputs(
        &self,
        filler: &dyn Filler,
        outputs: &[Vec<f32>],
        progress: &mut Progress,
    ) -> Result<Inbetween> {
        self.solve_with(&[filler], Some(outputs.iter()), progress)
    }

    fn gap_keys<'a>(&'a self, placed: &'a [Clip], gap: usize) -> GapKeys<'a> {
        GapKeys { clips: [&placed[gap], &placed[gap + 1]], pieces: [&self.pieces[gap], &self.pieces[gap + 1]] }
    }

    /// Makes the motion. `fillers`: one for all gaps, or one for each gap. `outputs`: outputs of the network, if it has
    /// run on a GPU.
    fn solve_with(
        &self,
        fillers: &[&dyn Filler],
        mut outputs: Option<Iter<'_, Vec<f32>>>,
        progress: &mut Progress,
    ) -> Result<Inbetween> {
        fillers.iter().try_for_each(|filler| filler.check(self.pieces.len()))?;
        let placed = self.placed_clips();
        let first = &placed[0];
        let (mut rotations, mut translations) = (Vec::new(), Vec::new());
        let (mut keys, mut gaps, mut footings) = (Vec::new(), Vec::new(), Vec::new());
        let mut warnings = self.warnings.clone();
        for (index, (clip, piece)) in placed.iter().zip(&self.pieces).enumerate() {
            progress.at(Stage::Blend, index as f32 / placed.len() as f32)?;
            if let Some(gap) = index.checked_sub(1) {
                let (gap_keys, frames) = (self.gap_keys(&placed, gap), self.frames[gap]);
                let filler = fillers[gap.min(fillers.len() - 1)];
                let filled = fill(self, &gap_keys, gap, frames, filler, outputs.as_mut())?;
                if filled.method != filler.name() {
                    let message = "the network's motion was implausibly fast, and is replaced by inertialization";
                    // Warnings count from 1, as those of stitches do. A single gap needs no number.
                    let prefix = if self.frames.len() > 1 { format!("gap {}: ", gap + 1) } else { String::new() };
                    warnings.push(format!("{prefix}{message}"));
                }
                let start = rotations.len() / first.joints();
                rotations.extend_from_slice(filled.clip.rotations());
                translations.extend_from_slice(filled.clip.translations());
                gaps.push(to_report(&filled, start..start + frames));
                footings.push(filled.footing);
            }
            let start = rotations.len() / first.joints();
            keys.push(start..start + piece.key.len());
            let key = clip.trimmed(piece.key.clone())?;
            rotations.extend_from_slice(key.rotations());
            translations.extend_from_slice(key.translations());
        }
        let skeleton = Arc::clone(first.skeleton());
        let mut clip = Clip::new(self.name.clone(), skeleton, first.frame_time_secs(), rotations, translations)?;
        self.finish(&mut clip, &mut gaps, &footings, progress)?;
        Ok(Inbetween { clip, keys, ground_poses: self.ground_poses_of(&placed), gaps, warnings })
    }

    /// Pins feet and hands and keeps the body above the floor, if requested, and measures the gaps.
    fn finish(
        &self,
        clip: &mut Clip,
        gaps: &mut [Gap],
        footings: &[feet::Footing],
        progress: &mut Progress,
    ) -> Result<()> {
        let resting_heights = feet::resting_heights(&self.pieces);
        for (index, gap) in gaps.iter_mut().enumerate() {
            progress.at(Stage::FootLock, index as f32 / self.frames.len() as f32)?;
            if self.foot_lock {
                self.pin_limbs(clip, &gap.range, index, &footings[index])?;
            }
            gap::measure(gap, clip, &self.rig, resting_heights);
        }
        progress.at(Stage::FootLock, 1.0)
    }

    /// Pins feet and hands in gap `index`, at the frames `gap` of the clip, and keeps the body above the floor.
    fn pin_limbs(&self, clip: &mut Clip, gap: &Range<usize>, index: usize, footing: &feet::Footing) -> Result<()> {
        let keys = [&self.pieces[index], &self.pieces[index + 1]];
        if let Some(legs) = &self.legs {
            let contacts = keys.map(|key| &key.contacts);
            let limbs = Limbs { legs, hinges: &self.knees, contacts, max_displacement: MAX_DISPLACEMENT };
            feet::pin(clip, gap, &limbs, keys, footing, self.peak_jerk)?;
        }
        if let (Some(hands), [Some(first), Some(second)]) = (&self.hands, keys.map(|key| key.hand_contacts.as_ref())) {
            let contacts = [first, second];
            let limbs =
                Limbs { legs: &hands.arms, hinges: &hands.elbows, contacts, max_displacement: hands::MAX_DISPLACEMENT };
            feet::pin(clip, gap, &limbs, keys, &Hands::footing(gap.len()), self.peak_jerk)?;
        }
        match &self.floor {
            Some(floor) => floor.lift(clip, gap, &self.root, self.peak_jerk),
            None => Ok(()),
        }
    }

    /// Returns the transform that moves a key's first frame to a ground pose.
    fn transform_to(&self, piece: &Piece, target: &GroundPose) -> GroundTransform {
        let pose = self.root.pose(&piece.clip, piece.key.start);
        GroundTransform::from_points(pose.world_position, target.position, wrap(target.heading - pose.heading()))
    }

    /// Returns the clip of each key, placed on the ground.
    pub(super) fn placed_clips(&self) -> Vec<Clip> {
        let mut placements: Vec<Option<GroundTransform>> = Vec::with_capacity(self.pieces.len());
        let mut placed: Vec<Clip> = Vec::with_capacity(self.pieces.len());
        for (index, piece) in self.pieces.iter().enumerate() {
            let key_of_same_clip = self.pieces[..index].iter().rposition(|key| key.source == piece.source);
            let placement = match (&self.ground_poses[index], key_of_same_clip) {
                (Some(ground_pose), _) => Some(self.transform_to(piece, ground_pose)),
                (None, Some(key)) => placements[key],
                (None, None) if index == 0 => None,
                (None, None) => {
                    let (previous, clip) = (&self.pieces[index - 1], &placed[index - 1]);
                    Some(extrapolate_placement(
                        clip,
                        previous.key.end - 1,
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

fn to_report(filled: &Filled, range: Range<usize>) -> Gap {
    Gap {
        method: filled.method,
        range,
        key_error_cm: filled.key_error_cm,
        key_error_degrees: filled.key_error_degrees,
        foot_skate: 0.0,
        peak_jerk: 0.0,
        trials: Vec::new(),
    }
}

/// Fits a rig to the canonical biped, the only body that gap fillers with networks support.
fn fit_biped(clip: &Clip, rig: &Rig) -> Result<Fit> {
    if rig.kind != RigKind::Biped {
        let message = "a network needs a biped: map hips, legs and feet, or use \"inertialize\"".to_owned();
        return Err(Error::Rig { clip: clip.name.clone(), message });
    }
    Fit::new(clip, rig)
}

/// Returns the number of frames of each gap. `frames`: one number for all gaps, or one for each.
fn gap_lengths(gaps: usize, frames: &[usize]) -> Result<Vec<usize>> {
    let frames = match frames {
        [count] => vec![*count; gaps],
        each => each.to_vec(),
    };
    if frames.len() != gaps {
        let message = format!("there are {gaps} gaps, but {} numbers of frames are given", frames.len());
        return Err(Error::Option { option: "frames", message });
    }
    frames.iter().try_for_each(|&count| gap::check(count))?;
    Ok(frames)
}
