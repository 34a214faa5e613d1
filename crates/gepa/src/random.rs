//! The draws the algorithm makes, by meaning.

/// A source of chance. The engine draws through these alone, so that a recorded run can be played back draw by
/// draw in place of [`crate::Mt19937`].
pub trait Random {
    /// One of `from`, which is never empty; repetitions weigh.
    fn choice(&mut self, from: &[usize]) -> usize;
    /// `items` in a new order.
    fn shuffle(&mut self, items: Vec<usize>) -> Vec<usize>;
    /// `count` different positions of `from`, at most all.
    fn sample(&mut self, from: &[usize], count: usize) -> Vec<usize>;
    /// One of `from` in proportion to `weights`, whose sum is positive.
    fn weighted(&mut self, from: &[usize], weights: &[f64]) -> usize;
    /// `count` of `from`, which is never empty, each draw from all of them.
    fn with_replacement(&mut self, from: &[usize], count: usize) -> Vec<usize>;
    /// A number in `[0, 1)`.
    fn unit(&mut self) -> f64;
    /// A whole number in `[0, highest]`.
    fn up_to(&mut self, highest: usize) -> usize;
}
