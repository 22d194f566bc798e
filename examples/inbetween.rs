//! Inserts 30 frames between the end of one file and the beginning of another:
//! `cargo run --release --example inbetween A.bvh B.bvh OUT.bvh`.

use kinestitch::Progress;
use kinestitch::inbetween::{InbetweenOptions, Key, inbetween};
use kinestitch::method::registry::{Choice, Fillers};
use kinestitch::motion::{bvh, rig};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [a, b, out] = paths.as_slice() else { return Err("usage: inbetween A.bvh B.bvh OUT.bvh".into()) };
    let first = bvh::parse("a", &std::fs::read(a)?)?.clip;
    let second = bvh::parse("b", &std::fs::read(b)?)?.clip;
    let rigs = [rig::infer(&first), rig::infer(&second)];
    // The frames of a key do not change. If `at` is `None`, the second key is placed by extrapolating the motion.
    let keys = [
        Key { clip: &first, rig: &rigs[0], frames: 0..first.frames(), at: None },
        Key { clip: &second, rig: &rigs[1], frames: 0..second.frames(), at: None },
    ];
    let options = InbetweenOptions { frames: vec![30], ..Default::default() };
    let filler = Fillers::default().get(&Choice::from("inertialize"))?;
    let result = inbetween(&keys, filler.as_ref(), &options, &mut Progress::silent())?;
    std::fs::write(out, bvh::write(&result.clip)?)?;
    println!("frames {:?} are new; peak jerk {:.0} m/s³", result.gaps[0].range, result.gaps[0].peak_jerk);
    Ok(())
}
