//! The middle of some values, and between which bounds it lies with confidence.
//!
//! The bounds are order statistics: the true median has equal chances to be below or above each value, so how many lie
//! below it is binomial, whatever the values are distributed like. Nothing is assumed to be normal.

use std::fmt;

/// A median with its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Not a number if there are no values.
    pub middle: f64,
    /// With a confidence of at least 95 %; without bounds if there are too few values.
    pub bounds: Option<(f64, f64)>,
}

pub fn estimate(values: impl IntoIterator<Item = f64>) -> Estimate {
    let mut values: Vec<_> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let count = values.len();
    if count == 0 {
        return Estimate { middle: f64::NAN, bounds: None };
    }
    let middle = (values[(count - 1) / 2] + values[count / 2]) / 2.0;
    let bounds = outer(count).map(|outer| (values[outer], values[count - 1 - outer]));
    Estimate { middle, bounds }
}

/// How many values at each end may be left out, so that the median lies between the others with 95 %.
fn outer(count: usize) -> Option<usize> {
    // As a logarithm, for the chance that all of many values lie on one side is less than a number can be.
    let mut probability = count as f64 * 0.5_f64.ln();
    let mut below = 0.0;
    let mut outer = None;
    for left_out in 0..count {
        below += probability.exp();
        if 2.0 * below > 0.05 {
            break;
        }
        outer = Some(left_out);
        probability += ((count - left_out) as f64 / (left_out + 1) as f64).ln();
    }
    outer
}

/// As percent more or less.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.2} %", self.middle)?;
        match self.bounds {
            Some((low, high)) => write!(f, " ({low:+.2} to {high:+.2})"),
            None => write!(f, " (too few rounds for bounds)"),
        }
    }
}
