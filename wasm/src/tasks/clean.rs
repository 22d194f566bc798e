//! `clean`: mends the faults of one motion.

use super::ClipHandle;
use super::inbetweener::{CpuInbetweener, LoadedNetworks};
use super::listener::with_progress;
use super::options::FrameRange;
use super::value::{from_js, to_js};
use js_sys::Function;
use kinestitch::edit::clean::has_dropouts;
use kinestitch::edit::{CleanOptions, Edit, Edited, Mask, Selection, clean};
use kinestitch::error::Result as KinestitchResult;
use kinestitch::method::registry::FillerChoice;
use kinestitch::motion::clip::Clip;
use kinestitch::stitch::Input;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

/// Options of `clean`; omitted ones have the defaults of the crate.
#[derive(Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct CleanFields {
    spikes: bool,
    dropouts: bool,
    jitter: f32,
    floor: f32,
    way: f32,
    feet: f32,
    from: Option<u32>,
    to: Option<u32>,
    mask: Option<Mask>,
    method: Option<FillerChoice>,
}

impl Default for CleanFields {
    fn default() -> Self {
        let CleanOptions { spikes, dropouts, jitter, floor, way, feet, .. } = CleanOptions::default();
        Self { spikes, dropouts, jitter, floor, way, feet, from: None, to: None, mask: None, method: None }
    }
}

impl CleanFields {
    fn options(&self, clip: &Clip) -> KinestitchResult<CleanOptions> {
        let frames = (self.from.is_some() || self.to.is_some()).then(|| {
            let to = self.to.map_or(clip.frames(), |to| to as usize);
            self.from.unwrap_or(0) as usize..to
        });
        let joints = self.mask.as_ref().map(|mask| mask.joints(clip.skeleton())).transpose()?;
        Ok(CleanOptions {
            spikes: self.spikes,
            dropouts: self.dropouts,
            jitter: self.jitter,
            floor: self.floor,
            way: self.way,
            feet: self.feet,
            selection: Some(Selection::new(clip, frames, joints.as_deref())?),
        })
    }
}

/// A motion to clean, and the network that fills its dropouts.
#[wasm_bindgen]
pub struct Cleaner {
    source: ClipHandle,
    networks: LoadedNetworks,
}

#[wasm_bindgen]
impl Cleaner {
    /// Reads the motion from its bytes.
    ///
    /// # Errors
    /// Throws the errors of [`kinestitch::motion::pack::unpack`].
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: &[u8]) -> Result<Self, JsValue> {
        Ok(Self { source: ClipHandle::unpacked(bytes, None)?, networks: LoadedNetworks::default() })
    }

    /// Returns whether the motion has dropouts: then a network fills them better than an interpolation.
    #[wasm_bindgen(js_name = hasDropouts)]
    pub fn has_dropouts(&self) -> bool {
        has_dropouts(self.source.input().clip)
    }

    /// Adds a network, for the method of its name.
    pub fn network(&mut self, network: &CpuInbetweener) {
        self.networks.add(network);
    }

    /// Cleans the motion. `progress(stage, done)` returns whether to continue.
    ///
    /// # Errors
    /// Throws the errors of [`clean`], and any exception of `progress`.
    pub fn run(&self, options: JsValue, progress: &Function) -> Result<EditedHandle, JsValue> {
        let fields: CleanFields = from_js("clean", options)?;
        let Input { clip, rig } = self.source.input();
        let edited = with_progress(progress, |progress| {
            let filler = self.networks.fillers.get(&fields.method.clone().unwrap_or_default())?;
            clean(clip, rig, &fields.options(clip)?, filler.as_ref(), progress)
        })?;
        Ok(EditedHandle { source: self.source.share(), edited })
    }
}

/// [`Edit`] as a JavaScript object.
#[derive(Serialize)]
struct EditReport<'a> {
    kind: &'static str,
    range: FrameRange,
    joints: Vec<&'a str>,
    text: &'a str,
    before: f32,
    after: f32,
    unit: &'static str,
}

#[derive(Serialize)]
struct Report<'a> {
    edits: Vec<EditReport<'a>>,
    warnings: &'a [String],
}

/// An edited motion with its report.
#[wasm_bindgen]
pub struct EditedHandle {
    source: ClipHandle,
    edited: Edited,
}

#[wasm_bindgen]
impl EditedHandle {
    /// Returns the motion as a clip.
    pub fn clip(&self) -> ClipHandle {
        self.source.derived(self.edited.clip.clone())
    }

    /// Returns the report: `edits` and `warnings` of the package's result.
    ///
    /// # Errors
    /// None known.
    pub fn report(&self) -> Result<JsValue, JsValue> {
        let joints = self.edited.clip.skeleton().joints();
        let mut edits = Vec::with_capacity(self.edited.edits.len());
        for Edit { kind, frames, joints: edited, text, before, after, unit } in &self.edited.edits {
            let names = edited.iter().map(|&joint| joints[joint].name.as_str()).collect();
            let (kind, range, before, after) = (kind.name(), frames.into(), *before, *after);
            edits.push(EditReport { kind, range, joints: names, text, before, after, unit: *unit });
        }
        to_js(&Report { edits, warnings: &self.edited.warnings })
    }
}
