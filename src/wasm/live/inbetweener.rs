//! The in-between networks on the CPU.

use super::js_error;
use crate::error::{Error, Result};
use crate::inbetween::Networks;
use crate::method::delta::{self, Delta};
use crate::method::manifold::{self, Manifold};
use crate::nn::weights::Weights;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// A network that is loaded.
pub(super) enum Loaded {
    Manifold(Manifold),
    Delta(Delta),
}

impl Loaded {
    fn read(weights: &[u8]) -> Result<Self> {
        let file = Weights::read(weights)?;
        match file.meta.name.as_str() {
            manifold::NAME => Manifold::read(&file).map(Self::Manifold),
            delta::network::NAME => Delta::read(&file).map(Self::Delta),
            other => {
                let message =
                    format!("\"{other}\" is no network that fills gaps; use the weights of manifold or delta");
                Err(Error::Weights { message })
            }
        }
    }
}

/// A network that fills gaps between keys: the method of its name.
#[wasm_bindgen]
pub struct CpuInbetweener {
    network: Rc<Loaded>,
}

#[wasm_bindgen]
impl CpuInbetweener {
    /// Loads a weight file.
    ///
    /// # Errors
    /// Throws with code "weights" where it does not load.
    #[wasm_bindgen(constructor)]
    pub fn new(weights: &[u8]) -> std::result::Result<CpuInbetweener, JsValue> {
        Ok(Self { network: Rc::new(Loaded::read(weights).map_err(js_error)?) })
    }
}

/// The networks that keys have been given, the last of each kind.
#[derive(Clone, Default)]
pub(super) struct Given(Vec<Rc<Loaded>>);

impl Given {
    pub(super) fn add(&mut self, network: &CpuInbetweener) {
        let kind = std::mem::discriminant(&*network.network);
        self.0.retain(|other| std::mem::discriminant(&**other) != kind);
        self.0.push(Rc::clone(&network.network));
    }

    pub(super) fn networks(&self) -> Networks<'_> {
        let mut networks = Networks::default();
        for network in &self.0 {
            match &**network {
                Loaded::Manifold(manifold) => networks.manifold = Some(manifold),
                Loaded::Delta(delta) => networks.delta = Some(delta),
            }
        }
        networks
    }
}
