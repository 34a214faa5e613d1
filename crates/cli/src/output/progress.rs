use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Output;

/// A bar on a terminal, nothing elsewhere.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// `total` is unknown for a stream.
    pub(crate) fn new(out: &Output, what: &'static str, total: Option<u64>) -> Self {
        let target = if out.quiet || out.is_json() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(total, target);
        let template = match total {
            Some(_) => "{msg} {wide_bar} {human_pos}/{human_len} {eta}",
            None => "{msg} {spinner} {human_pos} {per_sec}",
        };
        // Only a wrong template fails, and then the plain bar will do.
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        bar.set_message(what);
        Self(bar)
    }

    pub(crate) fn add(&self, count: u64) {
        self.0.inc(count);
    }

    pub(crate) fn set(&self, done: u64, total: u64) {
        self.0.set_length(total);
        self.0.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
