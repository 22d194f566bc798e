//! The list of gap fillers, read by all code that lists methods (menus, command line, TypeScript types, benches,
//! automatic choice).

use crate::error::{Error, Result, quoted};
use crate::method::filler::{Filler, Options};
use crate::method::{DEFAULT, FILLERS};
use crate::nn::weights::Weights;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// An entry of the list.
#[derive(Debug, Clone, Copy)]
pub struct Registered {
    /// Name of the method, and of its network in weight files and the manifest.
    pub name: &'static str,
    /// Its constructor.
    pub source: Source,
    /// Its options with their defaults; null where an option has none.
    pub options: fn() -> Options,
    /// Its name for people, in a menu.
    pub label: &'static str,
    /// Description in a sentence or two, for menus and help.
    pub hint: &'static str,
    /// Kind of network, for small print; empty for methods without one.
    pub about: &'static str,
    /// Whether a GPU can evaluate its inputs ([`Filler::questions`]).
    pub on_gpu: bool,
    /// Its options as a TypeScript type.
    #[cfg(feature = "types")]
    pub typescript: fn() -> String,
}

/// Requirements of an options struct.
#[cfg(feature = "types")]
pub trait OptionsStruct: Default + Serialize + ts_rs::TS {}
#[cfg(feature = "types")]
impl<T: Default + Serialize + ts_rs::TS> OptionsStruct for T {}

/// Requirements of an options struct.
#[cfg(not(feature = "types"))]
pub trait OptionsStruct: Default + Serialize {}
#[cfg(not(feature = "types"))]
impl<T: Default + Serialize> OptionsStruct for T {}

/// Constructor of a filler.
#[derive(Debug, Clone, Copy)]
pub enum Source {
    /// Without weights.
    Plain(fn() -> Box<dyn Filler>),
    /// From a weight file.
    Weights(fn(&Weights) -> Result<Box<dyn Filler>>),
}

impl Registered {
    /// The entry of a method with the options struct `T`.
    pub const fn of<T: OptionsStruct>(name: &'static str, source: Source) -> Self {
        Self {
            name,
            source,
            options: defaults::<T>,
            label: name,
            hint: "",
            about: "",
            on_gpu: false,
            #[cfg(feature = "types")]
            typescript: T::inline,
        }
    }

    /// Sets label and hint for menus.
    #[must_use]
    pub const fn shown(self, label: &'static str, hint: &'static str) -> Self {
        Self { label, hint, ..self }
    }

    /// Sets the description of its network.
    #[must_use]
    pub const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// Marks the method as one whose inputs a GPU can evaluate.
    #[must_use]
    pub const fn on_gpu(self) -> Self {
        Self { on_gpu: true, ..self }
    }

    /// Whether it needs weights.
    pub const fn needs_weights(&self) -> bool {
        matches!(self.source, Source::Weights(_))
    }
}

fn defaults<T: Default + Serialize>() -> Options {
    match serde_json::to_value(T::default()) {
        Ok(serde_json::Value::Object(options)) => options,
        // Options structs have named fields of plain numbers and texts.
        _ => Options::new(),
    }
}

/// Names of all fillers in menu order, with whether they need weights. Separate from the list, so that code which
/// needs only names, such as the light wasm module, is not linked with the methods.
static NAMES: [(&str, bool); FILLERS.len()] = {
    let mut names = [("", false); FILLERS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = (FILLERS[at].name, FILLERS[at].needs_weights());
        at += 1;
    }
    names
};

/// Names of all fillers, in menu order.
pub fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name)
}

/// Whether the filler of this name needs weights.
pub fn needs_weights(name: &str) -> bool {
    NAMES.iter().any(|(known, needs)| *known == name && *needs)
}

/// Whether a filler has an option.
pub fn has_option(name: &str, option: &str) -> bool {
    FILLERS.iter().any(|entry| entry.name == name && (entry.options)().contains_key(option))
}

/// Reads the network of a weight file, with default options.
///
/// # Errors
/// [`Error::Weights`] where it cannot be loaded, or is not a gap filler.
pub fn read(bytes: &[u8]) -> Result<Arc<dyn Filler>> {
    let file = Weights::read(bytes)?;
    let name = &file.meta.name;
    for registered in FILLERS {
        if let (true, Source::Weights(read)) = (registered.name == *name, registered.source) {
            return read(&file).map(Arc::from);
        }
    }
    let known: Vec<&str> = FILLERS.iter().filter(|entry| entry.needs_weights()).map(|entry| entry.name).collect();
    let message =
        format!("{} is no network that fills gaps; use the weights of one of {}", quoted(name), known.join(", "));
    Err(Error::Weights { message })
}

/// A filler by name, with options: a string, or an object with the name and the options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Spelling", into = "Spelling")]
pub struct Choice {
    /// Its name in the registry.
    pub name: String,
    /// Options that differ from the defaults.
    pub options: Options,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Spelling {
    Word(String),
    Object {
        name: String,
        #[serde(flatten)]
        options: Options,
    },
}

impl From<Spelling> for Choice {
    fn from(spelling: Spelling) -> Self {
        match spelling {
            Spelling::Word(name) => Self { name, options: Options::new() },
            Spelling::Object { name, options } => Self { name, options },
        }
    }
}

impl From<Choice> for Spelling {
    fn from(Choice { name, options }: Choice) -> Self {
        if options.is_empty() { Self::Word(name) } else { Self::Object { name, options } }
    }
}

impl From<&str> for Choice {
    fn from(name: &str) -> Self {
        Self { name: name.to_owned(), options: Options::new() }
    }
}

impl Default for Choice {
    fn default() -> Self {
        DEFAULT.name.into()
    }
}

/// Available fillers: all without weights, and the networks that were added, the last one of each name.
#[derive(Clone, Default)]
pub struct Fillers(Vec<Arc<dyn Filler>>);

/// No networks.
pub static NO_NETWORKS: Fillers = Fillers(Vec::new());

impl Fillers {
    /// Adds a network; replaces one of the same name.
    pub fn add(&mut self, filler: Arc<dyn Filler>) {
        self.0.retain(|other| other.name() != filler.name());
        self.0.push(filler);
    }

    /// Names of the available fillers, in registry order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let usable = |entry: &&Registered| !entry.needs_weights() || self.0.iter().any(|own| own.name() == entry.name);
        FILLERS.iter().filter(usable).map(|entry| entry.name)
    }

    /// Names of the added networks, in registry order.
    pub fn networks(&self) -> impl Iterator<Item = &'static str> {
        self.names().filter(|name| needs_weights(name))
    }

    /// The chosen filler with its options.
    ///
    /// # Errors
    /// [`Error::Option`] for an unknown name, a network that was not added, and unknown options.
    pub fn get(&self, choice: &Choice) -> Result<Box<dyn Filler>> {
        let fail = |message: String| Err(Error::Option { option: "method", message });
        let name = choice.name.as_str();
        let Some(registered) = FILLERS.iter().find(|registered| registered.name == name) else {
            return fail(format!("{} is not one of {}", quoted(name), names().collect::<Vec<_>>().join(", ")));
        };
        if let Source::Plain(filler) = registered.source {
            return filler().with(&choice.options);
        }
        match self.0.iter().find(|filler| filler.name() == name) {
            Some(filler) => filler.with(&choice.options),
            None => fail(format!("\"{name}\" needs its network: load it first, or use \"{}\"", DEFAULT.name)),
        }
    }

    /// Speeds of a style, from the first network that has it.
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
