//! `bench networks`: native time of the refiner's forward pass. `node research/benchmarks/refiner/run.mjs` measures it in the
//! browser.

use crate::Outcome;
use crate::report::{Report, number};
use burn::nn::gru::{BiGru, BiGruConfig};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Device, Tensor, TensorData, activation};
use clap::Args;
use kinestitch::feature::layout::RefinerRow;
use kinestitch::method::rmr::{Config, HIDDEN, PackedRmr, Rmr};
use kinestitch::nn::recurrent::CellKind;
use kinestitch::nn::weights::{Network, Precision, Weights, write};
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

/// Number of timed runs of each implementation.
const RUNS: usize = 21;

/// Native time of the refiner's forward pass, milliseconds
#[derive(Args)]
pub struct Options {
    /// Weight file of a refiner; by default an untrained network, which takes the same time
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
}

/// Times five implementations of the refiner, which take turns: Burn's stock modules, training graph, tensors, and
/// packed blocks in f32 and int8.
pub fn run(Options { weights }: Options, report: &mut Report) -> Outcome {
    let device = Device::flex();
    let (config, model) = match weights {
        None => {
            let config = Config { cell: CellKind::Bgru, dropout: 0.0 };
            (config, Rmr::blank(&config, &device))
        }
        Some(path) => {
            let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            (Weights::read(&bytes)?.config()?, Rmr::load(&bytes, &device)?)
        }
    };
    let packed = |precision| PackedRmr::from_bytes(&write(&model, &config, ("", ""), precision)?);
    let (single, integers) = (packed(Precision::F32)?, packed(Precision::Int8)?);
    let stock = Stock::new(&device);
    for frames in [60, 180] {
        let rows: Vec<f32> = (0..frames * RefinerRow::WIDTH).map(|index| (0.37 * index as f32).sin()).collect();
        let tensor = || Tensor::<2>::from_data(TensorData::new(rows.clone(), [frames, RefinerRow::WIDTH]), &device);
        let steps = || (0..frames).map(|frame| tensor().narrow(0, frame, 1)).collect::<Vec<_>>();
        let (input, steps) = (tensor(), steps());
        let implementations: [(&str, &dyn Fn()); 5] = [
            ("Burn's BiGru", &|| drop(black_box(stock.forward(input.clone()).into_data()))),
            ("training path", &|| drop(black_box(model.forward(&steps).into_data()))),
            ("inference path", &|| drop(black_box(model.infer(input.clone()).into_data()))),
            ("packed, f32", &|| drop(black_box(single.infer(&rows)))),
            ("packed, int8", &|| drop(black_box(integers.infer(&rows)))),
        ];
        let mut milliseconds = implementations.map(|_| Vec::with_capacity(RUNS));
        for _ in 0..RUNS {
            for ((_, forward), milliseconds) in implementations.iter().zip(&mut milliseconds) {
                let start = Instant::now();
                forward();
                milliseconds.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
        report
            .table(format!("Refiner over {frames} frames, {RUNS} runs"), ["implementation", "median, ms", "best, ms"]);
        for ((name, _), mut milliseconds) in implementations.iter().zip(milliseconds) {
            milliseconds.sort_by(f64::total_cmp);
            report.row([*name, &number(milliseconds[RUNS / 2], 2), &number(milliseconds[0], 2)]);
        }
    }
    Ok(())
}

/// The refiner's architecture built from Burn's stock modules.
struct Stock {
    encoder: [Linear; 2],
    recurrent: [BiGru; 2],
    decoder: [Linear; 2],
}

impl Stock {
    fn new(device: &Device) -> Self {
        let linear = |from, to| LinearConfig::new(from, to).init(device);
        let recurrent = |from| BiGruConfig::new(from, HIDDEN, true).init(device);
        Self {
            encoder: [linear(RefinerRow::WIDTH, HIDDEN), linear(HIDDEN, HIDDEN)],
            recurrent: [recurrent(HIDDEN), recurrent(2 * HIDDEN)],
            decoder: [linear(2 * HIDDEN, HIDDEN), linear(HIDDEN, RefinerRow::WIDTH)],
        }
    }

    /// [frames, 161] → [frames, 161]
    fn forward(&self, rows: Tensor<2>) -> Tensor<2> {
        let encoded = self.encoder.iter().fold(rows, |x, layer| activation::relu(layer.forward(x)));
        let states = self.recurrent.iter().fold(encoded.unsqueeze::<3>(), |x, layer| layer.forward(x, None).0);
        let decoded = activation::relu(self.decoder[0].forward(states.squeeze_dim::<2>(0)));
        self.decoder[1].forward(decoded)
    }
}
