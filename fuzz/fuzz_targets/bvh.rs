//! Any bytes as a BVH file. Parsing must not panic or hang, must use memory in proportion to the text, and must give
//! the same result if the file arrives in chunks. A parsed clip that is written and parsed again must have as many
//! joints and frames, the same frame time, and the same rotations except for rounding. It must be writable as GLB,
//! unless its numbers exceed the limits of GLB readers. From the repository root:
//!
//!     node scripts/fuzz.mjs bvh

#![no_main]

use kinestitch::motion::{bvh, glb};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let parsed = bvh::parse("fuzz", bytes);
    assert_eq!(parsed.as_ref().map(|parsed| &parsed.clip), parse_in_chunks(bytes).as_ref().map(|parsed| &parsed.clip));
    let Ok(bvh::Parsed { clip, .. }) = parsed else { return };
    let text = bvh::write(&clip).expect("a parsed clip can be written");
    let reread = bvh::parse("fuzz", text.as_bytes()).expect("a written file can be parsed").clip;
    assert_eq!(clip.frames(), reread.frames());
    assert_eq!(clip.joints(), reread.joints());
    assert_eq!(clip.frame_time_secs().to_bits(), reread.frame_time_secs().to_bits());
    for (a, b) in clip.rotations().iter().zip(reread.rotations()) {
        assert!(a.is_normalized() && a.dot(*b).abs() > 1.0 - 1e-5, "{a} {b}");
    }
    // The sum of offset and translation may exceed the limits of GLB readers.
    assert!(glb::write(&clip).map_or_else(|error| error.code() == "glb", |_| true));
});

fn parse_in_chunks(bytes: &[u8]) -> kinestitch::Result<bvh::Parsed> {
    let mut reader = bvh::Reader::new("fuzz", bytes.len())?;
    for chunk in bytes.chunks(1 + bytes.len() / 7) {
        reader.push(chunk)?;
    }
    reader.finish()
}
