//! Any bytes as a weight file. Weights that can be read are run as the network that the file names.
//! Run: `node scripts/fuzz.mjs weights`

#![no_main]

#[path = "../../tests/common/networks.rs"]
#[allow(dead_code)]
mod networks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = networks::run(bytes);
});
