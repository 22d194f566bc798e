//! Whole weight files with any numbers: the first byte chooses the network, the others its numbers, four bytes each,
//! over and over. The output is finite, or an error. `node scripts/fuzz.mjs networks`

#![no_main]

#[path = "../../tests/common/networks.rs"]
mod networks;

use networks::{WeightTemplate, small_templates};
use std::sync::LazyLock;

static TEMPLATES: LazyLock<Vec<WeightTemplate>> = LazyLock::new(small_templates);

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let numbers: Vec<f32> = rest.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    if numbers.is_empty() {
        return;
    }
    // Numbers that reading refuses are brought within its limit: what lies behind is what is looked for here.
    let number = |at: usize| {
        let number = numbers[at % numbers.len()];
        if number.is_finite() { number.clamp(-1e6, 1e6) } else { 1.0 }
    };
    let blank = &TEMPLATES[usize::from(*kind) % TEMPLATES.len()];
    let mut at = 0;
    let _ = networks::run(&blank.file(|_, _| {
        at += 1;
        number(at - 1)
    }));
});
