//! Any bytes as a trajectory gallery. A gallery that can be read is searched, and the paths of its candidates must be
//! finite. `node scripts/fuzz.mjs gallery`

#![no_main]

#[path = "../../tests/common/networks.rs"]
#[allow(dead_code)]
mod networks;
#[path = "../../tests/common/readers.rs"]
#[allow(dead_code)]
mod readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    readers::gallery(bytes);
});
