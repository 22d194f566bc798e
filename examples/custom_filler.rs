//! A gap filler outside of the library. It eases from the pose before a gap to the pose after it. The program replaces
//! the middle third of a motion: `cargo run --release --example custom_filler A.bvh OUT.bvh`. To add a filler to the
//! library, see docs/adding-a-method.md.

use kinestitch::inbetween::{InbetweenOptions, Key, inbetween};
use kinestitch::method::filler::{Filler, Gap, Motion, NoOptions, OptionMap, read_options};
use kinestitch::method::frame::Frame;
use kinestitch::motion::{bvh, rig};
use kinestitch::{Progress, Result};
use std::error::Error;

/// Interpolates the poses at both ends of a gap. It starts and ends slowly, and ignores the velocities at the ends.
struct Ease;

impl Filler for Ease {
    fn name(&self) -> &'static str {
        "ease"
    }

    fn with_options(&self, options: &OptionMap) -> Result<Box<dyn Filler>> {
        read_options::<NoOptions>(self.name(), options)?; // an error for any option
        Ok(Box::new(Ease))
    }

    fn fill(&self, gap: &Gap) -> Result<Motion> {
        let [from, to] = gap.ends.map(|end| &end.pose);
        let frame = |index: usize| {
            let fraction = (index + 1) as f32 / (gap.frames + 1) as f32;
            // Smoothstep: the slope is zero at both ends.
            let eased = fraction * fraction * (3.0 - 2.0 * fraction);
            let rotations = from.rotations.iter().zip(&to.rotations).map(|(a, b)| a.slerp(*b, eased));
            let translations = from.translations.iter().zip(&to.translations).map(|(a, b)| a.lerp(*b, eased));
            Frame { rotations: rotations.collect(), translations: translations.collect() }
        };
        Ok(Motion::Skeleton((0..gap.frames).map(frame).collect()))
    }
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [a, out] = paths.as_slice() else { return Err("usage: custom_filler A.bvh OUT.bvh".into()) };
    let clip = bvh::parse("a", &std::fs::read(a)?)?.clip;
    let rig = rig::infer(&clip);
    let third = clip.frames() / 3;
    let key = |frames| Key { clip: &clip, rig: &rig, frames, at: None };
    let keys = [key(0..third), key(2 * third..clip.frames())];
    let options = InbetweenOptions { frames: vec![third], ..Default::default() };
    let result = inbetween(&keys, &Ease, &options, &mut Progress::silent())?;
    std::fs::write(out, bvh::write(&result.clip)?)?;
    println!("{} frames; {} of them made by the filler", result.clip.frames(), third);
    Ok(())
}
