//! A JavaScript function that receives progress reports.

use super::{clock, js_error};
use js_sys::Function;
use kinestitch::error::{Error, Result};
use kinestitch::progress::Progress;
use std::cell::RefCell;
use std::ops::ControlFlow;
use wasm_bindgen::prelude::*;

/// Reports progress to `function(stage, done)`, which returns whether to continue; an exception also aborts.
pub(super) struct Listener<'a> {
    function: &'a Function,
    thrown: RefCell<Option<JsValue>>,
}

impl<'a> Listener<'a> {
    pub(super) fn new(function: &'a Function) -> Self {
        Self { function, thrown: RefCell::new(None) }
    }

    /// Returns a progress that reports to the function, with the clock of the thread.
    pub(super) fn progress(&self) -> Progress<'_> {
        Progress::new(|stage, done| {
            match self.function.call2(&JsValue::NULL, &stage.name().into(), &f64::from(done).into()) {
                Ok(should_continue) if should_continue.is_truthy() => ControlFlow::Continue(()),
                Ok(_) => ControlFlow::Break(()),
                Err(error) => {
                    self.thrown.replace(Some(error));
                    ControlFlow::Break(())
                }
            }
        })
        .with_clock(clock::now)
    }

    /// Converts an error to a JavaScript error: the exception of the function, if it threw one.
    pub(super) fn to_js_error(&self, error: Error) -> JsValue {
        self.thrown.take().unwrap_or_else(|| js_error(error))
    }
}

/// Runs `work` with a progress that reports to `function`.
pub(super) fn with_progress<T>(
    function: &Function,
    work: impl FnOnce(&mut Progress) -> Result<T>,
) -> std::result::Result<T, JsValue> {
    let listener = Listener::new(function);
    work(&mut listener.progress()).map_err(|error| listener.to_js_error(error))
}
