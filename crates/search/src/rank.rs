use crate::query::{Node, TextQuery};

/// How fast a repeated term stops to count.
const SATURATION: f64 = 1.2;
/// How much a long document has to pay for its length.
const LENGTH_PENALTY: f64 = 0.75;

/// BM25 of each document, with term rarity taken from the documents given: they are the whole set
/// the question is about (one user's turns, one org's rules), so rarity within it is what tells them apart.
pub fn rank(query: &TextQuery, documents: &[Vec<String>]) -> Vec<f64> {
    let Some(root) = query.root() else { return vec![0.0; documents.len()] };
    let leaves = root.leaves();
    let average = average_length(documents);
    let mut scores = vec![0.0; documents.len()];
    for leaf in leaves {
        add_leaf(leaf, documents, average, &mut scores);
    }
    scores
}

fn add_leaf(leaf: &Node, documents: &[Vec<String>], average: f64, scores: &mut [f64]) {
    let counts: Vec<usize> = documents.iter().map(|document| leaf.count(document)).collect();
    let holding = counts.iter().filter(|count| **count > 0).count() as f64;
    let total = documents.len() as f64;
    let rarity = (1.0 + (total - holding + 0.5) / (holding + 0.5)).ln();
    for ((score, count), document) in scores.iter_mut().zip(counts).zip(documents) {
        let count = count as f64;
        let length = document.len() as f64 / average;
        let damped = count * (SATURATION + 1.0)
            / (count + SATURATION * (1.0 - LENGTH_PENALTY + LENGTH_PENALTY * length)).max(f64::MIN_POSITIVE);
        *score += rarity * damped;
    }
}

fn average_length(documents: &[Vec<String>]) -> f64 {
    let total: usize = documents.iter().map(Vec::len).sum();
    (total as f64 / documents.len().max(1) as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::terms;

    fn scores(query: &str, texts: &[&str]) -> Vec<f64> {
        let documents: Vec<_> = texts.iter().map(|text| terms(text)).collect();
        rank(&TextQuery::parse(query), &documents)
    }

    #[test]
    fn rare_terms_short_documents_and_repetition_win() {
        let by_rarity = scores("refund order ", &["order", "refund", "order order", "the order"]);
        assert!(by_rarity[1] > by_rarity[0]);
        let by_length = scores("refund ", &["refund", "refund of something very long indeed", "other"]);
        assert!(by_length[0] > by_length[1] && by_length[2] == 0.0);
        let by_count = scores("refund ", &["refund refund here", "refund about here", "other"]);
        assert!(by_count[0] > by_count[1]);
    }

    #[test]
    fn nothing_to_rank_is_no_fault() {
        assert_eq!(scores("refund", &[]), Vec::<f64>::new());
        assert_eq!(scores("", &["a"]), [0.0]);
        assert_eq!(scores("x", &[""]), [0.0]);
    }
}
