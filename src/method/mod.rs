//! Methods that make the frames between two clips: one file each.

pub mod blend;
pub mod lscore;
#[cfg(feature = "flex")]
pub mod rmr;

/// How two clips are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// The end of one clip is mixed into the beginning of the next; both shorten by the blend. [`blend::crossfade`].
    Crossfade,
    /// The next clip starts at once, plus an offset that decays. Keeps every frame of both. [`blend::inertialize`].
    #[default]
    Inertialize,
    /// As many frames as take the least work are put in between, the trajectory smoothed. [`lscore::inject::elastic`].
    Lscore,
    /// Inertialized, then refined by a network that changes steps to fit. Bipeds only. [`crate::stitch::draft`], and
    /// `rmr::Refiner` where the crate is built with networks.
    Rmr,
}

impl Method {
    /// All methods, in the order a menu shows them.
    pub const ALL: [Method; 4] = [Method::Crossfade, Method::Inertialize, Method::Lscore, Method::Rmr];
    /// The methods that need no network.
    pub const PLAIN: [Method; 3] = [Method::Crossfade, Method::Inertialize, Method::Lscore];

    /// The word programs use.
    pub fn name(self) -> &'static str {
        match self {
            Method::Crossfade => "crossfade",
            Method::Inertialize => "inertialize",
            Method::Lscore => "lscore",
            Method::Rmr => "rmr",
        }
    }

    /// The method of that name.
    ///
    /// # Errors
    /// [`crate::Error::Option`] naming all methods.
    pub fn from_name(name: &str) -> crate::Result<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|method| method.name()).collect();
            crate::Error::Option { option: "method", message: format!("\"{name}\" is not one of {}", names.join(", ")) }
        })
    }
}
