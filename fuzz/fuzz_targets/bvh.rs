//! Any bytes: parse never panics, hangs or takes memory the text does not pay for; what parses writes back equal, and
//! makes a GLB where its numbers are within what readers take. From the repository root:
//!
//!     node scripts/fuzz.mjs bvh

#![no_main]

use kinestitch::motion::{bvh, glb};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let whole = bvh::parse("fuzz", bytes);
    assert_eq!(whole.as_ref().map(|parsed| &parsed.clip), in_pieces(bytes).as_ref().map(|parsed| &parsed.clip));
    let Ok(parsed) = whole else { return };
    let clip = parsed.clip;
    let text = bvh::write(&clip).expect("what was read can be written");
    let back = bvh::parse("fuzz", text.as_bytes()).expect("what was written is read").clip;
    assert_eq!(clip.frames(), back.frames());
    assert_eq!(clip.joints(), back.joints());
    assert_eq!(clip.frame_time_secs().to_bits(), back.frame_time_secs().to_bits());
    for (a, b) in clip.rotations().iter().zip(back.rotations()) {
        assert!(a.is_normalized() && a.dot(*b).abs() > 1.0 - 1e-5, "{a} {b}");
    }
    // Offset and translation may add up to more than a GLB takes.
    assert!(glb::write(&clip).map_or_else(|error| error.code() == "glb", |_| true));
});

fn in_pieces(bytes: &[u8]) -> kinestitch::Result<bvh::Parsed> {
    let mut reader = bvh::Reader::new("fuzz", bytes.len())?;
    for piece in bytes.chunks(1 + bytes.len() / 7) {
        reader.push(piece)?;
    }
    reader.finish()
}
