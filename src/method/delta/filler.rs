//! The delta in-betweener as a gap filler. It has no options, and can be evaluated on a GPU.

use super::network::NAME;
use super::{Delta, answer, questions};
use crate::error::{Error, Result};
use crate::feature::delta::{OUTPUT, Question};
use crate::method::filler::{BodyGap, Filler, Gap, Motion, NoOptions, Options, check, read_options};
use crate::method::registry::{Registered, Source};
use std::slice::Iter;
use std::sync::Arc;

/// Its entry in the registry.
pub const FILLER: Registered = Registered::of::<NoOptions>(
    NAME,
    Source::Weights(|weights| Ok(Box::new(DeltaFiller(Arc::new(Delta::read(weights)?))))),
)
.shown("Network", "A network trained on recordings corrects the interpolation. Human bodies only.")
.about("A transformer that predicts the difference of human motion from plain interpolation")
.on_gpu();

#[derive(Clone)]
struct DeltaFiller(Arc<Delta>);

/// Inputs of the network for a gap and for the mirrored gap.
fn inputs(gap: &BodyGap) -> Result<[Question; 2]> {
    let BodyGap { past, target, frames, offsets, ground, .. } = gap;
    check(past, target, *frames, offsets, *ground)?;
    Ok(questions(past, target, *frames, offsets, *ground))
}

impl Filler for DeltaFiller {
    fn name(&self) -> &'static str {
        NAME
    }

    fn with(&self, options: &Options) -> Result<Box<dyn Filler>> {
        read_options::<NoOptions>(NAME, options).map(|_| Box::new(self.clone()) as Box<dyn Filler>)
    }

    fn fill(&self, gap: &Gap) -> Result<Motion> {
        let BodyGap { past, target, frames, offsets, ground, .. } = gap.body()?;
        self.0.fill(past, target, *frames, offsets, *ground).map(Motion::Body)
    }

    fn questions(&self, gap: &Gap) -> Result<Vec<Vec<f32>>> {
        Ok(inputs(gap.body()?)?.map(|question| question.rows).to_vec())
    }

    /// Each answer has the output rows of all tokens, [past + gap + target, [`OUTPUT`]].
    fn answered(&self, gap: &Gap, answers: &mut Iter<'_, Vec<f32>>) -> Result<Motion> {
        let questions = inputs(gap.body()?)?;
        let mut rows = |question: &Question| {
            let of_gap = |rows: &Vec<f32>| {
                let rows = rows.get(question.past * OUTPUT..)?;
                Some(rows.get(..question.base.len() * OUTPUT)?.to_vec())
            };
            let missing = || Error::Device {
                message: format!("the network outputs for gap {} are missing or have another length", gap.index),
            };
            answers.next().and_then(of_gap).ok_or_else(missing)
        };
        let rows = [rows(&questions[0])?, rows(&questions[1])?];
        answer(&questions[0], rows).map(Motion::Body)
    }
}
