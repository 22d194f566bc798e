//! The in-between networks on the CPU.

use super::js_error;
use kinestitch::inbetween::Gallery;
use kinestitch::method::filler::Filler;
use kinestitch::method::registry::{self, Fillers};
use std::rc::Rc;
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// A network that fills gaps between keys: the method of its name.
#[wasm_bindgen]
pub struct CpuInbetweener {
    network: Arc<dyn Filler>,
    gallery: Option<Rc<Gallery>>,
}

#[wasm_bindgen]
impl CpuInbetweener {
    /// Loads a weight file.
    ///
    /// # Errors
    /// Throws with code "weights" if it cannot be loaded.
    #[wasm_bindgen(constructor)]
    pub fn new(weights: &[u8]) -> Result<CpuInbetweener, JsValue> {
        Ok(Self { network: registry::read(weights).map_err(js_error)?, gallery: None })
    }

    /// Sets the gallery of candidate paths.
    ///
    /// # Errors
    /// Throws with code "weights" if it cannot be loaded.
    #[wasm_bindgen(js_name = setGallery)]
    pub fn set_gallery(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        self.gallery = Some(Rc::new(Gallery::read(bytes).map_err(js_error)?));
        Ok(())
    }

    /// Returns the names of the styles.
    pub fn styles(&self) -> Vec<String> {
        self.network.styles().to_vec()
    }
}

/// Networks added to the keys of an `inbetween`.
#[derive(Clone, Default)]
pub(super) struct LoadedNetworks {
    pub fillers: Fillers,
    /// Gallery of candidate paths, if one of the networks has one.
    pub gallery: Option<Rc<Gallery>>,
}

impl LoadedNetworks {
    pub(super) fn add(&mut self, network: &CpuInbetweener) {
        self.fillers.add(Arc::clone(&network.network));
        if let Some(gallery) = &network.gallery {
            self.gallery = Some(Rc::clone(gallery));
        }
    }
}
