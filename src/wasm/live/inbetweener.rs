//! The in-between networks on the CPU.

use super::js_error;
use crate::error::{Error, Result};
use crate::inbetween::{Gallery, Networks};
use crate::method::dcmoe;
use crate::method::delta::{self, Delta};
use crate::method::manifold::{self, Manifold};
use crate::nn::weights::Weights;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// A network that is loaded.
pub(super) enum Loaded {
    Manifold(Manifold),
    Delta(Delta),
    Dcmoe(dcmoe::Network),
}

impl Loaded {
    fn read(weights: &[u8]) -> Result<Self> {
        let file = Weights::read(weights)?;
        match file.meta.name.as_str() {
            manifold::NAME => Manifold::read(&file).map(Self::Manifold),
            delta::network::NAME => Delta::read(&file).map(Self::Delta),
            dcmoe::NAME => dcmoe::Network::read(&file).map(Self::Dcmoe),
            other => {
                let message =
                    format!("\"{other}\" is no network that fills gaps; use the weights of manifold, delta or dcmoe");
                Err(Error::Weights { message })
            }
        }
    }
}

/// A network that fills gaps between keys: the method of its name.
#[wasm_bindgen]
pub struct CpuInbetweener {
    network: Rc<Loaded>,
    gallery: Option<Rc<Gallery>>,
}

#[wasm_bindgen]
impl CpuInbetweener {
    /// Loads a weight file.
    ///
    /// # Errors
    /// Throws with code "weights" where it does not load.
    #[wasm_bindgen(constructor)]
    pub fn new(weights: &[u8]) -> std::result::Result<CpuInbetweener, JsValue> {
        Ok(Self { network: Rc::new(Loaded::read(weights).map_err(js_error)?), gallery: None })
    }

    /// Takes the gallery that its ways are from.
    ///
    /// # Errors
    /// Throws with code "weights" where it does not load.
    #[wasm_bindgen(js_name = setGallery)]
    pub fn set_gallery(&mut self, bytes: &[u8]) -> std::result::Result<(), JsValue> {
        self.gallery = Some(Rc::new(Gallery::read(bytes).map_err(js_error)?));
        Ok(())
    }

    /// Names of the styles it knows.
    pub fn styles(&self) -> Vec<String> {
        match &*self.network {
            Loaded::Dcmoe(dcmoe) => dcmoe.styles().to_vec(),
            Loaded::Manifold(_) | Loaded::Delta(_) => Vec::new(),
        }
    }
}

/// The networks that keys have been given, the last of each kind.
#[derive(Clone, Default)]
pub(super) struct Given {
    networks: Vec<Rc<Loaded>>,
    gallery: Option<Rc<Gallery>>,
}

impl Given {
    pub(super) fn add(&mut self, network: &CpuInbetweener) {
        let kind = std::mem::discriminant(&*network.network);
        self.networks.retain(|other| std::mem::discriminant(&**other) != kind);
        self.networks.push(Rc::clone(&network.network));
        if let Some(gallery) = &network.gallery {
            self.gallery = Some(Rc::clone(gallery));
        }
    }

    /// The gallery that came with one of them.
    pub(super) fn gallery(&self) -> Option<&Gallery> {
        self.gallery.as_deref()
    }

    pub(super) fn networks(&self) -> Networks<'_> {
        let mut networks = Networks::default();
        for network in &self.networks {
            match &**network {
                Loaded::Manifold(manifold) => networks.manifold = Some(manifold),
                Loaded::Delta(delta) => networks.delta = Some(delta),
                Loaded::Dcmoe(dcmoe) => networks.dcmoe = Some(dcmoe),
            }
        }
        networks
    }
}
