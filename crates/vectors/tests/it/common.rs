//! Made-up vectors, and the database that an index stands beside.

use std::collections::BTreeMap;

use reflexio_vectors::{Filter, Hit, Labels, Row};

/// A seeded generator of numbers and vectors.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        (self.next() % u64::from(limit)) as u32
    }

    pub(crate) fn normal(&mut self) -> f32 {
        (0..8).map(|_| (self.next() & 0xffff) as f32 / 65536.0).sum::<f32>() * 1.2247 - 4.899
    }

    pub(crate) fn unit(&mut self, dimension: usize) -> Vec<f32> {
        unit((0..dimension).map(|_| self.normal()).collect())
    }

    /// Vectors around centres that share a direction.
    pub(crate) fn clustered(&mut self, count: usize, clusters: usize, dimension: usize) -> Vec<Vec<f32>> {
        let shared = self.unit(dimension);
        let centres: Vec<Vec<f32>> = (0..clusters).map(|_| self.unit(dimension)).collect();
        let scatter = 0.6 / (dimension as f32).sqrt();
        (0..count)
            .map(|_| {
                let centre = &centres[self.below(clusters as u32) as usize];
                unit(centre.iter().zip(&shared).map(|(c, s)| c + 0.5 * s + scatter * self.normal()).collect())
            })
            .collect()
    }

    pub(crate) fn labels(&mut self) -> Labels {
        Labels {
            user: self.below(4),
            version: self.below(3),
            name: self.below(3),
            source: self.below(2),
            status: [0, 1, 63, 64, 255][self.below(5) as usize],
            time: i64::from(self.below(10)) - 5,
            tags: (0..self.below(3)).map(|_| self.below(4)).collect(),
        }
    }

    pub(crate) fn filter(&mut self, org: u32) -> Filter {
        let mut keys =
            |limit| (self.below(3) == 0).then(|| (0..self.below(3)).map(|_| self.below(limit)).collect());
        let (versions, names, sources, tags) = (keys(3), keys(3), keys(2), keys(4));
        let mut filter = Filter { versions, names, sources, tags, ..Filter::org(org) };
        if self.below(2) == 0 {
            filter.user = Some(self.below(5));
        }
        if self.below(3) == 0 {
            filter.statuses = [0, 64, 255].into_iter().take(self.below(4) as usize).collect();
        }
        if self.below(3) == 0 {
            filter.from = i64::from(self.below(12)) - 6;
            filter.to = filter.from + i64::from(self.below(6));
        }
        filter
    }
}

pub(crate) fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|value| *value /= length);
    vector
}

/// The rows of one org.
#[derive(Default, Clone)]
pub(crate) struct Database(pub(crate) BTreeMap<u64, (Vec<f32>, Labels)>);

impl Database {
    pub(crate) fn rows(&self) -> Vec<Row<'_>> {
        self.0.iter().map(|(id, (vector, labels))| Row { id: *id, vector, labels: labels.clone() }).collect()
    }

    pub(crate) fn fetch(&self, ids: &[u64]) -> Vec<Vec<f32>> {
        ids.iter().map(|id| self.0.get(id).map(|(vector, _)| vector.clone()).unwrap_or_default()).collect()
    }

    /// The exact answer.
    pub(crate) fn nearest(&self, query: &[f32], filter: &Filter, k: usize) -> Vec<Hit> {
        let admitted = self.0.iter().filter(|(_, (_, labels))| filter.admits(labels));
        let mut hits: Vec<Hit> =
            admitted.map(|(id, (vector, _))| Hit { id: *id, score: dot(query, vector) }).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.id.cmp(&a.id)));
        hits.truncate(k);
        hits
    }
}

/// The inner product, summed in the order of the index so that scores can be compared with `==`.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 16];
    for (a, b) in a.chunks_exact(16).zip(b.chunks_exact(16)) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    let whole = a.len() / 16 * 16;
    sums.iter().sum::<f32>() + a[whole..].iter().zip(&b[whole..]).map(|(a, b)| a * b).sum::<f32>()
}

pub(crate) fn ids(hits: &[Hit]) -> Vec<u64> {
    hits.iter().map(|hit| hit.id).collect()
}
