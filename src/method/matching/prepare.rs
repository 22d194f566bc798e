//! Preparation of the user's clips: one skeleton, one rate, travel, mirrored copies.

use super::database::{DatabaseOptions, MAX_FRAMES, Source};
use super::tag::{self, Tag};
use super::{FPS, travel};
use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::ground_limbs::{self, GroundLimb};
use crate::motion::mirror::mirror;
use crate::motion::resample::resample;
use crate::motion::retarget::retarget;
use crate::motion::rig::Rig;
use crate::motion::root::Root;
use crate::progress::{Progress, Stage};

/// Clips on one skeleton at [`FPS`], with mirrored copies: index of the source, use, clip.
pub type Clips = Vec<(usize, Tag, Clip)>;

/// Returns the clips that are no mirrored copies.
pub fn unmirrored(clips: &Clips) -> Vec<Clip> {
    clips.iter().filter(|(.., clip)| !clip.name.ends_with(MIRRORED)).map(|(.., clip)| clip.clone()).collect()
}

/// End of the names of mirrored copies.
const MIRRORED: &str = " (mirrored)";

/// The sources on one skeleton.
pub struct Prepared {
    pub clips: Clips,
    pub limbs: Vec<GroundLimb>,
    pub root: Root,
    pub rig: Rig,
    /// Median resting height of each limb's tip, metres.
    pub rest_heights: Vec<f32>,
    /// Names of clips that got their travel from their limbs.
    pub in_place: Vec<String>,
}

impl Prepared {
    /// Prepares the sources; errors as in [`super::Database::new`].
    pub fn new(sources: &[Source], options: &DatabaseOptions, progress: &mut Progress) -> Result<Self> {
        let Some(first) = sources.first() else {
            return Err(Error::Option { option: "clips", message: "at least one clip is needed".to_owned() });
        };
        let named = tag::from_names(sources.iter().map(|source| source.clip.name.as_str()));
        let mut clips: Clips = Vec::new();
        for (index, source) in sources.iter().enumerate() {
            progress.at(Stage::Align, index as f32 / sources.len() as f32)?;
            if source.clip.frames() < 2 {
                continue;
            }
            let clip = match source.clip.skeleton().same_body(first.clip.skeleton()) {
                true => source.clip.clone(),
                false => retarget(source.clip, source.rig, first.clip, first.rig)?,
            };
            clips.push((index, source.tag.unwrap_or(named[index]), resample(&clip, FPS)?));
        }
        if clips.is_empty() {
            let (clip, frames) = (first.clip.name.clone(), first.clip.frames());
            return Err(Error::TooShort { clip, frames, needed: 2 });
        }
        let rig = first.rig.clone();
        let most = clips.iter().map(|(.., clip)| ground_limbs::detect(clip, &rig)).max_by_key(Vec::len);
        let limbs = most.unwrap_or_default();
        if limbs.is_empty() {
            let message = "no limb stands on the ground, so it cannot be steered; map its legs, or give another clip";
            return Err(Error::Rig { clip: first.clip.name.clone(), message: message.to_owned() });
        }
        let root = {
            let all: Vec<&Clip> = clips.iter().map(|(.., clip)| clip).collect();
            Root::new(all[0].skeleton(), &all, &rig)
        };
        let mut in_place = Vec::new();
        for (_, tag, clip) in &mut clips {
            if *tag == Tag::Locomotion
                && let Some(moved) = travel::from_limbs(clip, &root, &limbs)
            {
                in_place.push(clip.name.clone());
                *clip = moved;
            }
        }
        if options.mirror {
            add_mirrored(&mut clips, &rig);
        }
        let frames: usize = clips.iter().map(|(.., clip)| clip.frames()).sum();
        if frames > MAX_FRAMES {
            let message = format!("{frames} frames at 30 a second, with mirrored copies; at most {MAX_FRAMES}");
            return Err(Error::Option { option: "clips", message });
        }
        let rest_heights = rest_heights(&clips, &limbs);
        Ok(Self { clips, limbs, root, rig, rest_heights, in_place })
    }
}

/// Adds mirrored copies of locomotion, if the body is symmetric.
fn add_mirrored(clips: &mut Clips, rig: &Rig) {
    let copies: Result<Clips> = clips
        .iter()
        .filter(|(_, tag, _)| *tag == Tag::Locomotion)
        .map(|(source, tag, clip)| {
            let mut copy = mirror(clip, rig)?;
            copy.name = format!("{}{MIRRORED}", clip.name);
            Ok((*source, *tag, copy))
        })
        .collect();
    clips.extend(copies.unwrap_or_default());
}

/// Returns the median resting height of each limb's tip over the clips in which it stands, metres.
fn rest_heights(clips: &Clips, limbs: &[GroundLimb]) -> Vec<f32> {
    let mut heights = vec![Vec::new(); limbs.len()];
    for (_, _, clip) in clips.iter().filter(|(_, tag, _)| *tag == Tag::Locomotion) {
        for (limb, (flags, height)) in ground_limbs::contacts(clip, limbs).into_iter().enumerate() {
            if flags.contains(&true) {
                heights[limb].push(height);
            }
        }
    }
    let median = |mut values: Vec<f32>| {
        values.sort_by(f32::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    heights.into_iter().map(median).collect()
}
