//! `stitch`: each seam in a given join, or in the most natural one. The work is done in steps, between which the thread
//! can receive messages.

use super::draft::DraftHandle;
use super::inbetweener::{CpuInbetweener, LoadedNetworks};
use super::judge::CpuJudge;
use super::listener::with_progress;
use super::refiner::CpuRefiner;
use super::stitched::StitchedHandle;
use super::value::from_js;
use super::{ClipHandle, js_error};
use js_sys::Function;
use kinestitch::error::Error;
use kinestitch::judge::Judge;
use kinestitch::judge::score::Scoring;
use kinestitch::method::rmr::PackedRmr;
use kinestitch::stitch::{self, Auto, Draft, Input, JoinChoice, Networks, Prepared, StitchOptions};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// One call of `stitch`: collects clips and networks, prepares the clips, searches for cuts and joins, and joins the
/// clips.
#[wasm_bindgen]
pub struct Stitcher {
    clips: Vec<ClipHandle>,
    options: StitchOptions,
    networks: LoadedNetworks,
    refiner: Option<Rc<PackedRmr>>,
    judge: Option<Rc<Judge>>,
    search: Option<Search>,
}

/// The search between [`Stitcher::prepare`] and the join.
enum Search {
    /// For the cuts of given joins.
    Cuts(Box<Prepared>),
    /// For the most natural joins.
    Joins(Box<Auto>),
}

#[wasm_bindgen]
impl Stitcher {
    /// Creates a call without clips. `options`: [`StitchOptions`], without short forms.
    ///
    /// # Errors
    /// Throws an option error for invalid options.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> Result<Self, JsValue> {
        let options = from_js("stitch", options)?;
        let (clips, networks) = (Vec::new(), LoadedNetworks::default());
        Ok(Self { clips, options, networks, refiner: None, judge: None, search: None })
    }

    /// Adds a clip, packed as bytes by [`kinestitch::motion::pack::pack`].
    ///
    /// # Errors
    /// Throws the errors of [`kinestitch::motion::pack::unpack`].
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        ClipHandle::gather(&mut self.clips, bytes)
    }

    /// Adds a network that fills gaps, for the method of its name.
    pub fn network(&mut self, network: &CpuInbetweener) {
        self.networks.add(network);
    }

    /// Sets the network that refines seams.
    pub fn refiner(&mut self, network: &CpuRefiner) {
        self.refiner = Some(network.share());
    }

    /// Sets the judge that compares joins.
    pub fn judge(&mut self, judge: &CpuJudge) {
        self.judge = Some(judge.share());
    }

    /// Trims, resamples and retargets the clips; [`Stitcher::advance`] comes next. `progress(stage, done)` returns
    /// whether to continue.
    ///
    /// # Errors
    /// Throws the errors of [`Auto::new`] or [`Prepared::new`], and any exception of `progress`.
    pub fn prepare(&mut self, progress: &Function) -> Result<(), JsValue> {
        let (inputs, options) = (self.inputs(), &self.options);
        let search = with_progress(progress, |progress| match options.join {
            JoinChoice::Auto { .. } => Auto::new(&inputs, options, progress).map(Box::new).map(Search::Joins),
            JoinChoice::With(_) => Prepared::new(&inputs, options, progress).map(Box::new).map(Search::Cuts),
        })?;
        self.search = Some(search);
        Ok(())
    }

    /// Continues a cut search for some hundredths of a second, or tries one join. Returns the completed fraction, 1 when
    /// [`Stitcher::draft`] or [`Stitcher::run`] comes next.
    ///
    /// # Errors
    /// Throws the errors of [`Auto::advance`] or [`Prepared::advance`], any exception of `progress`, and "aborted" if
    /// the clips are not prepared.
    pub fn advance(&mut self, progress: &Function) -> Result<f32, JsValue> {
        let mut search = self.take_search()?;
        let inputs = self.inputs();
        let fraction = with_progress(progress, |progress| match &mut search {
            Search::Cuts(prepared) => prepared.advance(progress),
            Search::Joins(auto) => auto.advance(&inputs[0], &self.options, &self.networks(), progress),
        })?;
        self.search = Some(search);
        Ok(fraction)
    }

    /// Joins the prepared clips for a refiner that runs elsewhere. For a call whose options refine all seams.
    ///
    /// # Errors
    /// Throws the errors of [`stitch::join_prepared`] and [`Draft::new`], any exception of `progress`, and "aborted" if
    /// the clips are not prepared.
    pub fn draft(&mut self, progress: &Function) -> Result<DraftHandle, JsValue> {
        let Search::Cuts(prepared) = self.take_search()? else { return Err(js_error(Error::Aborted)) };
        let inputs = self.inputs();
        let draft = with_progress(progress, |progress| {
            Draft::new(stitch::join_prepared(*prepared, &inputs, &self.options, progress)?)
        })?;
        Ok(DraftHandle::new(draft, self.first()?))
    }

    /// Joins the prepared clips, with the added networks. `progress` as in [`Stitcher::prepare`].
    ///
    /// # Errors
    /// Throws the errors of [`stitch::stitch_with_networks`], any exception of `progress`, and "aborted" if the clips
    /// are not prepared.
    pub fn run(&mut self, progress: &Function) -> Result<StitchedHandle, JsValue> {
        let search = self.take_search()?;
        let (inputs, networks, options) = (self.inputs(), self.networks(), &self.options);
        let stitched = with_progress(progress, |progress| match search {
            Search::Joins(search) => search.finish(&inputs, options, &networks, progress),
            Search::Cuts(prepared) => {
                let joined = stitch::join_prepared(*prepared, &inputs, options, progress)?;
                stitch::finish_with_networks(joined, options, &networks, progress)
            }
        })?;
        Ok(StitchedHandle::new(stitched, self.first()?))
    }
}

impl Stitcher {
    fn inputs(&self) -> Vec<Input<'_>> {
        self.clips.iter().map(ClipHandle::input).collect()
    }

    /// Returns the first clip. It exists after the preparation, which fails on an empty list.
    fn first(&self) -> Result<&ClipHandle, JsValue> {
        self.clips.first().ok_or_else(|| js_error(Error::Aborted))
    }

    fn take_search(&mut self) -> Result<Search, JsValue> {
        self.search.take().ok_or_else(|| js_error(Error::Aborted))
    }

    fn networks(&self) -> Networks<'_> {
        Networks {
            fillers: &self.networks.fillers,
            refiner: self.refiner.as_deref(),
            scoring: Scoring { judge: self.judge.as_deref() },
        }
    }
}
