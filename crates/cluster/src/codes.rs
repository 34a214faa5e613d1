/// What 1.0 is written as. Places are no longer than 1, so neither an inner product nor any part of it leaves an i32.
const ONE: f32 = 16384.0;

/// Places as whole numbers: quicker to compare than floats, and every machine gets the same sums.
#[derive(Debug)]
pub(crate) struct Codes {
    width: usize,
    values: Vec<i16>,
}

impl Codes {
    pub(crate) fn new(width: usize, rows: usize) -> Self {
        Self { width, values: Vec::with_capacity(width * rows) }
    }

    pub(crate) fn push(&mut self, place: &[f32]) {
        self.values.extend(place.iter().map(|value| (value * ONE).round() as i16));
    }

    pub(crate) fn rows(&self) -> usize {
        self.values.len() / self.width.max(1)
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Adds the place of a row, times its weight, to a sum.
    pub(crate) fn add(&self, row: usize, weight: f32, sum: &mut [f32]) {
        for (sum, &value) in sum.iter_mut().zip(self.row(row)) {
            *sum += weight * f32::from(value) / ONE;
        }
    }

    /// The place of a row as it was given, up to rounding.
    pub(crate) fn place(&self, row: usize) -> Vec<f32> {
        self.row(row).iter().map(|&value| f32::from(value) / ONE).collect()
    }

    pub(crate) fn row(&self, at: usize) -> &[i16] {
        self.values.get(at * self.width..(at + 1) * self.width).unwrap_or_default()
    }

    pub(crate) fn similarity(a: &[i16], b: &[i16]) -> f32 {
        let sum: i32 = a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
        sum as f32 / (ONE * ONE)
    }
}
