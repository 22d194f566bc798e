//! Valid weight files with any numbers: the first byte selects the network, the other bytes give its numbers, four
//! bytes each; if there are too few, they repeat. The output must be finite, or an error.
//! Run: `node scripts/fuzz.mjs networks`

#![no_main]

#[path = "../../tests/common/networks.rs"]
#[allow(dead_code)]
mod networks;

use networks::{WeightTemplate, small_templates};
use std::sync::LazyLock;

static TEMPLATES: LazyLock<Vec<WeightTemplate>> = LazyLock::new(small_templates);

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((network, number_bytes)) = bytes.split_first() else { return };
    let numbers: Vec<f32> = number_bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    if numbers.is_empty() {
        return;
    }
    // This target tests the networks, so numbers that the reader of weights would refuse are replaced.
    let number_at = |index: usize| {
        let number = numbers[index % numbers.len()];
        if number.is_finite() { number.clamp(-1e6, 1e6) } else { 1.0 }
    };
    let template = &TEMPLATES[usize::from(*network) % TEMPLATES.len()];
    let mut index = 0;
    let _ = networks::run(&template.file(|_, _| {
        index += 1;
        number_at(index - 1)
    }));
});
