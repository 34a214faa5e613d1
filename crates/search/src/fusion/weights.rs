/// How much each part counts. The default was chosen on development halves of conversation and procedure
/// sets, so its numbers there flatter it. The optimum is flat: on each set nine of ten random settings over
/// wide ranges stayed within six points of its recall@10.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// How fast a repeated word stops to count (`k1` of BM25).
    pub saturation: f64,
    /// How much a long passage pays for its length, 0 to 1 (`b` of BM25).
    pub length: f64,
    /// What a word in the turn next to it, and in the one after that, counts for a turn.
    pub context: [f64; 2],
    /// Turns longer than so many terms explain themselves: beyond it the context fades with their length.
    pub context_terms: f64,
    /// What a cosine of 1 adds. Chosen for MiniLM, whose cosines of one question spread by about 0.12; a
    /// model that spreads less needs as much more.
    pub meaning: f64,
    /// What an assistant's turn loses when the asker asks about themselves: they know it from what they said.
    pub assistant: f64,
    /// What a user's standing request ("always …", "I prefer …") gains: it holds for whatever is asked next.
    pub standing: f64,
    /// What the newest candidate gains; 0 leaves time out of it.
    pub recency: f64,
    /// After so long the gain is half, in the unit of the candidates' time.
    pub half_life: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            saturation: 1.2,
            length: 0.5,
            context: [0.4, 0.2],
            context_terms: 60.0,
            meaning: 4.0,
            assistant: 1.0,
            standing: 0.5,
            recency: 0.0,
            half_life: 30.0 * 86_400.0,
        }
    }
}

/// The value, kept within bounds; what is no number counts as the lower bound or zero, whichever is more.
pub(super) fn within(value: f64, low: f64, high: f64) -> f64 {
    if value.is_nan() { low.max(0.0) } else { value.clamp(low, high) }
}
