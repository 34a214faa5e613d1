//! The last stage: exact scores for as many of the best estimates as it takes to be sure of the first `k`.

use std::cmp::Ordering;

use crate::index::Hit;
use crate::math::dot;

/// Rows fetched at once; also the least number of exact scores from which an error is estimated.
const FETCH: usize = 32;

/// Puts the best scores first; among equal ones the newer row.
pub(crate) fn best_first(a: &Hit, b: &Hit) -> Ordering {
    b.score.total_cmp(&a.score).then(b.id.cmp(&a.id))
}

/// Leaves the best, in order.
pub(crate) fn keep_best(hits: &mut Vec<Hit>, count: usize) {
    if count < hits.len() {
        hits.select_nth_unstable_by(count, best_first);
        hits.truncate(count);
    }
    hits.sort_unstable_by(best_first);
}

/// The `k` best rows by exact score.
///
/// `estimates` are sorted. They are fetched in rounds until the best estimate that is left could only reach the
/// k-th exact score by an error of more than `margin` times the errors seen so far.
/// A row without a vector (deleted in the database, not yet here) is left out.
pub(crate) fn exact(
    query: &[f32],
    estimates: &[Hit],
    k: usize,
    margin: f32,
    mut fetch: impl FnMut(&[u64]) -> Vec<Vec<f32>>,
) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    let mut squares = 0.0f32;
    let mut seen = 0usize;
    let mut left = estimates;
    while let Some(next) = left.first() {
        let error = (squares / seen.max(1) as f32).sqrt();
        if hits.len() >= k && hits[k - 1].score > next.score + margin * error {
            break;
        }
        let (round, rest) =
            left.split_at(left.len().min(FETCH.max(if seen == 0 { k.saturating_mul(2) } else { 0 })));
        let ids: Vec<u64> = round.iter().map(|hit| hit.id).collect();
        for (hit, vector) in round.iter().zip(fetch(&ids)) {
            if vector.len() == query.len() {
                let score = dot(query, &vector);
                squares += (score - hit.score) * (score - hit.score);
                seen += 1;
                hits.push(Hit { id: hit.id, score });
            }
        }
        hits.sort_unstable_by(best_first);
        left = rest;
    }
    hits.truncate(k);
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(scores: impl IntoIterator<Item = f32>) -> Vec<Hit> {
        scores.into_iter().zip(1..).map(|(score, id)| Hit { id, score }).collect()
    }

    #[test]
    fn fetching_stops_when_the_rest_cannot_matter() {
        let estimates = hits((0..1000).map(|i| 1.0 - i as f32 / 1000.0));
        let mut fetched = 0;
        let found = exact(&[1.0], &estimates, 10, 3.0, |ids| {
            fetched += ids.len();
            ids.iter().map(|id| vec![1.0 - (id - 1) as f32 / 1000.0]).collect()
        });
        assert_eq!(found.iter().map(|hit| hit.id).collect::<Vec<_>>(), (1..=10).collect::<Vec<_>>());
        assert_eq!(fetched, FETCH);
    }

    #[test]
    fn bad_estimates_are_paid_with_more_fetches() {
        let estimates = hits((0..200).map(|i| 1.0 - i as f32 / 1000.0));
        let found = exact(&[1.0], &estimates, 1, 3.0, |ids| {
            ids.iter().map(|id| vec![if *id == 150 { 0.99 } else { 0.5 }]).collect()
        });
        assert_eq!(found, [Hit { id: 150, score: 0.99 }]);
    }

    #[test]
    fn equal_scores_put_the_newer_row_first_and_missing_rows_are_left_out() {
        let found = exact(&[1.0], &hits([0.5; 5]), 3, 3.0, |ids| {
            ids.iter().map(|id| if *id == 4 { vec![] } else { vec![0.5] }).collect()
        });
        assert_eq!(found.iter().map(|hit| hit.id).collect::<Vec<_>>(), [5, 3, 2]);
    }
}
