//! `inbetween` with its keys and result, and the live session of a page.

use super::candidates;
use super::inbetweener::{CpuInbetweener, Given};
use super::listener::listened;
use super::questions::{Questions, Replies};
use super::value::{from_js, to_js};
use super::words::InbetweenWords;
use super::{ClipHandle, js_error};
use crate::error::Error;
use crate::inbetween::{At, Inbetween, InbetweenOptions, Inbetweener, Key, Session};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::progress::Progress;
use crate::stitch::Input;
use glam::Vec2;
use js_sys::{Float32Array, Function};
use serde::Serialize;
use std::ops::Range;
use wasm_bindgen::prelude::*;

fn read(options: JsValue) -> Result<(String, InbetweenOptions), JsValue> {
    let InbetweenWords { method, frames, fps, foot_lock, seed, latent, style, path, name } =
        from_js("options", options)?;
    Ok((method, InbetweenOptions { frames, fps, foot_lock, seed, latent, style, path: path.map(points), name }))
}

/// x and z of points on the ground.
pub(super) fn points(numbers: Vec<[f32; 2]>) -> Vec<Vec2> {
    numbers.into_iter().map(Vec2::from_array).collect()
}

/// What a result says of itself, as JavaScript gets it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    keys: Vec<[usize; 2]>,
    places: Vec<PlaceReport>,
    gaps: Vec<GapReport>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct PlaceReport {
    x: f32,
    z: f32,
    heading: f32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GapReport {
    method: &'static str,
    edited: [usize; 2],
    arrival_cm: f32,
    arrival_degrees: f32,
    foot_skate: f32,
    peak_jerk: f32,
}

fn report(made: &Inbetween) -> Result<JsValue, JsValue> {
    let ends = |range: &Range<usize>| [range.start, range.end];
    let gaps = made.gaps.iter().map(|gap| GapReport {
        method: gap.method,
        edited: ends(&gap.edited),
        arrival_cm: gap.arrival_cm,
        arrival_degrees: gap.arrival_degrees,
        foot_skate: gap.foot_skate,
        peak_jerk: gap.peak_jerk,
    });
    let keys = made.keys.iter().map(ends).collect();
    let places = made.places.iter().map(|&At { x, z, heading }| PlaceReport { x, z, heading }).collect();
    to_js(&Report { keys, places, gaps: gaps.collect(), warnings: &made.warnings })
}

/// Gathers the keys of one `inbetween`.
#[wasm_bindgen]
#[derive(Default)]
pub struct Keys {
    clips: Vec<ClipHandle>,
    /// Clip, its frames, where they stand.
    keys: Vec<(usize, Range<usize>, Option<At>)>,
    given: Given,
    /// To the questions of "delta", in their order.
    answers: Vec<Vec<f32>>,
}

#[wasm_bindgen]
impl Keys {
    /// Without keys.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a clip that keys are of, by its bytes; returns its number. Keys of one clip keep their place to each other.
    ///
    /// # Errors
    /// Throws what [`crate::motion::pack::unpack`] returns.
    pub fn clip(&mut self, bytes: &[u8]) -> Result<u32, JsValue> {
        ClipHandle::gather(&mut self.clips, bytes)?;
        Ok(self.clips.len() as u32 - 1)
    }

    /// Adds frames `from` to `to` of a clip, by its number, which stand at x, z, facing `heading`, where all three are given.
    pub fn add(&mut self, clip: u32, from: u32, to: u32, x: Option<f32>, z: Option<f32>, heading: Option<f32>) {
        self.keys.push((clip as usize, from as usize..to as usize, place(x, z, heading)));
    }

    /// A network, for the method of its name.
    pub fn network(&mut self, network: &CpuInbetweener) {
        self.given.add(network);
    }

    /// What "delta" would be asked, rows of each question, so that another device answers.
    ///
    /// # Errors
    /// Throws what [`crate::inbetween::inbetween`] returns.
    pub fn questions(&self, options: JsValue) -> Result<Vec<Float32Array>, JsValue> {
        let (_, options) = read(options)?;
        let asked = Questions::default();
        let progress = &mut Progress::silent();
        let session = Session::new(&self.keys(), &options, progress).map_err(js_error)?;
        session.solve(Inbetweener::Delta(&asked), progress).map_err(js_error)?;
        Ok(asked.taken().iter().map(|rows| Float32Array::from(&rows[..])).collect())
    }

    /// The next question's answer, of all its tokens.
    pub fn answer(&mut self, rows: Vec<f32>) {
        self.answers.push(rows);
    }

    /// Makes the motion, by answers where there are some. `progress(stage, done)` returns whether to go on.
    ///
    /// # Errors
    /// Throws what [`crate::inbetween::inbetween`] returns, and whatever `progress` throws.
    pub fn run(&self, options: JsValue, progress: &Function) -> Result<InbetweenHandle, JsValue> {
        let (method, options) = read(options)?;
        let given = Replies::new(&self.answers);
        let made = listened(progress, |progress| {
            let method = match Inbetweener::from_name(&method, self.given.networks())? {
                Inbetweener::Delta(_) if !self.answers.is_empty() => Inbetweener::Delta(&given),
                method => method,
            };
            Session::new(&self.keys(), &options, progress)?.solve(method, progress)
        })?;
        let report = report(&made)?;
        Ok(InbetweenHandle { clip: self.first()?.derived(made.clip), report })
    }

    /// Keys made ready to be dragged.
    ///
    /// # Errors
    /// Throws what [`Session::new`] returns.
    pub fn session(&self, options: JsValue) -> Result<InbetweenSession, JsValue> {
        let (method, options) = read(options)?;
        Inbetweener::from_name(&method, self.given.networks()).map_err(js_error)?;
        let session = Session::new(&self.keys(), &options, &mut Progress::silent()).map_err(js_error)?;
        Ok(InbetweenSession {
            session,
            method,
            given: self.given.clone(),
            first: self.first()?.share(),
            made: None,
            pose: Pose::default(),
            row: Vec::new(),
        })
    }
}

impl Keys {
    fn keys(&self) -> Vec<Key<'_>> {
        let mut keys = Vec::with_capacity(self.keys.len());
        for (clip, frames, at) in &self.keys {
            let Some(Input { clip, rig }) = self.clips.get(*clip).map(ClipHandle::input) else { continue };
            keys.push(Key { clip, rig, frames: frames.clone(), at: *at });
        }
        keys
    }

    /// Fewer than two keys are refused, so after that there is a first.
    fn first(&self) -> Result<&ClipHandle, JsValue> {
        let first = self.keys.first().and_then(|(clip, ..)| self.clips.get(*clip));
        first.ok_or_else(|| js_error(Error::Aborted))
    }
}

fn place(x: Option<f32>, z: Option<f32>, heading: Option<f32>) -> Option<At> {
    let ((x, z), heading) = x.zip(z).zip(heading)?;
    Some(At { x, z, heading })
}

/// Result of `inbetween`.
#[wasm_bindgen]
pub struct InbetweenHandle {
    clip: ClipHandle,
    report: JsValue,
}

#[wasm_bindgen]
impl InbetweenHandle {
    /// The result as a clip.
    pub fn clip(&self) -> ClipHandle {
        self.clip.share()
    }

    /// Keys, gaps and warnings, by name.
    pub fn report(&self) -> JsValue {
        self.report.clone()
    }
}

/// Keys that are dragged: synchronous, one solution at a time.
#[wasm_bindgen]
pub struct InbetweenSession {
    session: Session,
    method: String,
    given: Given,
    first: ClipHandle,
    made: Option<Inbetween>,
    pose: Pose,
    row: Vec<f32>,
}

#[wasm_bindgen]
impl InbetweenSession {
    /// Moves a key; without numbers it stands where its clip has it, or where the motion leads.
    ///
    /// # Errors
    /// Throws what [`Session::place`] returns.
    pub fn place(&mut self, key: u32, x: Option<f32>, z: Option<f32>, heading: Option<f32>) -> Result<(), JsValue> {
        self.session.place(key as usize, place(x, z, heading)).map_err(js_error)
    }

    /// Sets the frames of a gap.
    ///
    /// # Errors
    /// Throws what [`Session::set_frames`] returns.
    #[wasm_bindgen(js_name = setFrames)]
    pub fn set_frames(&mut self, gap: u32, frames: u32) -> Result<(), JsValue> {
        self.session.set_frames(gap as usize, frames as usize).map_err(js_error)
    }

    /// A network, for the method of its name.
    pub fn network(&mut self, network: &CpuInbetweener) {
        self.given.add(network);
    }

    /// Which of its answers "manifold" gives; its mean without a number.
    #[wasm_bindgen(js_name = setSeed)]
    pub fn set_seed(&mut self, seed: Option<f64>) {
        self.session.set_seed(seed.map(|seed| seed as u64));
    }

    /// Where on its manifold "manifold" goes: what is added to the latent variable.
    #[wasm_bindgen(js_name = setLatent)]
    pub fn set_latent(&mut self, latent: Vec<f32>) {
        self.session.set_latent(latent);
    }

    /// How "dcmoe" moves; the usual way without a name.
    #[wasm_bindgen(js_name = setStyle)]
    pub fn set_style(&mut self, style: Option<String>) {
        self.session.set_style(style);
    }

    /// Where "dcmoe" goes: x and z of points evenly spaced in time; by itself without any.
    ///
    /// # Errors
    /// Throws what [`Session::set_path`] returns.
    #[wasm_bindgen(js_name = setPath)]
    pub fn set_path(&mut self, path: Option<Vec<f32>>) -> Result<(), JsValue> {
        let path = path.map(|numbers| points(numbers.as_chunks::<2>().0.to_vec()));
        self.session.set_path(path).map_err(js_error)
    }

    /// Ways to the second key, which stays where it stands now: { path, frames, speed } of each.
    ///
    /// # Errors
    /// Throws what [`Session::candidates`] returns.
    pub fn candidates(&mut self, options: JsValue) -> Result<JsValue, JsValue> {
        self.session.stay();
        candidates::candidates(&self.session, &self.given, options)
    }

    /// Sets the method.
    ///
    /// # Errors
    /// Throws what [`Inbetweener::from_name`] returns.
    #[wasm_bindgen(js_name = setMethod)]
    pub fn set_method(&mut self, method: &str) -> Result<(), JsValue> {
        Inbetweener::from_name(method, self.given.networks()).map_err(js_error)?;
        self.method = method.to_owned();
        Ok(())
    }

    /// Where each key stands: x, z, heading, [keys × 3].
    pub fn stands(&self) -> Vec<f32> {
        self.session.stands().into_iter().flat_map(|At { x, z, heading }| [x, z, heading]).collect()
    }

    /// Makes the motion anew; returns its number of frames.
    ///
    /// # Errors
    /// Throws what [`Session::solve`] returns.
    pub fn solve(&mut self) -> Result<u32, JsValue> {
        let method = Inbetweener::from_name(&self.method, self.given.networks());
        let made = method.and_then(|method| self.session.solve(method, &mut Progress::silent())).map_err(js_error)?;
        let frames = made.clip.frames();
        self.made = Some(made);
        Ok(frames as u32)
    }

    /// Writes the world positions of the last solution, [frames × joints × 3], metres, to the beginning of an array; returns the
    /// number of frames.
    ///
    /// # Errors
    /// Throws an option error where the array is too short.
    pub fn positions(&mut self, into: &Float32Array) -> Result<u32, JsValue> {
        self.fill(into, 3, |clip, frame, pose, row| {
            pose.set(clip, frame);
            row.extend(pose.world_positions.iter().flat_map(|position| position.to_array()));
        })
    }

    /// Likewise the local rotations x, y, z, w, [frames × joints × 4].
    ///
    /// # Errors
    /// Throws an option error where the array is too short.
    pub fn rotations(&mut self, into: &Float32Array) -> Result<u32, JsValue> {
        self.fill(into, 4, |clip, frame, _, row| {
            row.extend(clip.frame_rotations(frame).iter().flat_map(|rotation| rotation.to_array()));
        })
    }

    /// Keys, gaps and warnings of the last solution, by name.
    ///
    /// # Errors
    /// Throws where nothing was solved.
    pub fn report(&self) -> Result<JsValue, JsValue> {
        report(self.made()?)
    }

    /// The last solution as a clip.
    ///
    /// # Errors
    /// Throws where nothing was solved.
    pub fn clip(&self) -> Result<ClipHandle, JsValue> {
        Ok(self.first.derived(self.made()?.clip.clone()))
    }
}

impl InbetweenSession {
    fn made(&self) -> Result<&Inbetween, JsValue> {
        self.made.as_ref().ok_or_else(unsolved)
    }

    fn fill(
        &mut self,
        into: &Float32Array,
        width: usize,
        mut row: impl FnMut(&Clip, usize, &mut Pose, &mut Vec<f32>),
    ) -> Result<u32, JsValue> {
        let clip = &self.made.as_ref().ok_or_else(unsolved)?.clip;
        self.row.clear();
        (0..clip.frames()).for_each(|frame| row(clip, frame, &mut self.pose, &mut self.row));
        let length = clip.frames() * clip.joints() * width;
        if (into.length() as usize) < length {
            let message = format!("the array must hold {length} numbers, not {}", into.length());
            return Err(js_error(Error::Option { option: "into", message }));
        }
        into.subarray(0, length as u32).copy_from(&self.row);
        Ok(clip.frames() as u32)
    }
}

fn unsolved() -> JsValue {
    js_error(Error::Option { option: "session", message: "call solve first".to_owned() })
}
