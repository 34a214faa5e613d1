/// What 1.0 is written as. Places are no longer than 1, so neither an inner product nor any part of it leaves an i32.
const ONE: f32 = 16384.0;

/// Places as whole numbers: quicker to compare than floats, and every machine gets the same sums.
#[derive(Debug)]
pub(crate) struct Codes {
    width: usize,
    values: Vec<i16>,
}

impl Codes {
    pub(crate) fn of(places: &[Vec<f32>]) -> Self {
        let width = places.first().map_or(0, Vec::len);
        let code = |value: &f32| (value * ONE).round() as i16;
        Self { width, values: places.iter().flatten().map(code).collect() }
    }

    pub(crate) fn row(&self, at: usize) -> &[i16] {
        self.values.get(at * self.width..(at + 1) * self.width).unwrap_or_default()
    }

    pub(crate) fn similarity(a: &[i16], b: &[i16]) -> f32 {
        let sum: i32 = a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
        sum as f32 / (ONE * ONE)
    }
}
