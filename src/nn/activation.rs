//! Activation functions. Functions of a slice replace its values.

use glam::Vec4;

/// Replaces each x by `max(x, 0)`.
pub fn relu(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value = value.max(0.0));
}

/// Replaces each negative x by `eˣ − 1`; keeps the others.
pub fn elu(values: &mut [f32]) {
    values.iter_mut().for_each(|value| {
        if *value < 0.0 {
            *value = value.exp() - 1.0;
        }
    });
}

/// Leaves each x in −1..1 unchanged; beyond this range, the slope of the function is 0.1 (Nicolae 2018, *PLU: the
/// piecewise linear unit*).
pub fn plu(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value = 0.9 * value.clamp(-1.0, 1.0) + 0.1 * *value);
}

/// Replaces each x by `x Φ(x)`. Φ is the cumulative distribution function of the standard normal distribution, computed
/// by `erf`.
pub fn gelu(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value *= 0.5 * (1.0 + erf(*value * std::f32::consts::FRAC_1_SQRT_2)));
}

/// Approximates the error function: Abramowitz and Stegun 7.1.26, error below 1.5e-7.
fn erf(x: f32) -> f32 {
    const FACTORS: [f32; 5] = [1.061_405_4, -1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6];
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let sum = FACTORS.iter().fold(0.0, |sum, factor| (sum + factor) * t);
    (1.0 - sum * (-x * x).exp()).copysign(x)
}

/// Replaces each x by `eˣ` divided by the sum of all `eˣ`.
pub fn softmax(values: &mut [f32]) {
    let largest = values.iter().fold(f32::NEG_INFINITY, |largest, value| largest.max(*value));
    values.iter_mut().for_each(|value| *value = (*value - largest).exp());
    let sum: f32 = values.iter().sum();
    values.iter_mut().for_each(|value| *value /= sum);
}

/// Computes `1 / (1 + e⁻ˣ)`.
pub fn sigmoid(x: Vec4) -> Vec4 {
    0.5 * tanh(0.5 * x) + Vec4::splat(0.5)
}

/// Computes the hyperbolic tangent by Eigen's rational approximation (`ptanh_float`, also used by onnxruntime), exact
/// to a few units in the last place.
pub fn tanh(x: Vec4) -> Vec4 {
    const ODD: [f32; 7] =
        [-2.760_768_5e-16, 2.000_188e-13, -8.604_672e-11, 5.122_297e-8, 1.485_722_4e-5, 6.372_619_3e-4, 4.893_524_6e-3];
    const EVEN: [f32; 4] = [1.198_258_4e-6, 1.185_347e-4, 2.268_434_6e-3, 4.893_525e-3];
    let x = x.clamp(Vec4::splat(-7.9), Vec4::splat(7.9));
    let square = x * x;
    let polynomial =
        |factors: &[f32]| factors.iter().fold(Vec4::ZERO, |sum, &factor| sum * square + Vec4::splat(factor));
    x * polynomial(&ODD) / polynomial(&EVEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approximations_agree_with_the_functions() {
        for x in (-400..400).map(|x| x as f32 / 40.0) {
            assert!((tanh(Vec4::splat(x)).x - x.tanh()).abs() < 1e-6, "tanh {x}");
            assert!((sigmoid(Vec4::splat(x)).x - 1.0 / (1.0 + (-x).exp())).abs() < 1e-6, "sigmoid {x}");
        }
        // True values of erf, to seven digits.
        for (x, value) in [(0.0, 0.0), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (-2.0, -0.995_322_3)] {
            assert!((erf(x) - value).abs() < 3e-7, "erf {x}");
        }
        let mut values = [0.5, -1.0, 3.0, -6.0];
        plu(&mut values);
        assert!(
            values.iter().zip([0.5, -1.0, 1.2, -1.5]).all(|(a, b): (&f32, f32)| (a - b).abs() < 1e-6),
            "{values:?}"
        );
        let mut values = [1e3, 1e3, -1e3];
        softmax(&mut values);
        assert_eq!(values, [0.5, 0.5, 0.0]);
    }
}
