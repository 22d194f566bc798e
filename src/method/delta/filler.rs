//! Gap filler "delta". It has no options, and its network can run on a GPU.

use super::network::NAME;
use super::{Delta, decode, encode};
use crate::error::{Error, Result};
use crate::feature::delta::{INPUT, NetworkInput, OUTPUT};
use crate::method::filler::{BodyGap, Filler, Gap, MAX_GAP, Motion, NoOptions, OptionMap, check_gap, read_options};
use crate::method::registry::{Constructor, RegistryEntry};
use crate::method::supports::correct_supports;
use std::slice::Iter;
use std::sync::Arc;

/// Entry in the registry.
pub const FILLER: RegistryEntry = RegistryEntry::new::<NoOptions>(
    NAME,
    Constructor::Weights(|weights| Ok(Box::new(DeltaFiller(Arc::new(Delta::read(weights)?))))),
)
.with_label("Network", "A network trained on recordings corrects the interpolation. Human bodies only.")
.with_about("A transformer predicts how recorded human motion differs from the interpolation of the gap")
.with_gpu()
.with_max_gap(MAX_GAP);

#[derive(Clone)]
struct DeltaFiller(Arc<Delta>);

/// Checks a gap and encodes the network inputs for the gap and for its mirror image.
fn encode_checked(body_gap: &BodyGap) -> Result<[NetworkInput; 2]> {
    check_gap(&body_gap.keys(), body_gap.frames, MAX_GAP)?;
    Ok(encode(&body_gap.keys(), body_gap.frames))
}

impl Filler for DeltaFiller {
    fn name(&self) -> &'static str {
        NAME
    }

    fn with_options(&self, options: &OptionMap) -> Result<Box<dyn Filler>> {
        read_options::<NoOptions>(NAME, options).map(|_| Box::new(self.clone()) as Box<dyn Filler>)
    }

    fn fill(&self, gap: &Gap) -> Result<Motion> {
        let body_gap = gap.body()?;
        self.0.fill(&body_gap.keys(), body_gap.frames).map(Motion::Body)
    }

    fn network_inputs(&self, gap: &Gap) -> Result<Vec<Vec<f32>>> {
        Ok(encode_checked(gap.body()?)?.map(|input| input.rows).to_vec())
    }

    /// Decodes the outputs. Each output has the rows of all tokens, [past + gap + target, [`OUTPUT`]].
    fn fill_from_outputs(&self, gap: &Gap, outputs: &mut Iter<'_, Vec<f32>>) -> Result<Motion> {
        let body_gap = gap.body()?;
        let inputs = encode_checked(body_gap)?;
        let mut next_rows = |input: &NetworkInput| {
            let length = input.rows.len() / INPUT * OUTPUT;
            let output = outputs.next().filter(|output| output.len() == length);
            let output = output.filter(|output| output.iter().all(|value| value.is_finite()));
            let error = || Error::Device {
                message: format!(
                    "the network outputs for gap {} are missing, have the wrong length or are not finite",
                    gap.index + 1
                ),
            };
            Ok(output.ok_or_else(error)?[input.past * OUTPUT..][..input.base.len() * OUTPUT].to_vec())
        };
        let rows = [next_rows(&inputs[0])?, next_rows(&inputs[1])?];
        decode(&inputs[0], rows).map(|motion| Motion::Body(correct_supports(motion, &body_gap.keys())))
    }
}
