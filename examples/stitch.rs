//! Joins two BVH files: `cargo run --release --example stitch A.bvh B.bvh OUT.bvh`.

use kinestitch::motion::{bvh, rig};
use kinestitch::{Input, Join, Progress, StitchOptions, stitch};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [a, b, out] = paths.as_slice() else { return Err("usage: stitch A.bvh B.bvh OUT.bvh".into()) };
    let first = bvh::parse("a", &std::fs::read(a)?)?.clip;
    let second = bvh::parse("b", &std::fs::read(b)?)?.clip;
    // The rig maps roles (foot, knee, hips) to joints. It is inferred once per clip.
    let rigs = [rig::infer(&first), rig::infer(&second)];
    let inputs = [Input { clip: &first, rig: &rigs[0] }, Input { clip: &second, rig: &rigs[1] }];
    let options = StitchOptions { join: Join::Inertialize, ..Default::default() };
    let stitched = stitch(&inputs, &options, &mut Progress::silent())?;
    std::fs::write(out, bvh::write(&stitched.clip)?)?;
    let seam = &stitched.seams[0];
    println!(
        "{} frames; seam at frame {}, feet slide {:.4} m per frame",
        stitched.clip.frames(),
        seam.frame,
        seam.foot_skate
    );
    Ok(())
}
