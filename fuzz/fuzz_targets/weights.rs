//! Any bytes as a weight file: what is read is run as the network it says it is. `node scripts/fuzz.mjs weights`

#![no_main]

#[path = "../../tests/common/networks.rs"]
mod networks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = networks::run(bytes);
});
