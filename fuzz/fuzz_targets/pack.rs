//! Any bytes as a packed clip. A clip that can be read must be bit-identical after it is packed and read again; it is
//! also written, resampled, and its rig is inferred. `node scripts/fuzz.mjs pack`

#![no_main]

#[path = "../../tests/common/networks.rs"]
#[allow(dead_code)]
mod networks;
#[path = "../../tests/common/readers.rs"]
#[allow(dead_code)]
mod readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    readers::pack(bytes);
});
