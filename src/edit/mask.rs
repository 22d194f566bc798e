//! Masks: joints that an edit may change, by name, or a joint with all its descendants.

use crate::error::{Error, Result, quoted};
use crate::motion::skeleton::Skeleton;
use serde::{Deserialize, Serialize};

/// Selects joints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Mask {
    /// A joint with all its descendants.
    From {
        /// Name of the joint.
        from: String,
    },
    /// Joints by name.
    Names(Vec<String>),
}

impl Mask {
    /// Returns the selected joints.
    ///
    /// # Errors
    /// [`Error::Option`] for a name that the skeleton does not have, and for an empty list.
    pub fn joints(&self, skeleton: &Skeleton) -> Result<Vec<usize>> {
        let find = |name: &String| {
            skeleton.find(name).ok_or_else(|| {
                let message = format!("there is no joint {}; info lists the joints", quoted(name));
                Error::Option { option: "mask", message }
            })
        };
        match self {
            Mask::Names(names) if names.is_empty() => {
                Err(Error::Option { option: "mask", message: "name at least one joint".to_owned() })
            }
            Mask::Names(names) => names.iter().map(find).collect(),
            Mask::From { from } => {
                let mut selected = vec![false; skeleton.len()];
                selected[find(from)?] = true;
                for joint in 0..skeleton.len() {
                    selected[joint] |= skeleton.joints()[joint].parent.is_some_and(|parent| selected[parent]);
                }
                Ok((0..skeleton.len()).filter(|joint| selected[*joint]).collect())
            }
        }
    }
}
