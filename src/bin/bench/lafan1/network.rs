//! In-between networks as methods of the table: LAFAN1's window → canonical body → network → LAFAN1's own skeleton.

use crate::Outcome;
use crate::window::{JOINTS, PAST, Window, World};
use glam::{Quat, Vec2, Vec3};
use kinestitch::body::poses::Poses;
use kinestitch::body::{self, Canonical, canonical::Fit};
use kinestitch::feature::encode;
use kinestitch::method::dcmoe::{self, Wish};
use kinestitch::method::delta::{self, Delta};
use kinestitch::method::manifold::{self, Manifold};
use kinestitch::motion::rig::{self, Rig};
use kinestitch::nn::weights::Weights;
use kinestitch::{Clip, Result};
use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant};

/// An in-between network.
enum Network {
    Manifold(Box<Manifold>),
    Delta(Box<Delta>),
    Dcmoe(Box<dcmoe::Network>),
}

/// Weights, and what LAFAN1's rig is on the canonical body.
pub struct Filler {
    network: Network,
    fit: Fit,
    rig: Rig,
    ground: f32,
    /// Time spent in the network, and frames it made.
    pub spent: RefCell<(Duration, usize)>,
}

impl Filler {
    /// `clips` are of the training subjects: they say how high LAFAN1's toes rest, which a window of ten frames does not.
    ///
    /// # Errors
    /// Those of the weight file and of the rig.
    pub fn new(weights: &Path, clips: &[Clip]) -> Outcome<Self> {
        let bytes = std::fs::read(weights).map_err(|error| format!("{}: {error}", weights.display()))?;
        let file = Weights::read(&bytes)?;
        let network = match file.meta.name.as_str() {
            manifold::NAME => Network::Manifold(Box::new(Manifold::read(&file)?)),
            dcmoe::NAME => Network::Dcmoe(Box::new(dcmoe::Network::read(&file)?)),
            _ => Network::Delta(Box::new(Delta::read(&file)?)),
        };
        let first = clips.first().ok_or("no clip of the training subjects")?;
        let rig = rig::infer(first);
        let fit = Fit::of(first, &rig)?;
        let grounds: Result<Vec<f32>> = clips.iter().map(|clip| Ok(encode::ground(&fit.canonical(clip)?).0)).collect();
        let mut grounds = grounds?;
        grounds.sort_by(f32::total_cmp);
        Ok(Self { network, fit, rig, ground: grounds[grounds.len() / 2], spent: RefCell::default() })
    }

    /// The method that the weights are of.
    pub fn name(&self) -> &'static str {
        match self.network {
            Network::Manifold(_) => manifold::NAME,
            Network::Delta(_) => delta::network::NAME,
            Network::Dcmoe(_) => dcmoe::NAME,
        }
    }

    /// Fills a gap; `seed`: which answer, of methods that have several; `follows`: of those that can be told a path, whether they
    /// are told the truth's. Signs of quaternions go on from the past's, as a file's do.
    ///
    /// # Errors
    /// Those of the network and of the body.
    pub fn fill(&self, window: &Window, gap: usize, seed: Option<u64>, follows: bool) -> Result<World> {
        let keys = PAST + gap + 1;
        let skeleton = &window.skeleton;
        let (rotations, roots) = (window.rotations[..keys * JOINTS].to_vec(), window.roots[..keys].to_vec());
        let mut clip = Clip::new("window", skeleton.clone(), 1.0 / 30.0, rotations, roots)?;
        // The gap is not looked at: the last past pose stands in it.
        for frame in PAST..PAST + gap {
            clip.rotations_mut()[frame * JOINTS..][..JOINTS].copy_from_slice(window.pose(PAST - 1));
            clip.translations_mut()[frame] = window.roots[PAST - 1];
        }
        let before =
            Canonical { character: self.fit.character, clip: self.fit.canonical(&clip)?, scale: self.fit.scale };
        let offsets: [Vec3; JOINTS] = std::array::from_fn(|joint| before.clip.skeleton().joints()[joint].offset);
        let (past, target) = (Poses::of(&before.clip, 0..PAST), Poses::of(&before.clip, keys - 1..keys));
        let path: Vec<Vec2> =
            (PAST - 1..keys).map(|frame| Vec2::new(window.roots[frame].x, window.roots[frame].z)).collect();
        let path: Vec<Vec2> = path.into_iter().map(|point| point * self.fit.scale).collect();
        let clock = Instant::now();
        let filled = match &self.network {
            Network::Manifold(manifold) => {
                let wish = manifold::Wish { seed, ..Default::default() };
                manifold.fill(&past, &target, gap, &offsets, self.ground, &wish)?
            }
            Network::Delta(network) => delta::fill(network.as_ref(), &past, &target, gap, &offsets, self.ground)?,
            Network::Dcmoe(dcmoe) => {
                let wish = Wish { path: follows.then_some(&path), style: None };
                dcmoe.fill(&past, &target, gap, &offsets, self.ground, &wish)?
            }
        };
        let mut spent = self.spent.borrow_mut();
        *spent = (spent.0 + clock.elapsed(), spent.1 + gap);
        let mut after = before.clip.clone();
        after.rotations_mut()[PAST * JOINTS..][..gap * JOINTS].copy_from_slice(&filled.poses.rotations);
        after.translations_mut()[PAST..PAST + gap].copy_from_slice(&filled.poses.hips);
        let applied = body::apply(&clip, &self.rig, &before, &after)?;
        let mut world = World::default();
        let mut before: Vec<Quat> = window.pose(PAST - 1).to_vec();
        for frame in PAST..PAST + gap {
            let signed = |(rotation, like): (&Quat, &Quat)| kinestitch::motion::quat::near(*rotation, *like);
            let pose: Vec<Quat> = applied.frame_rotations(frame).iter().zip(&before).map(signed).collect();
            world.push(skeleton, applied.local_translation(frame, 0), &pose);
            before = pose;
        }
        Ok(world)
    }
}
