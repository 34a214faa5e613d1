//! Vectors as codes: a sign bit per dimension for the scan, and finer codes for the rows that survive it.
//!
//! With `m` the centre, a row is `x = m + r` and its fine code `v` is parallel to `r`, nearly: the estimate of
//! `<q, x>` is `<q - m, m> + <m, x> + f * <q - m, v>`. The two numbers that depend on the row alone, `<m, x>`
//! and `f = |r|² / <r, v>`, are stored with it; `<q - m, v>` is a sum of integers.

use crate::centre::Centre;
use crate::kernel::Kernel;
use crate::math::dot;

/// How much memory the fine codes may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// One more bit per dimension: four levels in all, 96 bytes of codes for 384 dimensions.
    #[default]
    Compact,
    /// A byte per dimension: 432 bytes of codes for 384 dimensions, and fewer exact vectors to fetch.
    Generous,
}

/// The size of a row's codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) dimension: usize,
    pub(crate) memory: Memory,
}

impl Shape {
    /// Words of sign bits per row, the last one padded with zeros.
    pub(crate) fn words(self) -> usize {
        self.dimension.div_ceil(64)
    }

    /// What one step of a stored factor is worth.
    fn factor_step(self) -> f32 {
        match self.memory {
            Memory::Compact => 8.0 / (f32::from(u16::MAX) * (self.dimension as f32).sqrt()),
            Memory::Generous => 2.0 / (f32::from(u16::MAX) * 127.0),
        }
    }
}

/// The two numbers of a row's estimate, in fixed point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scalars {
    pub(crate) offset: i16,
    pub(crate) factor: u16,
}

/// Fine codes, row after row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fine {
    /// The lower bit of the level `2 * sign + low`; the level stands for -3, -1, 1 or 3.
    Low(Vec<u64>),
    /// Value plus 128, padded to 64 dimensions.
    Bytes(Vec<[u8; 64]>),
}

impl Fine {
    pub(crate) fn new(memory: Memory) -> Fine {
        match memory {
            Memory::Compact => Fine::Low(Vec::new()),
            Memory::Generous => Fine::Bytes(Vec::new()),
        }
    }

    /// Appends row `row` of `other`, which has the same memory.
    pub(crate) fn copy(&mut self, other: &Fine, row: usize, words: usize) {
        let range = row * words..(row + 1) * words;
        match (self, other) {
            (Fine::Low(to), Fine::Low(from)) => to.extend_from_slice(&from[range]),
            (Fine::Bytes(to), Fine::Bytes(from)) => to.extend_from_slice(&from[range]),
            (Fine::Low(_), Fine::Bytes(_)) | (Fine::Bytes(_), Fine::Low(_)) => {}
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Fine::Low(words) => words.capacity() * 8,
            Fine::Bytes(values) => values.capacity() * 64,
        }
    }

    pub(crate) fn shrink(&mut self) {
        match self {
            Fine::Low(words) => words.shrink_to_fit(),
            Fine::Bytes(values) => values.shrink_to_fit(),
        }
    }
}

/// Codes of rows in the order they came, not yet laid out for scanning.
#[derive(Debug)]
pub(crate) struct Codes {
    pub(crate) signs: Vec<u64>,
    pub(crate) fine: Fine,
    pub(crate) scalars: Vec<Scalars>,
}

impl Codes {
    pub(crate) fn new(memory: Memory) -> Codes {
        Codes { signs: Vec::new(), fine: Fine::new(memory), scalars: Vec::new() }
    }

    /// Codes a vector of the right dimension.
    pub(crate) fn push(&mut self, vector: &[f32], centre: &Centre, shape: Shape) {
        let residual: Vec<f32> = vector.iter().zip(&centre.mean).map(|(x, m)| x - m).collect();
        self.signs.extend(residual.chunks(64).map(|values| bits(values, |value| value > 0.0)));
        let factor = match &mut self.fine {
            Fine::Low(words) => push_levels(words, &residual),
            Fine::Bytes(values) => push_bytes(values, &residual),
        };
        let offset = (dot(vector, &centre.mean) * f32::from(i16::MAX)).round() as i16;
        self.scalars.push(Scalars { offset, factor: (factor / shape.factor_step()).round() as u16 });
    }

    /// Appends all rows of `other`.
    pub(crate) fn append(&mut self, mut other: Codes) {
        self.signs.append(&mut other.signs);
        self.scalars.append(&mut other.scalars);
        match (&mut self.fine, &mut other.fine) {
            (Fine::Low(to), Fine::Low(from)) => to.append(from),
            (Fine::Bytes(to), Fine::Bytes(from)) => to.append(from),
            (Fine::Low(_), Fine::Bytes(_)) | (Fine::Bytes(_), Fine::Low(_)) => {}
        }
    }
}

/// Sets the low bits; the step between levels fits a bell curve best at twice half its standard deviation.
fn push_levels(words: &mut Vec<u64>, residual: &[f32]) -> f32 {
    let length = dot(residual, residual);
    let step = (length / residual.len() as f32).sqrt();
    let is_outer = |value: f32| value.abs() > step;
    words.extend(residual.chunks(64).map(|values| bits(values, |value| is_outer(value) == (value > 0.0))));
    let along: f32 =
        residual.iter().map(|value| value.abs() * if is_outer(*value) { 3.0 } else { 1.0 }).sum();
    if along > 0.0 { length / along } else { 0.0 }
}

fn push_bytes(values: &mut Vec<[u8; 64]>, residual: &[f32]) -> f32 {
    let factor = largest(residual) / 127.0;
    let byte = |value: &f32| if factor > 0.0 { ((value / factor).round() as i32 + 128) as u8 } else { 128 };
    values.extend(residual.chunks(64).map(|residual| {
        let mut bytes = [128; 64];
        bytes.iter_mut().zip(residual).for_each(|(to, value)| *to = byte(value));
        bytes
    }));
    factor
}

fn bits(values: &[f32], is_set: impl Fn(f32) -> bool) -> u64 {
    values.iter().enumerate().fold(0, |word, (i, value)| word | (u64::from(is_set(*value)) << i))
}

fn largest(values: &[f32]) -> f32 {
    values.iter().fold(0.0, |largest, value| largest.max(value.abs()))
}

/// A query as the codes of one centre see it.
#[derive(Debug)]
pub(crate) struct CodedQuery {
    pub(crate) signs: Vec<u64>,
    values: Vec<[i8; 64]>,
    sum: i32,
    base: f32,
    /// What one unit of a row's factor times one unit of the integer product is worth.
    scale: f32,
}

impl CodedQuery {
    pub(crate) fn new(query: &[f32], centre: &Centre, shape: Shape) -> CodedQuery {
        let residual: Vec<f32> = query.iter().zip(&centre.mean).map(|(q, m)| q - m).collect();
        let step = (largest(&residual) / 127.0).max(f32::MIN_POSITIVE);
        let values: Vec<[i8; 64]> = residual
            .chunks(64)
            .map(|residual| {
                let mut values = [0; 64];
                values.iter_mut().zip(residual).for_each(|(to, value)| *to = (value / step).round() as i8);
                values
            })
            .collect();
        CodedQuery {
            signs: residual.chunks(64).map(|values| bits(values, |value| value > 0.0)).collect(),
            sum: values.iter().flatten().map(|value| i32::from(*value)).sum(),
            values,
            base: dot(&residual, &centre.mean),
            scale: step * shape.factor_step(),
        }
    }

    /// The estimated score of a row. `signs` are the row's own words, gathered from its block.
    pub(crate) fn estimate(
        &self,
        kernel: Kernel,
        signs: &[u64],
        fine: &Fine,
        row: usize,
        scalars: Scalars,
    ) -> f32 {
        let words = self.signs.len();
        let range = row * words..(row + 1) * words;
        let product = match fine {
            Fine::Low(low) => {
                let high = kernel.masked_sum(signs, &self.values);
                4 * high + 2 * kernel.masked_sum(&low[range], &self.values) - 3 * self.sum
            }
            Fine::Bytes(codes) => kernel.byte_dot(&codes[range], &self.values) - 128 * self.sum,
        };
        let offset = f32::from(scalars.offset) / f32::from(i16::MAX);
        self.base + offset + f32::from(scalars.factor) * self.scale * product as f32
    }
}
