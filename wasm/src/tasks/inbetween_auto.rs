//! `inbetween` with the most natural filler for each gap.

use super::ClipHandle;
use super::inbetween::InbetweenHandle;
use super::inbetweener::LoadedNetworks;
use super::js_error;
use super::listener::with_progress;
use js_sys::Function;
use kinestitch::error::Error;
use kinestitch::inbetween::{Auto, Session};
use kinestitch::judge::Judge;
use kinestitch::judge::score::Scoring;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// The search for the most natural fillers.
#[wasm_bindgen]
pub struct AutoInbetween {
    session: Session,
    networks: LoadedNetworks,
    judge: Option<Rc<Judge>>,
    /// Clip of the first key, from which the result has its source format.
    first_clip: ClipHandle,
    auto: Option<Auto>,
}

impl AutoInbetween {
    pub(super) fn new(
        session: Session,
        networks: LoadedNetworks,
        judge: Option<Rc<Judge>>,
        first_clip: ClipHandle,
    ) -> Self {
        let auto = Some(Auto::new(&session, &networks.fillers));
        Self { session, networks, judge, first_clip, auto }
    }
}

#[wasm_bindgen]
impl AutoInbetween {
    /// Tries one filler. Returns the completed fraction; at 1, all are tried: call [`AutoInbetween::run`] next.
    /// `progress(stage, done)` returns whether to continue.
    ///
    /// # Errors
    /// Throws the errors of [`Auto::advance`], and any exception of `progress`.
    pub fn advance(&mut self, progress: &Function) -> Result<f32, JsValue> {
        let Some(auto) = &mut self.auto else { return Ok(1.0) };
        let (session, fillers) = (&self.session, &self.networks.fillers);
        let scoring = Scoring { judge: self.judge.as_deref() };
        with_progress(progress, |progress| auto.advance(session, fillers, scoring, progress))
    }

    /// Fills each gap with its best filler. Can be called once. `progress` as in [`AutoInbetween::advance`].
    ///
    /// # Errors
    /// Throws the errors of [`Auto::finish`], [`Error::Aborted`] if it was called before, and any exception of
    /// `progress`.
    pub fn run(&mut self, progress: &Function) -> Result<InbetweenHandle, JsValue> {
        let auto = self.auto.take().ok_or_else(|| js_error(Error::Aborted))?;
        let motion = with_progress(progress, |progress| auto.finish(&self.session, &self.networks.fillers, progress))?;
        InbetweenHandle::new(motion, &self.first_clip)
    }
}
