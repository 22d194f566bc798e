//! Clips of the keys, on one floor and on the first key's skeleton.

use super::key::Key;
use crate::error::{Result, quoted};
use crate::motion::clip::Clip;
use crate::motion::floor::{Ground, level};
use crate::motion::retarget::retarget_with;
use crate::motion::rig::Rig;
use crate::motion::root::Root;
use crate::motion::root_convention::adopt_root_convention;
use std::borrow::Cow;
use std::sync::Arc;

/// Returns the clip of a key on the first key's skeleton. The same joint moves the body as in the first key's clip
/// ([`crate::motion::root_convention`]).
pub(super) fn on_first_skeleton<'a>(
    (clip, rig): (&'a Clip, &Rig),
    first: &Key,
    root: &Root,
    ground: Ground,
) -> Result<Cow<'a, Clip>> {
    let mut converted = match Arc::ptr_eq(clip.skeleton(), first.clip.skeleton()) {
        true => Cow::Borrowed(clip),
        false => Cow::Owned(retarget_with(clip, rig, (first.clip, first.rig), ground)?),
    };
    if !std::ptr::eq(clip, first.clip) && root.path().len() == 2 {
        adopt_root_convention(converted.to_mut(), first.clip, root);
    }
    Ok(converted)
}

/// Returns a warning if the root lacks channels for position or rotation.
pub(super) fn unwritable_root(root: &Root, first: &Clip) -> Option<String> {
    let joint = root.find_unwritable_carrier(first.skeleton())?;
    Some(format!(
        "root {} has no channels for all positions and rotations: a BVH file cannot store the positions and headings of \
         the keys",
        quoted(&first.skeleton().joints()[joint].name)
    ))
}

/// Returns the distinct clips of the keys, each with the clip moved to the floor of the others, and a warning for each
/// clip that was moved.
pub(super) fn on_one_floor<'a>(keys: &[Key<'a>], ground: Ground) -> (Vec<(&'a Clip, Cow<'a, Clip>)>, Vec<String>) {
    let mut mapped: Vec<(&Clip, &Rig)> = Vec::new();
    for key in keys {
        if mapped.iter().all(|(clip, _)| !std::ptr::eq(*clip, key.clip)) {
            mapped.push((key.clip, key.rig));
        }
    }
    let levelled = level(&mapped, ground);
    (mapped.into_iter().map(|(clip, _)| clip).zip(levelled.clips).collect(), levelled.warnings)
}
