//! Kinestitch: character animation in the browser. Motion clips in, one natural motion out.
//!
//! A motion is a [`Clip`]: local rotations, and the translations that move, over a [`Skeleton`], in metres, radians and Y up.
//! Which joint plays which role of a body is its [`motion::rig::Rig`], found once for each clip ([`motion::rig::infer`]). What
//! goes in comes out on the skeleton of the first clip given, in its file's units, axes and channels.
//!
//! - [`stitch`](stitch()) joins clips: aligned, cut, joined ([`Join`]), refined by a network ([`stitch::Draft`]), feet pinned.
//! - [`inbetween`] makes the motion between poses, or pieces of clips, that are kept to the bit.
//! - [`control`] steers a character, frame by frame.
//! - [`method`] holds what fills a gap or scores a cut, one folder for each paper; [`metrics`] what a motion is judged by.
//! - [`body`] brings any character's motion onto its canonical skeleton and changes of it back; [`feature`] makes rows of
//!   numbers of it, [`nn`] runs networks on them.
//!
//! Long computations tell how far they are to a [`Progress`], which may stop them. Everything that can go wrong on user input is
//! an [`Error`].
//!
//! ```
//! use kinestitch::motion::{bvh, rig};
//! use kinestitch::{Input, Join, Progress, StitchOptions, stitch};
//!
//! # fn main() -> kinestitch::Result<()> {
//! # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
//! # let file = |name: &str| std::fs::read(format!("{folder}/{name}.bvh")).unwrap();
//! let walk = bvh::parse("walk", &file("ada-walk"))?.clip;
//! let run = bvh::parse("run", &file("ada-run"))?.clip;
//! let rigs = [rig::infer(&walk), rig::infer(&run)];
//! let inputs = [Input { clip: &walk, rig: &rigs[0] }, Input { clip: &run, rig: &rigs[1] }];
//!
//! let options = StitchOptions { join: Join::Inertialize, ..Default::default() };
//! let stitched = stitch(&inputs, &options, &mut Progress::silent())?;
//! assert_eq!(stitched.clip.frames(), walk.frames() + run.frames());
//! assert!(stitched.seams[0].measured.contains(&stitched.seams[0].frame));
//! let text = bvh::write(&stitched.clip)?;
//! # assert!(text.starts_with("HIERARCHY"));
//! # Ok(())
//! # }
//! ```
//!
//! Modules depend one way, which tests/layering.rs checks: error, progress, motion, metrics and body, feature, nn, method,
//! stitch, inbetween and control, then wasm. The crates `training` and `lab` stand on top. Where to read on: the story of a stitch is `src/stitch.rs`.

pub mod body;
pub mod control;
pub mod error;
pub mod feature;
pub mod inbetween;
pub mod judge;
pub mod method;
pub mod metrics;
pub mod motion;
pub mod nn;
pub mod progress;
pub mod stitch;
#[cfg(target_arch = "wasm32")]
pub mod wasm;

pub use error::{Error, Result};
pub use method::Join;
pub use motion::clip::Clip;
pub use motion::skeleton::{Channel, Joint, Skeleton};
pub use progress::{Progress, Stage};
pub use stitch::{Input, Refined, Seam, SeamChoice, StitchOptions, Stitched, stitch};
