//! Kinestitch: character animation in the browser. Motion clips in, one natural motion out.
//!
//! A motion is a [`Clip`]: local rotations, and translations of the joints that move, over a [`Skeleton`], in metres,
//! radians and Y up. Its [`motion::rig::Rig`] maps the roles of a body to joints; it is inferred once per clip
//! ([`motion::rig::infer`]). Results are on the skeleton of the first clip given, in the units, axes and channels of
//! its file.
//!
//! - [`stitch`](stitch()) joins clips: they are placed, cut, joined ([`Join`]), refined by a network
//!   ([`stitch::Draft`]), and their feet are pinned.
//! - [`contract`] has the options and reports of all tasks.
//! - [`inbetween`] makes the motion between keys: poses, or ranges of clips, whose frames stay bit-identical.
//! - [`edit`] changes one motion: [`edit::clean()`] mends faults of capture, retargeting and generation.
//! - [`control`] moves a character by user input, frame by frame.
//! - [`method`] has the gap fillers and the scores of cuts, one file or folder per paper; [`metrics`] measures motions.
//! - [`body`] converts any character's motion to its canonical skeleton, and applies edits of it to the clip;
//!   [`feature`] converts canonical motion to columns, and [`nn`] evaluates networks on them.
//!
//! Long computations report to a [`Progress`], which may abort them. All errors caused by user input are an
//! [`Error`].
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
//! let options = StitchOptions::from(Join::default());
//! let stitched = stitch(&inputs, &options, &mut Progress::silent())?;
//! assert_eq!(stitched.clip.frames(), walk.frames() + run.frames());
//! assert!(stitched.seam_reports[0].measured_range.contains(&stitched.seam_reports[0].frame));
//! let text = bvh::write(&stitched.clip)?;
//! # assert!(text.starts_with("HIERARCHY"));
//! # Ok(())
//! # }
//! ```
//!
//! A module uses only modules before it in this list: error, contract, progress, motion, body, metrics, feature, nn,
//! method, judge, then inbetween and control, stitch, edit; tests/native/layering.rs checks this. The crates
//! `kinestitch-wasm` (bindings for JavaScript), `training` and `lab` depend on this one. A good file to read next is
//! `src/stitch.rs`, which lists the steps of a stitch.

pub mod body;
pub mod contract;
pub mod control;
pub mod edit;
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

pub use contract::{BlendKind, Cut, Join, JoinChoice, SeamReport, StitchOptions, Transition};
pub use error::{Error, Result};
pub use motion::clip::Clip;
pub use motion::skeleton::{Channel, Joint, Skeleton};
pub use progress::{Progress, Stage};
pub use stitch::{Input, Stitched, stitch};
