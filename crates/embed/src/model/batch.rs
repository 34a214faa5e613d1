//! Many texts over several threads, in passes of about the same size.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread;

use super::forward::{Scratch, forward};
use super::weights::Weights;
use crate::kernels::Isa;

/// Tokens of one pass: enough to use each weight many times, few enough to stay in the second-level cache.
const PASS: usize = 192;

/// Spaces that calls lend from each other: clearing fresh memory costs more than a short text.
pub(crate) type Spaces = Mutex<Vec<Scratch>>;

/// One vector per text, in the order of the texts.
pub(crate) fn embed(
    isa: Isa,
    weights: &Weights,
    texts: &[Vec<u32>],
    threads: usize,
    spaces: &Spaces,
) -> Vec<Vec<f32>> {
    let passes = passes(texts);
    let next = AtomicUsize::new(0);
    let vectors = Mutex::new(vec![Vec::new(); texts.len()]);
    let work = || {
        let mut scratch = lock(spaces).pop().unwrap_or_default();
        while let Some(pass) = passes.get(next.fetch_add(1, Ordering::Relaxed)) {
            let tokens: Vec<&[u32]> = pass.iter().map(|text| texts[*text].as_slice()).collect();
            let made = forward(isa, weights, &tokens, &mut scratch);
            let mut vectors = lock(&vectors);
            for (text, vector) in pass.iter().zip(made) {
                vectors[*text] = vector;
            }
        }
        lock(spaces).push(scratch);
    };
    let helpers = threads.min(passes.len()).saturating_sub(1);
    thread::scope(|scope| {
        for _ in 0..helpers {
            scope.spawn(work);
        }
        work();
    });
    vectors.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Groups of texts, longest texts first, so that no thread is left with a long one at the end.
fn passes(texts: &[Vec<u32>]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|text| std::cmp::Reverse(texts[*text].len()));
    let mut passes: Vec<Vec<usize>> = Vec::new();
    let mut tokens = PASS;
    for text in order {
        tokens += texts[text].len();
        match passes.last_mut() {
            Some(pass) if tokens <= PASS => pass.push(text),
            _ => {
                passes.push(vec![text]);
                tokens = texts[text].len();
            }
        }
    }
    passes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::tiny;
    use crate::model::weights::Precision;

    fn texts() -> impl Strategy<Value = Vec<Vec<u32>>> {
        prop::collection::vec(prop::collection::vec(0u32..11, 1..16), 0..30)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4))]

        #[test]
        fn every_text_is_in_one_pass_and_passes_are_small(texts in texts()) {
            let passes = passes(&texts);
            let mut seen: Vec<usize> = passes.concat();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..texts.len()).collect::<Vec<_>>());
            for pass in passes {
                let tokens: usize = pass.iter().map(|text| texts[*text].len()).sum();
                prop_assert!(pass.len() == 1 || tokens <= PASS);
            }
        }

        #[test]
        fn a_vector_depends_on_its_text_alone(texts in texts()) {
            for precision in [Precision::Int8, Precision::F32] {
                let weights = tiny::contents(precision).weights;
                let alone: Vec<Vec<f32>> = texts
                    .iter()
                    .map(|text| embed(Isa::PORTABLE, &weights, std::slice::from_ref(text), 1, &Spaces::default()).concat())
                    .collect();
                for isa in Isa::all() {
                    prop_assert_eq!(&embed(isa, &weights, &texts, 3, &Spaces::default()), &alone, "{}", isa.name());
                }
            }
        }
    }
}
