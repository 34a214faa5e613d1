//! Which turns are learned from together, and when. Pure: it counts turns and knows nothing of them.

#[cfg(test)]
mod tests;

/// How many turns a window holds, and how many new ones make the next one due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    window: usize,
    stride: usize,
}

impl Pace {
    /// Zero means one, and a stride never leaves turns out between two windows.
    pub fn new(window: u32, stride: u32) -> Self {
        let window = window.max(1) as usize;
        Self { window, stride: (stride.max(1) as usize).min(window) }
    }

    pub fn window(self) -> usize {
        self.window
    }
}

/// Turns `start..end` of a list, of which those from `fresh` on were in no window before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub start: usize,
    pub fresh: usize,
    pub end: usize,
}

/// The windows that are due over `total` turns, of which the first `covered` were in a window before. A full window
/// is due by itself, a shorter one only up to turn number `flush`.
pub fn due(pace: Pace, covered: usize, total: usize, flush: usize) -> Vec<Window> {
    let mut windows = Vec::new();
    let mut at = covered.min(total);
    loop {
        // The first window is made of new turns only; later ones overlap with what came before.
        let needed = pace.stride.max(pace.window - pace.window.min(at));
        let waiting = total - at;
        let taken = if waiting >= needed { needed } else { flush.min(total).saturating_sub(at) };
        if taken == 0 {
            return windows;
        }
        let end = at + taken;
        windows.push(Window { start: end.saturating_sub(pace.window), fresh: at, end });
        at = end;
    }
}

/// All turns in windows, as if nothing had been learned from them.
pub fn all(pace: Pace, total: usize) -> Vec<Window> {
    due(pace, 0, total, total)
}

/// The last turns, all of them new.
pub fn last(pace: Pace, total: usize) -> Option<Window> {
    let start = total.saturating_sub(pace.window);
    (total > 0).then_some(Window { start, fresh: start, end: total })
}
