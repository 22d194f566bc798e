//! A gap filler of your own: eases from one pose to the other. It fills the middle third of a file:
//! `cargo run --release --example own_filler A.bvh OUT.bvh`. docs/adding-a-method.md tells how it joins the list of methods.

use kinestitch::inbetween::{InbetweenOptions, Key, inbetween};
use kinestitch::method::filler::{Filler, Gap, Motion, Options};
use kinestitch::method::frame::Frame;
use kinestitch::motion::{bvh, rig};
use kinestitch::{Progress, Result};
use std::error::Error;

struct Ease;

impl Filler for Ease {
    fn name(&self) -> &'static str {
        "ease"
    }

    fn with_options(&self, _options: &Options) -> Result<Box<dyn Filler>> {
        Ok(Box::new(Ease))
    }

    fn fill(&self, gap: &Gap) -> Result<Motion> {
        let [from, to] = gap.ends.map(|end| &end.pose);
        let frame = |index: usize| {
            let part = (index + 1) as f32 / (gap.frames + 1) as f32;
            let eased = part * part * (3.0 - 2.0 * part);
            let rotations = from.rotations.iter().zip(&to.rotations).map(|(a, b)| a.slerp(*b, eased));
            let translations = from.translations.iter().zip(&to.translations).map(|(a, b)| a.lerp(*b, eased));
            Frame { rotations: rotations.collect(), translations: translations.collect() }
        };
        Ok(Motion::Skeleton((0..gap.frames).map(frame).collect()))
    }
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [a, out] = paths.as_slice() else { return Err("usage: own_filler A.bvh OUT.bvh".into()) };
    let clip = bvh::parse("a", &std::fs::read(a)?)?.clip;
    let rig = rig::infer(&clip);
    let third = clip.frames() / 3;
    let key = |frames| Key { clip: &clip, rig: &rig, frames, at: None };
    let keys = [key(0..third), key(2 * third..clip.frames())];
    let options = InbetweenOptions { frames: vec![third], ..Default::default() };
    let made = inbetween(&keys, &Ease, &options, &mut Progress::silent())?;
    std::fs::write(out, bvh::write(&made.clip)?)?;
    println!("{} frames; {} of them eased", made.clip.frames(), third);
    Ok(())
}
