//! Entries of the list of gap fillers, and the choice of a filler by name. All code that lists methods reads this list:
//! menus, command line, TypeScript types, benches, automatic choice.

pub use crate::contract::FillerChoice;
use crate::error::{Error, Result, quoted};
use crate::method::filler::{Filler, OptionMap};
use crate::method::{DEFAULT, FILLERS};
use crate::nn::weights::Weights;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// A gap filler in the list.
#[derive(Debug, Clone, Copy)]
pub struct RegistryEntry {
    /// Name of the method, and of its network in weight files and the manifest.
    pub name: &'static str,
    /// Constructor of the filler.
    pub constructor: Constructor,
    /// Returns the options with their defaults; null for an option without a default.
    pub options: fn() -> OptionMap,
    /// Name in menus.
    pub label: &'static str,
    /// Description for menus and help, one to three sentences.
    pub hint: &'static str,
    /// Description of the network, for lists of networks; empty for methods without a network.
    pub about: &'static str,
    /// Whether a GPU can evaluate the network ([`Filler::network_inputs`]).
    pub on_gpu: bool,
    /// Longest gap, frames at [`crate::body::poses::FPS`]; `None` for methods without a limit.
    pub max_gap: Option<usize>,
    /// Returns the JSON schema of the options.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

/// Requirements of an options struct.
pub trait OptionsStruct: Default + Serialize + JsonSchema {}
impl<T: Default + Serialize + JsonSchema> OptionsStruct for T {}

/// Constructor of a filler.
#[derive(Debug, Clone, Copy)]
pub enum Constructor {
    /// For a method without weights.
    WithoutWeights(fn() -> Box<dyn Filler>),
    /// For a network: reads it from a weight file.
    Weights(fn(&Weights) -> Result<Box<dyn Filler>>),
}

impl RegistryEntry {
    /// Creates the entry of a method with the options struct `T`.
    pub const fn new<T: OptionsStruct>(name: &'static str, constructor: Constructor) -> Self {
        Self {
            name,
            constructor,
            options: defaults::<T>,
            label: name,
            hint: "",
            about: "",
            on_gpu: false,
            max_gap: None,
            schema: T::json_schema,
        }
    }

    /// Sets label and hint for menus.
    #[must_use]
    pub const fn with_label(self, label: &'static str, hint: &'static str) -> Self {
        Self { label, hint, ..self }
    }

    /// Sets the description of the network.
    #[must_use]
    pub const fn with_about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// Marks the method as one whose network a GPU can evaluate.
    #[must_use]
    pub const fn with_gpu(self) -> Self {
        Self { on_gpu: true, ..self }
    }

    /// Sets the longest gap that the method fills, frames at [`crate::body::poses::FPS`].
    #[must_use]
    pub const fn with_max_gap(self, frames: usize) -> Self {
        Self { max_gap: Some(frames), ..self }
    }

    /// Whether the method needs weights.
    pub const fn needs_weights(&self) -> bool {
        matches!(self.constructor, Constructor::Weights(_))
    }
}

/// Returns the default options as a map.
fn defaults<T: Default + Serialize>() -> OptionMap {
    match serde_json::to_value(T::default()) {
        Ok(serde_json::Value::Object(options)) => options,
        // Never happens: options structs have named fields, which serialise to an object.
        _ => OptionMap::new(),
    }
}

/// Name of each filler, in menu order, and whether it needs weights. Separate from the list, so that code that reads
/// only names, such as the small wasm module, is not linked with the methods.
static NAMES: [(&str, bool); FILLERS.len()] = {
    let mut names = [("", false); FILLERS.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = (FILLERS[index].name, FILLERS[index].needs_weights());
        index += 1;
    }
    names
};

/// Returns the names of all fillers, in menu order.
pub fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name)
}

/// Whether the filler with this name needs weights.
pub fn needs_weights(name: &str) -> bool {
    NAMES.iter().any(|(filler, needs_weights)| *filler == name && *needs_weights)
}

/// Whether the filler with this name can fill a gap of this many frames at [`crate::body::poses::FPS`].
pub fn fills_gap(name: &str, frames: usize) -> bool {
    FILLERS.iter().any(|entry| entry.name == name && entry.max_gap.is_none_or(|max_gap| frames <= max_gap))
}

/// Reads a gap filler from a weight file, with default options.
///
/// # Errors
/// [`Error::Weights`] if the file cannot be loaded, or its network is not a gap filler.
pub fn read(bytes: &[u8]) -> Result<Arc<dyn Filler>> {
    let file = Weights::read(bytes)?;
    let name = &file.meta.name;
    for entry in FILLERS {
        if let (true, Constructor::Weights(construct)) = (entry.name == *name, entry.constructor) {
            return construct(&file).map(Arc::from);
        }
    }
    let networks: Vec<&str> = FILLERS.iter().filter(|entry| entry.needs_weights()).map(|entry| entry.name).collect();
    let message =
        format!("{} is not a network that fills gaps; use the weights of one of {}", quoted(name), networks.join(", "));
    Err(Error::Weights { message })
}

/// Available fillers: all fillers without weights, and the networks that were added. Of several networks with one name,
/// the last one counts.
#[derive(Clone, Default)]
pub struct Fillers(Vec<Arc<dyn Filler>>);

/// Fillers without any network.
pub static NO_NETWORKS: Fillers = Fillers(Vec::new());

impl Fillers {
    /// Adds a network; replaces a network with the same name.
    pub fn add(&mut self, filler: Arc<dyn Filler>) {
        self.0.retain(|other| other.name() != filler.name());
        self.0.push(filler);
    }

    /// Returns the names of the available fillers, in registry order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let is_available = |entry: &&RegistryEntry| {
            !entry.needs_weights() || self.0.iter().any(|network| network.name() == entry.name)
        };
        FILLERS.iter().filter(is_available).map(|entry| entry.name)
    }

    /// Returns the names of the added networks, in registry order.
    pub fn networks(&self) -> impl Iterator<Item = &'static str> {
        self.names().filter(|name| needs_weights(name))
    }

    /// Creates the chosen filler with its options.
    ///
    /// # Errors
    /// [`Error::Option`] for an unknown name, for a network that was not added, and for invalid options.
    pub fn get(&self, choice: &FillerChoice) -> Result<Box<dyn Filler>> {
        let fail = |message: String| Err(Error::Option { option: "method", message });
        let name = choice.name.as_str();
        let Some(entry) = FILLERS.iter().find(|entry| entry.name == name) else {
            return fail(format!("{} is not one of {}", quoted(name), names().collect::<Vec<_>>().join(", ")));
        };
        if let Constructor::WithoutWeights(create) = entry.constructor {
            return create().with_options(&choice.options);
        }
        match self.0.iter().find(|filler| filler.name() == name) {
            Some(network) => network.with_options(&choice.options),
            None => fail(format!("\"{name}\" needs its network: load it first, or use \"{}\"", DEFAULT.name)),
        }
    }

    /// Returns the speeds of a style ([`Filler::speeds`]) from the first network that has the style.
    pub fn speeds(&self, style: &str) -> Option<[f32; 2]> {
        self.0.iter().find_map(|filler| filler.speeds(style))
    }
}

impl fmt::Debug for Fillers {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.debug_list().entries(self.names()).finish()
    }
}

impl fmt::Debug for dyn Filler {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(self.name())
    }
}
