//! `inbetween` with its keys and result, and sessions in which keys are dragged.

use super::candidates;
use super::inbetween_auto::AutoInbetween;
use super::inbetween_fields::InbetweenFields;
use super::inbetweener::{CpuInbetweener, LoadedNetworks};
use super::judge::CpuJudge;
use super::listener::with_progress;
use super::report::report;
use super::value::from_js;
use super::{ClipHandle, js_error};
use js_sys::{Float32Array, Function};
use kinestitch::error::Error;
use kinestitch::inbetween::{GroundPose, Inbetween, InbetweenOptions, Key, Session};
use kinestitch::judge::Judge;
use kinestitch::judge::score::Scoring;
use kinestitch::method::registry::FillerChoice;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::fk::Pose;
use kinestitch::progress::Progress;
use kinestitch::stitch::Input;
use std::ops::Range;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// Reads the method and the options of `inbetween`.
fn read_options(options: JsValue) -> Result<(FillerChoice, InbetweenOptions), JsValue> {
    let fields: InbetweenFields = from_js("options", options)?;
    Ok(fields.into_options())
}

/// Collects the keys and networks of one call of `inbetween`.
#[wasm_bindgen]
#[derive(Default)]
pub struct Keys {
    clips: Vec<ClipHandle>,
    /// Clip, frames and ground pose of each key.
    keys: Vec<(usize, Range<usize>, Option<GroundPose>)>,
    networks: LoadedNetworks,
    judge: Option<Rc<Judge>>,
    /// Network outputs for [`Keys::network_inputs`], in their order.
    outputs: Vec<Vec<f32>>,
}

#[wasm_bindgen]
impl Keys {
    /// Creates a collection without keys.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a clip, given by its bytes; returns the index by which keys refer to it. Keys of one clip keep their
    /// relative position.
    ///
    /// # Errors
    /// Throws the errors of [`kinestitch::motion::pack::unpack`].
    pub fn clip(&mut self, bytes: &[u8]) -> Result<u32, JsValue> {
        ClipHandle::gather(&mut self.clips, bytes)?;
        Ok(self.clips.len() as u32 - 1)
    }

    /// Adds a key: frames `from` to `to` (excluded) of the clip with index `clip`. If x, z (metres) and `heading`
    /// (radians) are all given, the key is placed there.
    pub fn add(&mut self, clip: u32, from: u32, to: u32, x: Option<f32>, z: Option<f32>, heading: Option<f32>) {
        self.keys.push((clip as usize, from as usize..to as usize, ground_pose(x, z, heading)));
    }

    /// Adds a network, for the method of its name.
    pub fn network(&mut self, network: &CpuInbetweener) {
        self.networks.add(network);
    }

    /// Returns the names of the available methods: those without a network, and those whose network was added.
    pub fn methods(&self) -> Vec<String> {
        self.networks.fillers.names().map(str::to_owned).collect()
    }

    /// Sets the judge that scores results, and by which fillers are compared.
    pub fn judge(&mut self, judge: &CpuJudge) {
        self.judge = Some(judge.share());
    }

    /// Starts a search for the most natural filler of each gap; the method of the options is ignored.
    ///
    /// # Errors
    /// Throws the errors of [`Session::new`].
    pub fn auto(&self, options: JsValue) -> Result<AutoInbetween, JsValue> {
        let (_, options) = read_options(options)?;
        let session = Session::new(&self.keys(), &options, &mut Progress::silent()).map_err(js_error)?;
        Ok(AutoInbetween::new(session, self.networks.clone(), self.judge.clone(), self.first()?.share()))
    }

    /// Returns the network inputs of the method for the GPU, one array per input; empty if it runs on the CPU only.
    ///
    /// # Errors
    /// Throws the errors of [`kinestitch::inbetween::inbetween`].
    #[wasm_bindgen(js_name = networkInputs)]
    pub fn network_inputs(&self, options: JsValue) -> Result<Vec<Float32Array>, JsValue> {
        let (method, options) = read_options(options)?;
        let rows = || {
            let filler = self.networks.fillers.get(&method)?;
            Session::new(&self.keys(), &options, &mut Progress::silent())?.network_inputs(filler.as_ref())
        };
        Ok(rows().map_err(js_error)?.iter().map(|rows| Float32Array::from(&rows[..])).collect())
    }

    /// Adds the network output for the next input: the output rows of all its tokens.
    #[wasm_bindgen(js_name = addNetworkOutput)]
    pub fn add_network_output(&mut self, rows: Vec<f32>) {
        self.outputs.push(rows);
    }

    /// Makes the motion, from the added network outputs if there are any. `progress(stage, done)` returns whether to
    /// continue.
    ///
    /// # Errors
    /// Throws the errors of [`kinestitch::inbetween::inbetween`], and any exception of `progress`.
    pub fn run(&self, options: JsValue, progress: &Function) -> Result<InbetweenHandle, JsValue> {
        let (method, options) = read_options(options)?;
        let motion = with_progress(progress, |progress| {
            let filler = self.networks.fillers.get(&method)?;
            let session = Session::new(&self.keys(), &options, progress)?;
            match self.outputs.is_empty() {
                true => session.solve(filler.as_ref(), progress),
                false => session.solve_from_outputs(filler.as_ref(), &self.outputs, progress),
            }
        })?;
        InbetweenHandle::new(motion, self.first()?)
    }

    /// Creates a session of these keys, for dragging.
    ///
    /// # Errors
    /// Throws the errors of [`Session::new`].
    pub fn session(&self, options: JsValue) -> Result<InbetweenSession, JsValue> {
        let (method, options) = read_options(options)?;
        self.networks.fillers.get(&method).and_then(|filler| filler.check(self.keys.len())).map_err(js_error)?;
        let session = Session::new(&self.keys(), &options, &mut Progress::silent()).map_err(js_error)?;
        Ok(InbetweenSession {
            session,
            method,
            networks: self.networks.clone(),
            judge: self.judge.clone(),
            first: self.first()?.share(),
            solution: None,
            pose: Pose::default(),
            values: Vec::new(),
        })
    }
}

impl Keys {
    fn keys(&self) -> Vec<Key<'_>> {
        let mut keys = Vec::with_capacity(self.keys.len());
        for (clip, frames, ground_pose) in &self.keys {
            let Some(Input { clip, rig }) = self.clips.get(*clip).map(ClipHandle::input) else { continue };
            keys.push(Key { clip, rig, frames: frames.clone(), at: *ground_pose });
        }
        keys
    }

    /// Returns the clip of the first key. It exists after a motion was made, because fewer than two keys are refused.
    fn first(&self) -> Result<&ClipHandle, JsValue> {
        let first = self.keys.first().and_then(|(clip, ..)| self.clips.get(*clip));
        first.ok_or_else(|| js_error(Error::Aborted))
    }
}

/// Returns the ground pose, if all three numbers are given.
fn ground_pose(x: Option<f32>, z: Option<f32>, heading: Option<f32>) -> Option<GroundPose> {
    let ((x, z), heading) = x.zip(z).zip(heading)?;
    Some(GroundPose::new(x, z, heading))
}

/// Result of `inbetween`.
#[wasm_bindgen]
pub struct InbetweenHandle {
    clip: ClipHandle,
    report: JsValue,
}

impl InbetweenHandle {
    /// Creates the handle of a motion. `first`: the clip of its first key.
    pub(super) fn new(motion: Inbetween, first: &ClipHandle) -> Result<Self, JsValue> {
        let report = report(&motion)?;
        Ok(Self { clip: first.derived(motion.clip), report })
    }
}

#[wasm_bindgen]
impl InbetweenHandle {
    /// Returns the result as a clip.
    pub fn clip(&self) -> ClipHandle {
        self.clip.share()
    }

    /// Returns the keys, gaps and warnings, by name.
    pub fn report(&self) -> JsValue {
        self.report.clone()
    }
}

/// Keys that are dragged: solved synchronously, one solution at a time.
#[wasm_bindgen]
pub struct InbetweenSession {
    session: Session,
    method: FillerChoice,
    networks: LoadedNetworks,
    judge: Option<Rc<Judge>>,
    first: ClipHandle,
    solution: Option<Inbetween>,
    /// Buffers of [`InbetweenSession::fill`].
    pose: Pose,
    values: Vec<f32>,
}

#[wasm_bindgen]
impl InbetweenSession {
    /// Moves a key. If the numbers are omitted, the key is placed as in its clip, or by extrapolating the motion.
    ///
    /// # Errors
    /// Throws the errors of [`Session::place`].
    pub fn place(&mut self, key: u32, x: Option<f32>, z: Option<f32>, heading: Option<f32>) -> Result<(), JsValue> {
        self.session.place(key as usize, ground_pose(x, z, heading)).map_err(js_error)
    }

    /// Sets the number of frames of a gap.
    ///
    /// # Errors
    /// Throws the errors of [`Session::set_frames`].
    #[wasm_bindgen(js_name = setFrames)]
    pub fn set_frames(&mut self, gap: u32, frames: u32) -> Result<(), JsValue> {
        self.session.set_frames(gap as usize, frames as usize).map_err(js_error)
    }

    /// Adds a network, for the method of its name.
    pub fn network(&mut self, network: &CpuInbetweener) {
        self.networks.add(network);
    }

    /// Finds paths to the second key, which keeps its current ground pose: { path, frames, speed } of each.
    ///
    /// # Errors
    /// Throws the errors of [`Session::candidates`].
    pub fn candidates(&mut self, options: JsValue) -> Result<JsValue, JsValue> {
        self.session.fix_keys();
        candidates::candidates(&self.session, &self.networks, options)
    }

    /// Sets the method: a name, or an object of the name and the method's own options.
    ///
    /// # Errors
    /// Throws the errors of [`kinestitch::method::registry::Fillers::get`].
    #[wasm_bindgen(js_name = setMethod)]
    pub fn set_method(&mut self, method: JsValue) -> Result<(), JsValue> {
        let method: FillerChoice = from_js("method", method)?;
        self.networks.fillers.get(&method).and_then(|filler| filler.check(self.session.keys())).map_err(js_error)?;
        self.method = method;
        Ok(())
    }

    /// Returns the ground pose of each key: x, z, heading, [keys × 3].
    #[wasm_bindgen(js_name = groundPoses)]
    pub fn ground_poses(&self) -> Vec<f32> {
        self.session
            .ground_poses()
            .into_iter()
            .flat_map(|pose| [pose.position.x, pose.position.z, pose.heading])
            .collect()
    }

    /// Solves again; returns the number of frames.
    ///
    /// # Errors
    /// Throws the errors of [`Session::solve`].
    pub fn solve(&mut self) -> Result<u32, JsValue> {
        let filler = self.networks.fillers.get(&self.method);
        let solution = filler.and_then(|filler| self.session.solve(filler.as_ref(), &mut Progress::silent()));
        let solution = solution.map_err(js_error)?;
        let frames = solution.clip.frames();
        self.solution = Some(solution);
        Ok(frames as u32)
    }

    /// Writes the world positions of the last solution, [frames × joints × 3], metres, to the beginning of an array;
    /// returns the number of frames.
    ///
    /// # Errors
    /// Throws an option error if the array is too short.
    pub fn positions(&mut self, array: &Float32Array) -> Result<u32, JsValue> {
        self.fill(array, 3, |clip, frame, pose, values| {
            pose.set(clip, frame);
            values.extend(pose.world_positions.iter().flat_map(|position| position.to_array()));
        })
    }

    /// Writes the local rotations x, y, z, w of the last solution, [frames × joints × 4], to the beginning of an array;
    /// returns the number of frames.
    ///
    /// # Errors
    /// Throws an option error if the array is too short.
    pub fn rotations(&mut self, array: &Float32Array) -> Result<u32, JsValue> {
        self.fill(array, 4, |clip, frame, _, values| {
            values.extend(clip.frame_rotations(frame).iter().flat_map(|rotation| rotation.to_array()));
        })
    }

    /// Scores the last solution by the mean score of its gaps: lower is more natural.
    ///
    /// # Errors
    /// Throws an option error before the first [`InbetweenSession::solve`], and the errors of [`Session::scores`].
    pub fn score(&self) -> Result<f32, JsValue> {
        let solution = self.solution()?;
        let scoring = Scoring { judge: self.judge.as_deref() };
        let scores = self.session.scores(solution, scoring).map_err(js_error)?;
        Ok(scores.iter().sum::<f32>() / scores.len() as f32)
    }

    /// Returns the keys, gaps and warnings of the last solution, by name.
    ///
    /// # Errors
    /// Throws an option error before the first [`InbetweenSession::solve`].
    pub fn report(&self) -> Result<JsValue, JsValue> {
        report(self.solution()?)
    }

    /// Returns the last solution as a clip.
    ///
    /// # Errors
    /// Throws an option error before the first [`InbetweenSession::solve`].
    pub fn clip(&self) -> Result<ClipHandle, JsValue> {
        Ok(self.first.derived(self.solution()?.clip.clone()))
    }
}

impl InbetweenSession {
    fn solution(&self) -> Result<&Inbetween, JsValue> {
        self.solution.as_ref().ok_or_else(missing_solution_error)
    }

    /// Writes values of the last solution to the beginning of an array; returns the number of frames. `append(clip,
    /// frame, pose, values)`: appends `width` numbers per joint for a frame to `values`; may use `pose` as a buffer.
    fn fill(
        &mut self,
        array: &Float32Array,
        width: usize,
        mut append: impl FnMut(&Clip, usize, &mut Pose, &mut Vec<f32>),
    ) -> Result<u32, JsValue> {
        let clip = &self.solution.as_ref().ok_or_else(missing_solution_error)?.clip;
        self.values.clear();
        (0..clip.frames()).for_each(|frame| append(clip, frame, &mut self.pose, &mut self.values));
        let length = clip.frames() * clip.joints() * width;
        if (array.length() as usize) < length {
            let message = format!("the array must hold at least {length} numbers, not {}", array.length());
            return Err(js_error(Error::Option { option: "into", message }));
        }
        array.subarray(0, length as u32).copy_from(&self.values);
        Ok(clip.frames() as u32)
    }
}

fn missing_solution_error() -> JsValue {
    js_error(Error::Option { option: "session", message: "there is no motion yet: call solve first".to_owned() })
}
