//! Evolutionary search of the paper (section 5.2, after Starke et al. 2018), with the constants of the authors' code.
//! Genes are a, f, s and b of eq. 3. Individuals are bred by rank, drift towards their parents and the best one, and
//! mutate; elites are occasionally improved by BFGS. Signal, windows and bounds are those of
//! [`kinestitch::method::phase::fit`].

use super::super::lscore::Random;
use kinestitch::method::phase::fit::{FREQUENCY_RANGE, Sinusoid};
use std::f64::consts::{PI, TAU};
use std::ops::Range;

const INDIVIDUALS: usize = 50;
const ELITES: usize = 5;
const GENERATIONS: usize = 10;
/// Probability that the last individual of a generation is random (lower for earlier ones), and width of a mutation
/// relative to the bounds.
const EXPLORATION: f64 = 0.2;
/// Probability with which an elite is improved by BFGS in a generation.
const MEMETISM: f64 = 0.1;
const BFGS_STEPS: usize = 10;

/// Amplitude, frequency in hertz, phase in radians, offset.
type Genes = [f64; 4];

#[derive(Clone, Copy)]
struct Individual {
    genes: Genes,
    /// Difference between these genes and those of the parents.
    momentum: Genes,
    loss: f64,
}

/// Samples of one window, and the bounds of the genes.
struct Problem<'a> {
    values: &'a [f64],
    /// Time of the first sample relative to the frame, seconds.
    start: f64,
    /// Time between samples, seconds.
    step: f64,
    bounds: [[f64; 2]; 4],
}

/// Fits one sinusoid per frame of a signal.
pub fn fit(signal: &[f64], fps: f64, windows: &[Range<usize>], rng: &mut Random) -> Vec<Sinusoid> {
    let fit_window = |(frame, window): (usize, &Range<usize>)| {
        let values = &signal[window.clone()];
        let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), &v| (low.min(v), high.max(v)));
        let highest = FREQUENCY_RANGE[1].min(0.4 * fps);
        let bounds = [[0.0, high - low], [FREQUENCY_RANGE[0].min(highest / 2.0), highest], [-PI, PI], [low, high]];
        let start = (window.start as f64 - frame as f64) / fps;
        let [amplitude, frequency, phase, offset] =
            Problem { values, start, step: 1.0 / fps, bounds }.search(rng).genes;
        Sinusoid { amplitude, frequency, phase: phase.rem_euclid(TAU), offset }
    };
    windows.iter().enumerate().map(fit_window).collect()
}

impl Problem<'_> {
    fn search(&self, rng: &mut Random) -> Individual {
        let mut swarm: Vec<Individual> = (0..INDIVIDUALS).map(|_| self.random_individual(rng)).collect();
        let by_loss = |a: &Individual, b: &Individual| a.loss.total_cmp(&b.loss);
        swarm.sort_by(by_loss);
        for _ in 0..GENERATIONS {
            let mut next = swarm[..ELITES].to_vec();
            for elite in &mut next {
                if rng.unit() < MEMETISM {
                    *elite = self.improve(*elite);
                }
            }
            while next.len() < INDIVIDUALS {
                let child = if rng.unit() < EXPLORATION * next.len() as f64 / INDIVIDUALS as f64 {
                    self.random_individual(rng)
                } else {
                    self.child(&swarm, rng)
                };
                next.push(child);
            }
            next.sort_by(by_loss);
            swarm = next;
        }
        self.improve(swarm[0])
    }

    /// Creates an individual. `parent_genes`: mean genes of its parents.
    fn individual(&self, genes: Genes, parent_genes: Genes) -> Individual {
        let genes = self.clamp(genes);
        let momentum = std::array::from_fn(|gene| genes[gene] - parent_genes[gene]);
        Individual { genes, momentum, loss: self.loss(genes).0 }
    }

    fn random_individual(&self, rng: &mut Random) -> Individual {
        let genes = self.bounds.map(|[low, high]| low + (high - low) * rng.unit());
        self.individual(genes, genes)
    }

    fn child(&self, swarm: &[Individual], rng: &mut Random) -> Individual {
        // Rank selection: the better of two random individuals.
        let mut parent = || swarm[rng.below(swarm.len()).min(rng.below(swarm.len()))];
        let (mother, father) = (parent(), parent());
        let mutation = father.loss.max(mother.loss) / swarm[swarm.len() - 1].loss.max(1e-9);
        let mut genes = [0.0; 4];
        let mut middle = [0.0; 4];
        for gene in 0..4 {
            let weight = rng.unit();
            middle[gene] = weight * mother.genes[gene] + (1.0 - weight) * father.genes[gene];
            let drift = rng.unit() * mother.momentum[gene] + rng.unit() * father.momentum[gene];
            let [low, high] = self.bounds[gene];
            let random = if rng.unit() < mutation { (rng.unit() - 0.5) * EXPLORATION * (high - low) } else { 0.0 };
            let to_best = rng.unit() * (swarm[0].genes[gene] - middle[gene]);
            genes[gene] = middle[gene] + drift + random + to_best * rng.unit();
        }
        self.individual(genes, middle)
    }

    fn clamp(&self, mut genes: Genes) -> Genes {
        for (gene, [low, high]) in genes.iter_mut().zip(self.bounds) {
            *gene = gene.clamp(low, high);
        }
        genes
    }

    /// Mean square error (the square of eq. 4) and its gradient.
    fn loss(&self, [a, f, s, b]: Genes) -> (f64, Genes) {
        let (mut loss, mut gradient) = (0.0, [0.0; 4]);
        for (index, value) in self.values.iter().enumerate() {
            let time = self.start + self.step * index as f64;
            let (sin, cos) = (TAU * f * time + s).sin_cos();
            let error = a * sin + b - value;
            loss += error * error;
            let slopes = [sin, a * cos * TAU * time, a * cos, 1.0];
            gradient.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += 2.0 * error * slope);
        }
        let count = self.values.len() as f64;
        (loss / count, gradient.map(|sum| sum / count))
    }

    /// BFGS with step halving, projected onto the bounds.
    fn improve(&self, from: Individual) -> Individual {
        let mut x = from.genes;
        let (mut loss, mut gradient) = self.loss(x);
        let mut inverse = [[0.0; 4]; 4];
        (0..4).for_each(|i| inverse[i][i] = 0.1);
        for _ in 0..BFGS_STEPS {
            let direction: Genes = std::array::from_fn(|i| -dot(inverse[i], gradient));
            let mut length = 1.0;
            let step = loop {
                let to = self.clamp(std::array::from_fn(|i| x[i] + length * direction[i]));
                let (new_loss, new_gradient) = self.loss(to);
                if new_loss < loss {
                    break Some((to, new_loss, new_gradient));
                }
                length /= 2.0;
                if length < 1e-4 {
                    break None;
                }
            };
            let Some((to, new_loss, new_gradient)) = step else { break };
            let s: Genes = std::array::from_fn(|i| to[i] - x[i]);
            let y: Genes = std::array::from_fn(|i| new_gradient[i] - gradient[i]);
            let curvature = dot(s, y);
            if curvature > 1e-12 {
                let hy: Genes = std::array::from_fn(|i| dot(inverse[i], y));
                let scale = (curvature + dot(y, hy)) / (curvature * curvature);
                for i in 0..4 {
                    for j in 0..4 {
                        inverse[i][j] += scale * s[i] * s[j] - (hy[i] * s[j] + s[i] * hy[j]) / curvature;
                    }
                }
            }
            (x, loss, gradient) = (to, new_loss, new_gradient);
        }
        Individual { genes: x, momentum: from.momentum, loss }
    }
}

fn dot(a: Genes, b: Genes) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
