//! The delta in-betweener's optimizer: Muon for the layers' matrices, AdamW for all other parameters.

use crate::schedule::adamw;
use burn::module::ParamGroup;
use burn::optim::decay::WeightDecayConfig;
use burn::optim::{AdjustLrFn, LearningRate, ModuleOptimizer, Muon, MuonConfig, MuonState, Optimizer};
use burn::tensor::{Device, Tensor};

/// Weight decay of matrices.
const DECAY: f32 = 0.02;

/// Creates the optimizer. The layers' matrices are trained by Muon (Jordan et al. 2024) at `rate_factor` times the
/// schedule's rate; Muon's updates are scaled to the size of AdamW's (Liu et al. 2025, *Muon is scalable for LLM
/// training*, section 2.2). If `rate_factor` is 0, AdamW trains all parameters.
pub fn optimizer(rate_factor: f32) -> ModuleOptimizer {
    let optimizer = adamw(0.0)
        .init()
        .with_group(ParamGroup::from_predicate("weight"), adamw(DECAY).build(), None)
        .with_group(ParamGroup::from_predicate("distance"), adamw(DECAY).build(), None); // attention's distance biases
    if rate_factor <= 0.0 {
        return optimizer;
    }
    let muon = MuonConfig::new()
        .with_weight_decay(Some(WeightDecayConfig::new(DECAY)))
        .with_adjust_lr_fn(AdjustLrFn::MatchRmsAdamW)
        .build();
    let matrices = ParamGroup::from_predicates(vec!["layers", "weight"]);
    optimizer.with_group(matrices, ScaledMuon { muon, factor: f64::from(rate_factor) }, None)
}

/// Muon at a multiple of the schedule's rate.
#[derive(Clone)]
struct ScaledMuon {
    muon: Muon,
    factor: f64,
}

impl Optimizer for ScaledMuon {
    type State<const D: usize> = MuonState<D>;

    fn step<const D: usize>(
        &self,
        rate: LearningRate,
        tensor: Tensor<D>,
        gradient: Tensor<D>,
        state: Option<MuonState<D>>,
    ) -> (Tensor<D>, Option<MuonState<D>>) {
        self.muon.step(rate * self.factor, tensor, gradient, state)
    }

    fn to_device<const D: usize>(state: MuonState<D>, device: &Device) -> MuonState<D> {
        Muon::to_device(state, device)
    }
}
