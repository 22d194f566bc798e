//! Templates of small weight files for all networks, and a run of a network on a short walk, which must not panic, and
//! must give finite results. Shared by `tests/hostile_bytes.rs` and the fuzz targets.

use glam::{Quat, Vec2, Vec3};
use kinestitch::Error;
use kinestitch::body::poses::{Poses, ROLES};
use kinestitch::body::{biped, dog};
use kinestitch::control::{Control, Controller, Pose};
use kinestitch::feature::controller::Layout;
use kinestitch::feature::layout::RefinerRow;
use kinestitch::feature::{
    dcmoe as dcmoe_rows, delta as delta_rows, manifold as manifold_rows, periodic as periodic_rows,
};
use kinestitch::judge::{self, Judge};
use kinestitch::method::controller::{self, generative};
use kinestitch::method::filler::BodyKeys;
use kinestitch::method::{dcmoe, delta, manifold, periodic, rmr};
use kinestitch::nn::mixture::{self, parameters};
use kinestitch::nn::weights::Weights;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A network's weight file without the values of its tensors.
pub struct WeightTemplate {
    /// Name of the network.
    pub name: &'static str,
    layout: u32,
    config: Value,
    /// Name and shape of each tensor.
    pub tensors: Vec<(String, Vec<usize>)>,
}

impl WeightTemplate {
    /// Returns the bytes of the file in single precision. `value(tensor, index)` gives each number; unlike `to_bytes`,
    /// this allows any value.
    pub fn file(&self, mut value: impl FnMut(&str, usize) -> f32) -> Vec<u8> {
        let meta =
            json!({ "name": self.name, "layout": self.layout, "config": self.config, "set": "made", "licence": "any" });
        let mut header = Map::new();
        header.insert("__metadata__".to_owned(), json!({ "kinestitch": meta.to_string() }));
        let mut data: Vec<u8> = Vec::new();
        for (name, shape) in &self.tensors {
            let start = data.len();
            let count = shape.iter().product();
            (0..count).for_each(|index| data.extend(value(name, index).to_le_bytes()));
            let entry = json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, data.len()] });
            header.insert(name.clone(), entry);
        }
        let mut header = Value::Object(header).to_string().into_bytes();
        header.resize(header.len().next_multiple_of(8), b' ');
        [&(header.len() as u64).to_le_bytes()[..], &header, &data].concat()
    }

    fn vector(&mut self, name: &str, columns: usize) {
        self.tensors.push((name.to_owned(), vec![columns]));
    }

    fn normal(&mut self, name: &str, columns: usize) {
        self.vector(&format!("{name}.mean"), columns);
        self.vector(&format!("{name}.deviation"), columns);
    }

    fn dense(&mut self, name: &str, inputs: usize, outputs: usize) {
        self.tensors.push((format!("{name}.weight"), vec![inputs, outputs]));
        self.vector(&format!("{name}.bias"), outputs);
    }

    fn experts(&mut self, name: &str, [experts, inputs, outputs]: [usize; 3]) {
        self.tensors.push((format!("{name}.weight"), vec![experts, inputs, outputs]));
        self.tensors.push((format!("{name}.bias"), vec![experts, outputs]));
    }

    fn mixture(&mut self, sizes: &mixture::Sizes) {
        self.normal("input", sizes.input);
        self.normal("gate_input", sizes.gate);
        self.normal("output", sizes.output);
        self.tensors.extend(parameters(sizes).into_iter().map(|parameter| (parameter.name, parameter.shape)));
    }
}

fn template(name: &'static str, layout: u32, config: Value) -> WeightTemplate {
    WeightTemplate { name, layout, config, tensors: Vec::new() }
}

/// Returns a template of a minimal file for each network. The refiner has fixed widths, so its file is by far the
/// largest.
pub fn templates() -> Vec<WeightTemplate> {
    let mut templates = small_templates();
    templates.push(refiner_template());
    templates
}

/// Returns the templates of all networks except the refiner.
pub fn small_templates() -> Vec<WeightTemplate> {
    vec![
        delta_template(),
        periodic_template(),
        manifold_template(),
        dcmoe_template(),
        controller_template(),
        judge_template(),
    ]
}

fn delta_template() -> WeightTemplate {
    let (input, output) = (delta_rows::INPUT, delta_rows::OUTPUT);
    let sizes = delta::network::Sizes { input, output, width: 8, layers: 1, heads: 2, inner: 4, reach: 2 };
    let mut template = template(delta::network::NAME, delta_rows::VERSION, json!(sizes));
    for parameter in delta::network::Parameters::new(&sizes).all {
        template.tensors.push((parameter.name.clone(), parameter.stored_shape()));
    }
    template.vector("mean", input);
    template.vector("deviation", input);
    template
}

fn periodic_template() -> WeightTemplate {
    let sizes = periodic::Sizes { hidden: 1, channels: 2 };
    let mut template = template(periodic::NAME, periodic::LAYOUT, json!(sizes));
    let window = periodic_rows::WINDOW;
    // The file has only the encoder; the other two convolutions are the decoder, which only training uses.
    for (index, [inputs, outputs]) in sizes.convolutions().into_iter().take(2).enumerate() {
        template.dense(&format!("convolutions.{index}"), window * inputs, outputs);
    }
    template.vector("scale", periodic_rows::COLUMNS);
    template.tensors.push(("shift.weight".to_owned(), vec![sizes.channels, 2 * window]));
    template.vector("shift.bias", 2 * sizes.channels);
    template
}

fn manifold_template() -> WeightTemplate {
    use manifold_rows::{CHANGE, CONDITION, CONTACTS, MOVES, OFFSET, STATE, STEP, TARGET};
    let sizes = manifold::sizes::Sizes {
        latent: 2,
        experts: 2,
        hidden: 4,
        gate: 4,
        embedding: [4, 4],
        state: 4,
        parse: [4, 4],
        past: 2,
        longest: 30,
    };
    // All hidden layers have 4 columns. The recurrent layer reads three embeddings (12) and has four gates (16).
    let (conditioning, latent) = (STEP + sizes.latent, sizes.latent);
    let mut template = template(manifold::NAME, manifold::LAYOUT, json!(sizes));
    for (name, columns) in [
        ("manifold.condition", CONDITION),
        ("manifold.step", STEP),
        ("manifold.moves", MOVES),
        ("inputs.0", STATE),
        ("inputs.1", TARGET),
        ("inputs.2", OFFSET),
    ] {
        template.normal(name, columns);
    }
    for (name, inputs, outputs) in [
        ("manifold.encoder.0", CONDITION + STEP + MOVES, 4),
        ("manifold.encoder.1", 4, 4),
        ("manifold.encoder.2", 4, 2 * latent),
        ("manifold.gate.0", CONDITION + conditioning, 4),
        ("manifold.gate.1", 4, 4),
        ("manifold.gate.2", 4, 2),
        ("recurrent.forwards.input", 12, 16),
        ("recurrent.forwards.recurrent", 4, 16),
        ("parse.0", 4, 4),
        ("parse.1", 4, 4),
        ("parse.2", 4, latent + CHANGE),
    ] {
        template.dense(name, inputs, outputs);
    }
    for (part, columns) in [STATE, TARGET, OFFSET].into_iter().enumerate() {
        template.dense(&format!("encoders.{part}.0"), columns, 4);
        template.dense(&format!("encoders.{part}.1"), 4, 4);
    }
    for (layer, (inputs, outputs)) in [(CONDITION, 4), (4, 4), (4, MOVES + CONTACTS)].into_iter().enumerate() {
        template.experts(&format!("manifold.experts.{layer}"), [2, inputs + conditioning, outputs]);
    }
    template
}

fn dcmoe_template() -> WeightTemplate {
    use dcmoe_rows::{GATE, INPUT, OUTPUT};
    let sizes = mixture::Sizes { input: INPUT, gate: GATE, gate_hidden: 4, experts: 2, hidden: 4, output: OUTPUT };
    let mut template = template(dcmoe::NAME, dcmoe::LAYOUT, json!({ "sizes": sizes, "styles": [] }));
    template.mixture(&sizes);
    template
}

fn controller_template() -> WeightTemplate {
    let character = dog();
    let layout = Layout::new(character, 2, 1);
    let (input, output) = (layout.input_width(), layout.output_width());
    let gate = layout.gate_width();
    let sizes = mixture::Sizes { input, gate, gate_hidden: 4, experts: 2, hidden: 4, output };
    let path = generative::Sizes { path: layout.path().len(), hidden: 4, code: 2 };
    let offsets: Vec<[f32; 3]> = (0..character.len()).map(|_| [0.0, -0.05, 0.02]).collect();
    let config = json!({
        "sizes": sizes, "character": character.name, "actions": ["stand", "move"], "styles": ["plain"],
        "offsets": offsets, "rest": vec![0.02; character.contacts.len()], "fastest": 3.0, "generative": path,
    });
    let mut template = template(controller::network::NAME, kinestitch::feature::controller::VERSION, config);
    template.mixture(&sizes);
    template.vector("start", layout.state().len());
    template.normal("generative.path", path.path);
    for (name, widths) in [("encoder", path.encoder()), ("decoder", path.decoder())] {
        for (layer, pair) in widths.windows(2).enumerate() {
            template.dense(&format!("generative.{name}.{layer}"), pair[0], pair[1]);
        }
    }
    template.tensors.push(("generative.spread".to_owned(), vec![path.code, path.code]));
    template
}

fn judge_template() -> WeightTemplate {
    let sizes = judge::Sizes { columns: 2, hidden: [4, 4] };
    let columns = judge::window::COLUMNS;
    let mut template = template(judge::NAME, judge::LAYOUT, json!(sizes));
    template.vector("offsets", 3 * ROLES);
    template.vector("calibration", 2);
    template.vector("scale", columns);
    template.dense("projection", columns, sizes.columns);
    template.vector("mirror", sizes.columns);
    template.vector("deviation", sizes.columns);
    for (index, [inputs, outputs]) in [[2, 4], [4, 4], [4, 1]].into_iter().enumerate() {
        template.dense(&format!("detector.{index}"), inputs, outputs);
    }
    template
}

fn refiner_template() -> WeightTemplate {
    let (hidden, width) = (rmr::HIDDEN, RefinerRow::WIDTH);
    let mut template = template(rmr::NAME, rmr::LAYOUT, json!({ "cell": "bgru" }));
    template.normal("normal", width);
    for (name, inputs, outputs) in [
        ("encoder.0", width, hidden),
        ("encoder.1", hidden, hidden),
        ("recurrent.0.forwards.input", hidden, 3 * hidden),
        ("recurrent.0.forwards.recurrent", hidden, 3 * hidden),
        ("recurrent.0.backwards.input", hidden, 3 * hidden),
        ("recurrent.0.backwards.recurrent", hidden, 3 * hidden),
        ("recurrent.1.forwards.input", 2 * hidden, 3 * hidden),
        ("recurrent.1.forwards.recurrent", hidden, 3 * hidden),
        ("recurrent.1.backwards.input", 2 * hidden, 3 * hidden),
        ("recurrent.1.backwards.recurrent", hidden, 3 * hidden),
        ("decoder.0", 2 * hidden, hidden),
        ("decoder.1", hidden, width),
    ] {
        template.dense(name, inputs, outputs);
    }
    template
}

/// Reads a weight file as the network that it names, and runs it on a short walk.
///
/// # Errors
/// Returns the errors of reading and running the network.
///
/// # Panics
/// Panics if results are not finite.
pub fn run(bytes: &[u8]) -> kinestitch::Result<()> {
    let weights = Weights::read(bytes)?;
    for name in weights.names() {
        let _ = weights.tensor(name, &weights.shape(name).expect("a listed tensor has a shape"));
    }
    let offsets = offsets();
    let (past, target) = (poses(0, 4), poses(9, 2));
    let keys = BodyKeys { past: &past, target: &target, offsets: &offsets, ground: 0.0 };
    let filled = match weights.meta.name.as_str() {
        delta::network::NAME => delta::Delta::read(&weights)?.fill(&keys, 5)?,
        manifold::NAME => {
            let conditions = manifold::Conditions { seed: Some(1), ..manifold::Conditions::default() };
            manifold::Manifold::read(&weights)?.fill(&keys, 5, &conditions)?
        }
        dcmoe::NAME => {
            let path = [Vec2::ZERO, Vec2::new(0.2, 0.4)];
            let conditions = dcmoe::Conditions { style: Some(0), path: Some(&path) };
            dcmoe::Network::read(&weights)?.fill(&keys, 5, &conditions)?
        }
        periodic::NAME => {
            let network = periodic::Periodic::read(&weights)?;
            let waves = network.encode(&periodic_rows::velocities(&past, &offsets), 1)?;
            assert!(waves.iter().all(periodic::spectrum::SineWave::is_finite), "{waves:?}");
            return Ok(());
        }
        judge::NAME => {
            let scores = Judge::read(bytes)?.scores(&poses(0, 20), 0.0);
            assert!(scores.iter().all(|score| *score <= judge::MAX_SCORE), "{scores:?}");
            return Ok(());
        }
        controller::network::NAME => return run_controller(&weights),
        rmr::NAME => return run_refiner(&weights),
        name => return Err(Error::Weights { message: format!("no network is called {name:?}") }),
    };
    assert!(filled.poses.hips.iter().all(|hips| hips.is_finite()), "{:?}", filled.poses.hips);
    assert!(filled.poses.rotations.iter().all(|rotation| rotation.is_normalized()), "{:?}", filled.poses.rotations);
    Ok(())
}

/// Runs a controller for one second.
fn run_controller(weights: &Weights) -> kinestitch::Result<()> {
    let mut controller = Controller::new(Arc::new(controller::Network::read(weights)?))?;
    let control = Control { direction: Vec2::new(0.3, 1.0), speed: 1.0, noise: 0.5, seed: 1, ..Control::default() };
    let mut pose = Pose::default();
    controller.record();
    for _ in 0..30 {
        controller.step(&control, 1.0 / 30.0, &mut pose);
        assert!(pose.root.is_finite() && pose.positions.iter().all(|position| position.is_finite()), "{pose:?}");
        assert!(pose.rotations.iter().all(|rotation| rotation.is_normalized()), "{pose:?}");
    }
    controller.finish_recording().map(|_| ())
}

/// Runs the refiner on one window.
fn run_refiner(weights: &Weights) -> kinestitch::Result<()> {
    let rows: Vec<f32> = (0..30 * RefinerRow::WIDTH).map(|index| (index as f32 * 0.37).sin()).collect();
    let network = rmr::PackedRmr::read(weights)?;
    let progress = &mut kinestitch::progress::Progress::silent();
    let refined = network.refine(&rows, &[15], rmr::WindowOptions::default(), progress)?;
    assert!(refined.iter().all(|value| value.is_finite()));
    Ok(())
}

/// Returns the joint offsets of a biped, metres.
fn offsets() -> [Vec3; ROLES] {
    let mut offsets = [Vec3::new(0.0, 0.1, 0.0); ROLES];
    for (index, joint) in biped().joints.iter().enumerate() {
        let side = if joint.name.starts_with("Left") { 0.1 } else { -0.1 };
        offsets[index] = match joint.name.as_str() {
            name if name.ends_with("UpLeg") => Vec3::new(side, -0.05, 0.0),
            name if name.ends_with("Leg") || name.ends_with("Foot") => Vec3::new(0.0, -0.45, 0.0),
            name if name.ends_with("Toe") => Vec3::new(0.0, -0.05, 0.15),
            name if name.ends_with("Arm") || name.ends_with("Hand") => Vec3::new(2.0 * side, 0.0, 0.0),
            _ => offsets[index],
        };
    }
    offsets
}

/// Creates frames of a walk with swinging limbs. `start`: first frame.
fn poses(start: usize, frames: usize) -> Poses {
    let mut poses = Poses::default();
    for frame in start..start + frames {
        let time = frame as f32 / 30.0;
        let swing = |role: usize| Quat::from_rotation_x(0.3 * (6.0 * time + role as f32).sin());
        poses.push(Vec3::new(0.0, 0.95, 1.2 * time), (0..ROLES).map(swing));
    }
    poses
}
