//! Any bytes as a packed clip: what is read comes back to the bit, and is written, mapped and resampled. `node
//! scripts/fuzz.mjs pack`

#![no_main]

#[path = "../../tests/common/networks.rs"]
mod networks;
#[path = "../../tests/common/readers.rs"]
mod readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    readers::pack(bytes);
});
