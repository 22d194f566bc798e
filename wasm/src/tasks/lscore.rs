//! The L-score: a scanner for a pair of clips. It keeps the map of scores, so that after a changed trim only the new
//! rows and columns are scored.

use super::options::{CutFields, FrameRange, ScoreFields};
use super::value::{from_js, to_js};
use super::{ClipHandle, js_error};
use js_sys::{Float32Array, Object, Reflect, Uint8Array};
use kinestitch::error::{Error, quoted};
use kinestitch::method::lscore::ScoredCut;
use kinestitch::method::lscore::feature::Features;
use kinestitch::method::lscore::map::{Map, Scan, Strip};
use kinestitch::method::lscore::seam::{self, CutOptions};
use kinestitch::motion::resample::frame_step;
use kinestitch::progress::Progress;
use std::ops::Range;
use wasm_bindgen::prelude::*;

/// Side length of the square pieces of the map, cells. A piece is scored in some hundredths of a second; the scan can
/// be aborted between two pieces.
const PIECE_SIDE: usize = 192;

/// Scores cuts from one clip to another. Frames are those of each clip's own file; internally, the second clip is
/// scored at the rate of the first.
#[wasm_bindgen]
pub struct SeamScanner {
    scan: Scan,
    map: Option<Map>,
    /// Pieces of `map` not scored yet, the last piece first.
    pending: Vec<Strip>,
    /// Number of cells of all pieces when scoring began.
    cells: usize,
    /// Frames of the second clip per frame of the scan.
    step: f64,
    /// Frame rate of the first clip, frames per second.
    fps: f64,
    /// Number of frames of the second clip.
    second_frames: usize,
}

#[wasm_bindgen]
impl SeamScanner {
    /// Prepares two packed clips for scoring. `options` may have `window`, `minInject` and `maxInject`.
    ///
    /// # Errors
    /// Throws the errors of [`kinestitch::motion::pack::unpack`] and [`Scan::from_clips`].
    #[wasm_bindgen(constructor)]
    pub fn new(a: &[u8], b: &[u8], options: JsValue) -> Result<SeamScanner, JsValue> {
        let options = from_js::<ScoreFields>("seam", options)?.options();
        let a = ClipHandle::unpacked(a, None)?;
        let b = ClipHandle::unpacked(b, Some(&a))?;
        let (a, b) = (a.input(), b.input());
        let scan = Scan::from_clips(a.clip, a.rig, b.clip, b.rig, &options).map_err(js_error)?;
        let step = frame_step(b.clip.fps(), a.clip.fps());
        Ok(Self { step, fps: a.clip.fps(), second_frames: b.clip.frames(), ..Self::from_scan(scan) })
    }

    /// Prepares two paths of points instead of clips, [frames × points × 3] each, with the same frame rate and unit.
    /// `options` as in the constructor.
    ///
    /// # Errors
    /// Throws the errors of [`Features::new`] and [`Scan::new`].
    #[wasm_bindgen(js_name = ofPoints)]
    pub fn of_points(a: &[f32], b: &[f32], points: u32, options: JsValue) -> Result<SeamScanner, JsValue> {
        let options = from_js::<ScoreFields>("seam", options)?.options();
        let features = |name, values: &[f32]| {
            let values = values.as_chunks::<3>().0.iter().map(|&point| point.into()).collect();
            Features::new(name, points as usize, values)
        };
        let scan = features("first path", a).and_then(|a| Scan::new(a, features("second path", b)?, &options));
        Ok(Self::from_scan(scan.map_err(js_error)?))
    }

    /// Returns the number of frames used on each side of a cut.
    #[wasm_bindgen(getter)]
    pub fn window(&self) -> usize {
        self.scan.options().window
    }

    /// Returns the smoothed path through a cut, [(2 × window + inject) × points × 3], with the injected frames in the
    /// middle. The points of a clip are the joints of its [`Features`].
    ///
    /// # Errors
    /// Throws the errors of [`Scan::path`].
    pub fn path(&self, takeoff: u32, landing: u32, inject: u32) -> Result<Vec<f32>, JsValue> {
        let column = self.column(landing).map_err(js_error)?;
        let path = self.scan.path(takeoff as usize, column, inject as usize).map_err(js_error)?;
        Ok(path.into_iter().flat_map(|point| point.to_array()).collect())
    }

    /// Returns the cut from frame `takeoff` to frame `landing`.
    ///
    /// # Errors
    /// Throws the errors of [`Scan::cut`].
    pub fn cut(&self, takeoff: u32, landing: u32) -> Result<JsValue, JsValue> {
        let cut = self.column(landing).and_then(|column| self.scan.cut(takeoff as usize, column)).map_err(js_error)?;
        to_js(&self.report(cut))
    }

    /// Returns the scores of the cut from `takeoff` to `landing`, one for each number of injected frames from
    /// `minInject` to `maxInject`.
    ///
    /// # Errors
    /// Throws the errors of [`Scan::curve`].
    pub fn curve(&self, takeoff: u32, landing: u32) -> Result<Vec<f32>, JsValue> {
        self.column(landing).and_then(|column| self.scan.curve(takeoff as usize, column)).map_err(js_error)
    }

    /// Starts to score every cut from one of the frames `a_from..a_to` to one of the frames `b_from..b_to` that cuts
    /// away at most `max_cut` seconds of each clip (frames, if this scanner was made by `ofPoints`). Scores of the
    /// previous call are reused if its scan was completed.
    ///
    /// # Errors
    /// Throws the errors of [`seam::cut_frames`], [`seam::ranges`] and [`Scan::carry_over`].
    pub fn begin(
        &mut self,
        a_from: u32,
        a_to: u32,
        b_from: u32,
        b_to: u32,
        max_cut: Option<f64>,
    ) -> Result<(), JsValue> {
        let a = a_from as usize..a_to as usize;
        let b = self.columns(b_from as usize..b_to as usize).map_err(js_error)?;
        let max_cut =
            seam::cut_frames(max_cut.unwrap_or(CutOptions::default().max_cut_secs), self.fps).map_err(js_error)?;
        let (takeoffs, landings) = seam::ranges(&self.scan, a, b, max_cut).map_err(js_error)?;
        // The map of an aborted scan has cells without scores.
        let previous_map = self.map.take().filter(|_| self.pending.is_empty());
        let (map, strips) = self.scan.carry_over(previous_map.as_ref(), takeoffs, landings).map_err(js_error)?;
        self.pending = strips.iter().flat_map(|strip| strip.tiles(PIECE_SIDE)).collect();
        self.pending.reverse();
        self.cells = self.pending.iter().map(Strip::cells).sum();
        self.map = Some(map);
        Ok(())
    }

    /// Scores the next piece, for some hundredths of a second. Returns the completed fraction, 1 at the end.
    ///
    /// # Errors
    /// Throws the errors of [`Scan::fill`].
    pub fn advance(&mut self) -> Result<f64, JsValue> {
        if let (Some(map), Some(piece)) = (&mut self.map, self.pending.pop()) {
            self.scan.fill(map, &piece, &mut Progress::silent()).map_err(js_error)?;
        }
        let pending: usize = self.pending.iter().map(Strip::cells).sum();
        Ok(1.0 - pending as f64 / self.cells.max(1) as f64)
    }

    /// Returns the scored map: `takeoffs` ({from, to}), `landings` (frames of the second clip), `scores` and `injects`,
    /// [take-offs × landings].
    ///
    /// # Errors
    /// Throws "aborted" before the first [`SeamScanner::begin`].
    pub fn map(&self) -> Result<JsValue, JsValue> {
        let Some(map) = &self.map else { return Err(js_error(Error::Aborted)) };
        let takeoffs = FrameRange::from(&map.takeoffs);
        let landings: Vec<u32> = map.landings.clone().map(|landing| self.file_frame(landing) as u32).collect();
        let object = Object::new();
        // Setting a property of a fresh ordinary object cannot fail.
        let set = |key: &str, value: &JsValue| drop(Reflect::set(&object, &key.into(), value));
        set("takeoffs", &to_js(&takeoffs)?);
        set("landings", &to_js(&landings)?);
        set("scores", &Float32Array::from(&map.scores[..]));
        set("injects", &Uint8Array::from(&map.injects[..]));
        Ok(object.into())
    }

    /// Returns the best cuts of the map; `options` may have `count` and `apart`.
    ///
    /// # Errors
    /// Throws an option error for invalid options.
    pub fn best(&self, options: JsValue) -> Result<JsValue, JsValue> {
        let CutFields { count, apart, .. } = from_js("cuts", options)?;
        let options = CutOptions { count: count as usize, min_distance: apart as usize, ..Default::default() };
        let cuts =
            self.map.iter().flat_map(|map| seam::select_cuts(&self.scan, map, options.count, options.min_distance));
        to_js(&cuts.map(|cut| self.report(cut)).collect::<Vec<_>>())
    }
}

impl SeamScanner {
    fn from_scan(scan: Scan) -> Self {
        let second_frames = scan.second().frames();
        Self { scan, map: None, pending: Vec::new(), cells: 0, step: 1.0, fps: 1.0, second_frames }
    }

    /// Returns the frame of the scan nearest to a frame of the second clip.
    ///
    /// # Errors
    /// [`Error::Option`] if that frame has no complete window. (An error of [`Scan`] would give frames of the scan.)
    fn column(&self, landing: u32) -> kinestitch::Result<usize> {
        let (column, columns) = ((f64::from(landing) / self.step).round() as usize, self.scan.landings());
        if columns.contains(&column) {
            return Ok(column);
        }
        let message = format!(
            "frame {landing} of clip {}; with a window of {} frames it must be from 0 to {}",
            quoted(&self.scan.second().name),
            self.window(),
            self.file_frame(columns.end - 1)
        );
        Err(Error::Option { option: "landing", message })
    }

    /// Returns the frame of the second clip at a frame of the scan.
    fn file_frame(&self, landing: usize) -> usize {
        (landing as f64 * self.step).round() as usize
    }

    /// Returns the frames of the scan within a range of the second clip.
    ///
    /// # Errors
    /// Those of [`seam::check_trim`].
    fn columns(&self, file_frames: Range<usize>) -> kinestitch::Result<Range<usize>> {
        seam::check_trim(&file_frames, &self.scan.second().name, self.second_frames)?;
        let start = (file_frames.start as f64 / self.step - 1e-6).ceil() as usize;
        let end = (((file_frames.end as f64 - 1.0) / self.step + 1e-6).floor() + 1.0) as usize;
        Ok(start..end.max(start))
    }

    fn report(&self, cut: ScoredCut) -> ScoredCut {
        ScoredCut { landing: self.file_frame(cut.landing), ..cut }
    }
}
