//! Recipes: the shipped ones keep to the licences of their data sets, and every command of training rejects recipes that
//! do not.

use burn::tensor::Device;
use kinestitch::feature::controller::VERSION;
use kinestitch::method::controller::{generative, network};
use kinestitch::nn::weights::write::to_bytes;
use kinestitch::nn::weights::{Meta, Precision};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use training::checkpoint;
use training::data::{Sets, pack};
use training::generative::file::merge;
use training::recipe::Header;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Commands that read recordings by a recipe, each with an open recipe and its other arguments.
const COMMANDS: [(&str, &str, &[&str]); 11] = [
    ("rmr", "rmr-open", &[]),
    ("delta", "delta-open", &[]),
    ("manifold", "manifold-open", &[]),
    ("sampler", "manifold-open", &[]),
    ("periodic", "periodic-open", &[]),
    ("dcmoe", "dcmoe-open", &["--periodic", "models/periodic-open.safetensors"]),
    ("postures", "dcmoe-open", &["--weights", "models/dcmoe-open.safetensors", "--out", "/dev/null"]),
    ("controller", "controller-biped-open", &[]),
    ("generative", "generative-biped-open", &[]),
    ("gallery", "gallery-open", &["--out", "/dev/null"]),
    ("judge", "judge-open", &["--out", "/dev/null"]),
];

fn sets() -> Sets {
    Sets::read(&Path::new(ROOT).join("research/recipes/sets.json")).unwrap()
}

/// Lists the data sets of a recipe: a list, or the keys of an object.
fn data_sets(recipe: &Value) -> Vec<String> {
    let names = |field: &str| match &recipe[field] {
        Value::Array(names) => names.iter().map(|name| name.as_str().unwrap().to_owned()).collect(),
        Value::Object(fields) => fields.keys().cloned().collect(),
        _ => Vec::new(),
    };
    ["sets", "takes", "validation"].into_iter().flat_map(names).collect()
}

#[test]
fn open_recipes_use_open_data_sets_only() {
    let (sets, mut open) = (sets(), 0);
    for path in std::fs::read_dir(Path::new(ROOT).join("research/recipes")).unwrap().map(|entry| entry.unwrap().path())
    {
        let recipe: Value = checkpoint::read_json(&path).unwrap();
        // Recipes of generative control have the data sets and the licence of their controller.
        if recipe.is_array() || recipe["controller"].is_string() {
            continue;
        }
        let (header, names): (Header, _) = (checkpoint::read_json(&path).unwrap(), data_sets(&recipe));
        assert!(!names.is_empty() && ["open", "research"].contains(&header.set.as_str()), "{}", path.display());
        header.check_open(&names, &sets).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(names.iter().all(|name| sets.set(name).is_ok()), "{}", path.display());
        open += usize::from(header.set == "open");
    }
    assert!(open > 8, "{open} open recipes");
}

#[test]
fn only_research_recipes_may_use_data_sets_that_are_not_open() {
    let check = |set: &str, name: &str| {
        let header = Header { name: "mine".to_owned(), set: set.to_owned(), licence: String::new() };
        header.check_open(&[name.to_owned()], &sets()).map_err(|error| error.to_string())
    };
    assert!(check("open", "cmu").is_ok() && check("research", "lafan1").is_ok());
    for set in ["open", "Open", ""] {
        let error = check(set, "lafan1").unwrap_err();
        assert!(error.contains("\"lafan1\" is not open") && error.contains("mine"), "{error}");
    }
    assert!(check("open", "lafan").unwrap_err().contains("not one of lafan1"));
}

#[test]
fn only_research_recipes_may_use_weights_that_are_not_open() {
    let folder = Folder::new("weights", "\"cmu\"", "\"cmu\"");
    let file = |set: &str| {
        let (name, config, licence) = ("delta".to_owned(), Value::Null, format!("licence of {set}"));
        let meta = Meta { name, layout: 0, config, set: set.to_owned(), licence };
        let path = folder.0.join(format!("{set}.safetensors"));
        std::fs::write(&path, to_bytes(&meta, &[], Precision::F32).unwrap()).unwrap();
        path
    };
    let [open, research] = ["open", "research"].map(file);
    let header = |set: &str| Header { name: "mine".to_owned(), set: set.to_owned(), licence: String::new() };
    assert!(header("research").read_weights(&open).is_ok() && header("research").read_weights(&research).is_ok());
    assert!(header("open").read_weights(&open).is_ok() && header("mine").read_weights(&open).is_ok());
    let is_refused = |error: &str, recipe: &str| {
        let parts = ["research.safetensors", "\"research\" (licence of research)", "is \"open\"", recipe];
        parts.iter().all(|part| error.contains(part))
    };
    let error = header("open").read_weights(&research).unwrap_err().to_string();
    assert!(is_refused(&error, "\"mine\""), "{error}");

    let file = research.to_str().unwrap();
    for (command, recipe, option) in [
        ("dcmoe", "dcmoe-open", "--periodic"),
        ("postures", "dcmoe-open", "--weights"),
        ("judge", "judge-open", "--method"),
    ] {
        let out: &[&str] = if command == "dcmoe" { &[] } else { &["--out", "/dev/null"] };
        let error = folder.error(command, recipe, &[&[option, file], out].concat());
        assert!(is_refused(&error, recipe), "{command}: {error}");
    }
    let recipe = |name: &str| folder.0.join(format!("{name}.json"));
    let (rmr, delta) = (recipe("rmr-open"), recipe("delta-open"));
    let (rmr, delta) = (checkpoint::read_json(&rmr).unwrap(), checkpoint::read_json(&delta).unwrap());
    let (controller, dcmoe) = (recipe("controller-biped-open"), recipe("dcmoe-open"));
    let (controller, dcmoe) = (checkpoint::read_json(&controller).unwrap(), checkpoint::read_json(&dcmoe).unwrap());
    let periodic = checkpoint::read_json(&recipe("periodic-open")).unwrap();
    for (name, error) in [
        ("rmr-open", training::recipe::load(&rmr, &research, &Device::flex()).err()),
        ("delta-open", training::delta::load_or_deepen(&delta, &research, &Device::flex()).err()),
        ("delta-open", training::delta::export(&delta, &research, Precision::F32).err()),
        ("controller-biped-open", training::controller::export(&controller, &research, Precision::F32).err()),
        ("dcmoe-open", training::dcmoe::export(&dcmoe, &research, Precision::F32).err()),
        ("periodic-open", training::periodic::export(&periodic, &research, Precision::F32).err()),
    ] {
        let error = error.unwrap().to_string();
        assert!(is_refused(&error, name), "{name}: {error}");
    }
}

#[test]
fn generative_control_is_merged_into_a_controller_of_its_own_set_only() {
    let folder = Folder::new("merge", "\"cmu\"", "\"cmu\"");
    let file = |name: &str, set: &str| {
        let (name, config, licence) = (name.to_owned(), Value::Null, "free".to_owned());
        let meta = Meta { name, layout: VERSION, config, set: set.to_owned(), licence };
        to_bytes(&meta, &[], Precision::F32).unwrap()
    };
    let path = folder.0.join("controller.safetensors");
    std::fs::write(&path, file(network::NAME, "research")).unwrap();
    let error = merge(&path, &file(generative::NAME, "open"), Precision::F32).unwrap_err().to_string();
    let parts = ["controller.safetensors", "generative control is \"open\"", "\"research\" (free)"];
    assert!(parts.iter().all(|part| error.contains(part)), "{error}");
}

#[test]
fn a_gallery_without_recordings_is_an_error() {
    let folder = Folder::new("gallery", "\"cmu\"", "\"cmu\"");
    let out = folder.0.join("gallery.bin");
    let error = folder.error("gallery", "gallery-open", &["--out", out.to_str().unwrap()]);
    assert!(error.contains("add recordings") && error.contains("gallery-open") && !out.exists(), "{error}");
}

/// A folder with a pack without recordings, and a copy of the recipes.
struct Folder(PathBuf);

impl Folder {
    /// Creates the folder. In the recipes, `original` is replaced by `changed`.
    fn new(name: &str, original: &str, changed: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("kinestitch-recipes-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        pack::save(&folder.join("empty.pack"), &[]).unwrap();
        for path in
            std::fs::read_dir(Path::new(ROOT).join("research/recipes")).unwrap().map(|entry| entry.unwrap().path())
        {
            let text = std::fs::read_to_string(&path).unwrap().replace(original, changed);
            std::fs::write(folder.join(path.file_name().unwrap()), text).unwrap();
        }
        Self(folder)
    }

    /// Runs a command by a recipe of the folder. Returns its status and messages.
    fn run(&self, command: &str, recipe: &str, arguments: &[&str]) -> (ExitStatus, String) {
        let mut train = Command::new(env!("CARGO_BIN_EXE_train"));
        train.current_dir(ROOT).arg(command).args(arguments).arg("--data").arg(self.0.join("empty.pack"));
        let output = train.arg("--recipe").arg(self.0.join(format!("{recipe}.json"))).output().unwrap();
        (output.status, String::from_utf8(output.stderr).unwrap())
    }

    /// Runs a command that must fail. Returns its messages.
    fn error(&self, command: &str, recipe: &str, arguments: &[&str]) -> String {
        let (status, messages) = self.run(command, recipe, arguments);
        assert!(!status.success(), "{command}: {messages}");
        messages
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn every_command_rejects_an_open_recipe_with_a_data_set_that_is_not_open() {
    let folder = Folder::new("not-open", "\"cmu\"", "\"lafan1\"");
    for (command, recipe, arguments) in COMMANDS {
        let error = folder.error(command, recipe, arguments);
        assert!(error.contains("\"lafan1\" is not open"), "{command}: {error}");
    }
    let folder = Folder::new("validation", "\"validation\": [\"cmu\"", "\"validation\": [\"lafan1\"");
    for command in ["delta", "manifold", "sampler"] {
        let recipe = COMMANDS.iter().find(|(name, ..)| *name == command).unwrap().1;
        let error = folder.error(command, recipe, &[]);
        assert!(error.contains("\"lafan1\" is not open"), "{command}: {error}");
    }
}

#[test]
fn shipped_recipes_are_accepted_and_commands_without_recordings_do_not_panic() {
    let folder = Folder::new("empty", "\"cmu\"", "\"cmu\"");
    for (command, recipe, arguments) in COMMANDS {
        let (_, messages) = folder.run(command, recipe, arguments);
        assert!(!messages.contains("panicked") && !messages.contains("not open"), "{command}: {messages}");
    }
}

#[test]
fn the_judge_rejects_settings_that_it_does_not_use() {
    for setting in ["\"clip\": 1", "\"every\": 200"] {
        let folder = Folder::new("judge", "\"steps\":", &format!("{setting}, \"steps\":"));
        let error = folder.error("judge", "judge-open", &["--out", "/dev/null"]);
        assert!(error.contains("leave it out of the schedule"), "{setting}: {error}");
    }
}
