//! The database: the user's clips on one skeleton, with the rows of the search.

use super::blend;
use super::feature::{Layout, Normalisation, rows};
use super::prepare::{Prepared, unmirrored};
use super::search::{Index, Nearest, Query};
use super::tag::Tag;
use super::take::{Take, forward_offset};
use crate::error::Result;
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::ground_limbs::GroundLimb;
use crate::motion::rig::{Rig, RigKind, Role};
use crate::motion::root::{GroundTransform, Root};
use crate::motion::skeleton::Skeleton;
use crate::progress::{Progress, Stage};
use glam::{Quat, Vec3};
use std::ops::Range;
use std::sync::Arc;

/// Most frames of a database, after mirroring.
pub const MAX_FRAMES: usize = 400_000;
/// Frames at the end of a take that is no loop that the search leaves out: their way ahead is not recorded.
const END_FRAMES: usize = 12;

/// One clip of the user, with its bone mapping.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The motion.
    pub clip: &'a Clip,
    /// Its bone mapping.
    pub rig: &'a Rig,
    /// Its use; `None`: by its name ([`super::tag::from_names`]).
    pub tag: Option<Tag>,
}

/// Options of [`Database::new`]. Weights are without unit; those of the reference by default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DatabaseOptions {
    /// Weight of the positions of the limbs.
    pub position_weight: f32,
    /// Weight of their velocities.
    pub velocity_weight: f32,
    /// Weight of the velocity of the hips.
    pub hips_weight: f32,
    /// Weight of the way ahead.
    pub way_weight: f32,
    /// Weight of the facing ahead.
    pub facing_weight: f32,
    /// Whether mirrored copies are added, where the body is symmetric.
    pub mirror: bool,
}

impl Default for DatabaseOptions {
    fn default() -> Self {
        Self {
            position_weight: 0.75,
            velocity_weight: 1.0,
            hips_weight: 1.0,
            way_weight: 1.0,
            facing_weight: 1.5,
            mirror: true,
        }
    }
}

/// The motions that a database has.
#[derive(Debug, Clone, PartialEq)]
pub struct Coverage {
    /// Slowest and fastest locomotion, metres per second: means of a third of a second.
    pub speeds: [f32; 2],
    /// Fastest turns to the right and to the left, radians per second.
    pub turns: [f32; 2],
    /// Names of the clips that the search uses, and of those that are played on request.
    pub locomotion: Vec<String>,
    /// Names of actions.
    pub actions: Vec<String>,
    /// Names of clips that got their travel from their feet.
    pub in_place: Vec<String>,
    /// Motions that are missing, one sentence each.
    pub missing: Vec<String>,
}

/// A database for motion matching.
#[derive(Debug, Clone)]
pub struct Database {
    pub(crate) skeleton: Arc<Skeleton>,
    pub(crate) clip: Clip,
    pub(crate) rig: Rig,
    pub(crate) limbs: Vec<GroundLimb>,
    /// Resting heights of the tips of the limbs, metres.
    pub(crate) rest_heights: Vec<f32>,
    pub(crate) takes: Vec<Take>,
    pub(crate) tags: Vec<Tag>,
    /// First row of each take.
    starts: Vec<usize>,
    pub(crate) layout: Layout,
    pub(crate) normalisation: Normalisation,
    index: Index,
    /// Rows that the search may choose.
    searched: Vec<Range<usize>>,
    in_place: Vec<String>,
    carriers: Vec<Carrier>,
    fastest: f32,
    actions: Vec<String>,
}

/// A joint to which placements are applied, below joints that never move.
#[derive(Debug, Clone, Copy)]
struct Carrier {
    joint: usize,
    slot: usize,
    parent_position: Vec3,
    parent_rotation: Quat,
}

/// Returns the carriers of a clip's body.
fn carriers(clip: &Clip, root: &Root) -> Vec<Carrier> {
    let (skeleton, pose) = (clip.skeleton(), Pose::from_clip(clip, 0));
    let carrier = |&joint: &usize| {
        let parent = skeleton.joints()[joint].parent;
        let placed = parent.map(|parent| (pose.world_positions[parent], pose.world_rotations[parent]));
        let (parent_position, parent_rotation) = placed.unwrap_or_default();
        Some(Carrier { joint, slot: skeleton.translation_slot(joint)?, parent_position, parent_rotation })
    };
    root.carriers().iter().filter_map(carrier).collect()
}

impl Database {
    /// Builds a database on the skeleton of the first clip; the others are retargeted to it.
    ///
    /// # Errors
    /// [`crate::Error::Option`] without clips or over [`MAX_FRAMES`]; [`crate::Error::TooShort`] if no clip has two frames;
    /// [`crate::Error::Rig`] for a clip that cannot be retargeted, or a body without limbs that stand on the ground;
    /// [`crate::Error::Aborted`] if `progress` aborts.
    pub fn new(sources: &[Source], options: &DatabaseOptions, progress: &mut Progress) -> Result<Self> {
        let prepared = Prepared::new(sources, options, progress)?;
        let Prepared { clips, limbs, root, rig, rest_heights, in_place } = prepared;
        let offset = forward_offset(&unmirrored(&clips), &root, rig.kind == RigKind::Biped);
        let mut takes = Vec::with_capacity(clips.len());
        let mut tags = Vec::with_capacity(clips.len());
        for (index, (source, tag, clip)) in clips.iter().enumerate() {
            progress.at(Stage::Scan, index as f32 / clips.len() as f32)?;
            takes.push(Take::new(clip, *source, &root, &limbs, offset));
            tags.push(*tag);
        }
        let locomotion: Vec<Take> =
            takes.iter().zip(&tags).filter(|(_, tag)| **tag == Tag::Locomotion).map(|(take, _)| take.clone()).collect();
        for take in blend::between_speeds(&locomotion, limbs.len()) {
            takes.push(take);
            tags.push(Tag::Locomotion);
        }
        let clip = clips[0].2.clone();
        Ok(Self::assemble(Parts { clip, rig, root, limbs, rest_heights, takes, tags, in_place }, options))
    }

    /// Computes the rows of the search.
    fn assemble(parts: Parts, options: &DatabaseOptions) -> Self {
        let Parts { clip, rig, root, limbs, rest_heights, takes, tags, in_place } = parts;
        let skeleton = Arc::clone(clip.skeleton());
        let layout = Layout { limbs: limbs.len() };
        let hips = rig.joint(Role::Hips).unwrap_or(root.joint());
        let (mut values, mut starts, mut searched) = (Vec::new(), Vec::new(), Vec::new());
        for (take, tag) in takes.iter().zip(&tags) {
            let start = values.len() / layout.width();
            starts.push(start);
            values.extend(rows(take, &skeleton, hips, &limbs));
            let end = if take.is_loop { take.frames() } else { take.frames().saturating_sub(END_FRAMES).max(1) };
            if *tag == Tag::Locomotion {
                searched.push(start..start + end);
            }
        }
        let normalisation = Normalisation::measure(&values, layout, options);
        values.chunks_exact_mut(layout.width()).for_each(|row| normalisation.apply(row));
        let index = Index::new(values, layout.width(), layout.pose_width());
        let tagged = |tag: Tag| takes.iter().zip(&tags).filter(move |(_, other)| **other == tag).map(|(take, _)| take);
        let fastest = tagged(Tag::Locomotion).map(super::coverage::fastest).fold(0.0, f32::max);
        let actions = tagged(Tag::Action).map(|take| take.name.clone()).collect();
        let carriers = carriers(&clip, &root);
        Self {
            carriers,
            fastest,
            actions,
            skeleton,
            clip,
            rig,
            limbs,
            rest_heights,
            takes,
            tags,
            starts,
            layout,
            normalisation,
            index,
            searched,
            in_place,
        }
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.takes.iter().map(Take::frames).sum()
    }

    /// Returns the skeleton.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// Returns the bone mapping.
    pub fn rig(&self) -> &Rig {
        &self.rig
    }

    /// Returns the takes.
    pub fn takes(&self) -> &[Take] {
        &self.takes
    }

    /// Returns the memory of the database, bytes, without names and skeleton.
    pub fn bytes(&self) -> usize {
        let take = |take: &Take| 16 * take.rotations.len() + 12 * take.translations.len() + 16 * take.steps.len();
        self.index.bytes() + self.takes.iter().map(take).sum::<usize>()
    }

    /// Returns the mean length of the limbs, metres: the measure of the body.
    pub fn limb_length(&self) -> f32 {
        self.limbs.iter().map(|limb| limb.length).sum::<f32>() / self.limbs.len().max(1) as f32
    }

    /// Returns the row of a frame of a take.
    pub(crate) fn row_of(&self, take: usize, frame: usize) -> usize {
        self.starts[take] + frame.min(self.takes[take].frames() - 1)
    }

    /// Returns take and frame of a row.
    pub(crate) fn place_of(&self, row: usize) -> (usize, usize) {
        let take = self.starts.partition_point(|&start| start <= row) - 1;
        (take, row - self.starts[take])
    }

    /// Returns the normalised columns of a row.
    pub(crate) fn row(&self, row: usize) -> &[f32] {
        self.index.row(row)
    }

    /// Returns the squared distance of a row from a normalised query.
    pub(crate) fn cost(&self, query: &Query, row: usize) -> f32 {
        self.index.cost(query, row, f32::MAX)
    }

    /// Finds the row of locomotion nearest to a normalised query and nearer than `limit`.
    pub(crate) fn nearest(&self, query: &Query, limit: f32) -> Option<Nearest> {
        self.index.nearest(query, &self.searched, limit)
    }

    /// Moves a pose that is relative to a ground pose into the world: local rotations and translations.
    pub(crate) fn place(&self, placement: &GroundTransform, rotations: &mut [Quat], translations: &mut [Vec3]) {
        let rotation = Quat::from_rotation_y(placement.yaw);
        for carrier in &self.carriers {
            let to_parent = carrier.parent_rotation.conjugate();
            let turn = to_parent * rotation * carrier.parent_rotation;
            let movement =
                to_parent * (rotation * carrier.parent_position + placement.translation - carrier.parent_position);
            rotations[carrier.joint] = (turn * rotations[carrier.joint]).normalize();
            translations[carrier.slot] = turn * translations[carrier.slot] + movement;
        }
    }

    /// Returns the number of limbs that stand on the ground.
    pub(crate) fn limb_count(&self) -> usize {
        self.limbs.len()
    }

    /// Returns the speed of the fastest locomotion, metres per second.
    pub(crate) fn fastest(&self) -> f32 {
        self.fastest
    }

    /// Returns the joints at the tips of the limbs that stand on the ground.
    pub fn tips(&self) -> impl Iterator<Item = usize> + '_ {
        self.limbs.iter().map(|limb| limb.tip.0)
    }

    /// Returns the names of the actions, in order of the sources.
    pub fn actions(&self) -> &[String] {
        &self.actions
    }

    /// Returns the locomotion nearest to standing: the take with the slowest frames, and its slowest frame.
    pub(crate) fn standing(&self) -> (usize, usize) {
        let frames = self.takes.iter().enumerate().filter(|(take, _)| self.tags[*take] == Tag::Locomotion);
        let speeds = frames.flat_map(|(take, data)| {
            let speed = move |frame: usize| data.step(frame).movement.length() + 0.2 * data.step(frame).turn.abs();
            (0..data.frames()).map(move |frame| (take, frame, speed(frame)))
        });
        speeds.min_by(|a, b| a.2.total_cmp(&b.2)).map_or((0, 0), |(take, frame, _)| (take, frame))
    }

    /// Returns the index of the first take of an action with a name.
    pub(crate) fn action(&self, name: &str) -> Option<usize> {
        (0..self.takes.len()).find(|&take| self.tags[take] == Tag::Action && self.takes[take].name == name)
    }

    /// Reports the motions of the database.
    pub fn coverage(&self) -> Coverage {
        super::coverage::of(self)
    }

    /// Returns the names of clips that got their travel from their feet.
    pub(crate) fn in_place(&self) -> &[String] {
        &self.in_place
    }
}

/// Contents of a database.
struct Parts {
    clip: Clip,
    rig: Rig,
    root: Root,
    limbs: Vec<GroundLimb>,
    rest_heights: Vec<f32>,
    takes: Vec<Take>,
    tags: Vec<Tag>,
    in_place: Vec<String>,
}
