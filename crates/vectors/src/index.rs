//! The index: orgs, writes, and the state of the centre.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use crate::centre::{Centring, Tally};
use crate::code::{Memory, Shape};
use crate::draft::Draft;
use crate::error::Error;
use crate::kernel::Kernel;
use crate::math::is_unit;
use crate::partition::Partition;
use crate::row::{Labels, Row};

/// What an index is made for.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// A multiple of 8.
    pub dimension: usize,
    pub memory: Memory,
    pub widths: Widths,
    pub kernel: Kernel,
}

impl Options {
    /// The measured defaults on the fastest kernel of this machine.
    pub fn new(dimension: usize) -> Options {
        let kernel = Kernel::best();
        Options { dimension, memory: Memory::default(), widths: Widths::default(), kernel }
    }
}

/// How many rows each stage passes on: wider finds more and costs more.
#[derive(Clone, Copy, Debug)]
pub struct Widths {
    /// Rows that the scan of binary codes passes on to the fine codes, besides one of every thousand it scans.
    pub scanned: usize,
    /// The most rows whose exact vector is fetched.
    pub exact: usize,
    /// Fetching stops when the k-th exact score is this many standard errors above the best estimate left.
    pub margin: f32,
}

impl Default for Widths {
    fn default() -> Widths {
        Widths { scanned: 1000, exact: 256, margin: 2.0 }
    }
}

/// A row that was found, with its exact score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub id: u64,
    pub score: f32,
}

/// How large an index is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pub rows: usize,
    /// Rows that were deleted or replaced and wait to be merged away.
    pub dead_rows: usize,
    pub parts: usize,
    pub code_bytes: usize,
    /// Ids, times, labels, users and what else is not a code.
    pub column_bytes: usize,
}

/// A flat quantised index of unit vectors, kept beside the database that holds them.
#[derive(Debug)]
pub struct Index {
    pub(crate) shape: Shape,
    pub(crate) widths: Widths,
    pub(crate) kernel: Kernel,
    pub(crate) centring: Mutex<Centring>,
    pub(crate) orgs: RwLock<HashMap<u32, Arc<Partition>>>,
}

impl Index {
    /// An empty index.
    pub fn new(options: Options) -> Result<Index, Error> {
        let Options { dimension, memory, widths, kernel } = options;
        if dimension % 8 != 0 || !(8..=32768).contains(&dimension) {
            return Err(Error::UnsupportedDimension(dimension));
        }
        let centring = Mutex::new(Centring::new(dimension));
        let shape = Shape { dimension, memory };
        Ok(Index { shape, widths, kernel, centring, orgs: RwLock::default() })
    }

    /// Adds rows to an org, or replaces those with the same id; the last of equal ids counts. The next search
    /// sees all of them, none sees some. Codes are made on up to `threads` threads. Returns how many replaced one.
    pub fn upsert(&self, org: u32, rows: &[Row<'_>], threads: usize) -> Result<usize, Error> {
        self.apply(org, rows, &[], threads)
    }

    /// Removes rows of an org and returns how many were there.
    pub fn remove(&self, org: u32, ids: &[u64]) -> usize {
        self.apply(org, &[], ids, 1).unwrap_or_default()
    }

    /// Adds and removes rows in one step; a row in both lists is added. Returns how many old rows are gone.
    pub fn apply(&self, org: u32, add: &[Row<'_>], remove: &[u64], threads: usize) -> Result<usize, Error> {
        add.iter().try_for_each(|row| self.check(row))?;
        let last: HashMap<u64, usize> = add.iter().enumerate().map(|(at, row)| (row.id, at)).collect();
        let rows: Vec<&Row<'_>> = add
            .iter()
            .enumerate()
            .filter(|(at, row)| last.get(&row.id) == Some(at))
            .map(|(_, row)| row)
            .collect();
        let tally = Tally::of(self.shape.dimension, rows.iter().map(|row| row.vector));
        let centre = self.centring().observe(&tally);
        let mut draft = Draft::new(self.shape, centre);
        draft.encode(&rows, threads);
        let gone = rows.iter().map(|row| row.id).chain(remove.iter().copied()).collect();
        Ok(if add.is_empty() {
            self.partition(org).map_or(0, |partition| partition.replace(gone, draft))
        } else {
            self.partition_or_new(org).replace(gone, draft)
        })
    }

    /// Gives rows new labels without their vectors; the last of equal ids counts. Returns how many of the rows are here.
    pub fn relabel(&self, org: u32, rows: &[(u64, Labels)]) -> usize {
        self.partition(org).map_or(0, |partition| partition.relabel(rows))
    }

    /// Forgets all rows of an org.
    pub fn remove_org(&self, org: u32) {
        let gone = self.orgs.write().unwrap_or_else(PoisonError::into_inner).remove(&org);
        drop(gone);
    }

    /// Forgets all rows.
    pub fn clear(&self) {
        let gone = std::mem::take(&mut *self.orgs.write().unwrap_or_else(PoisonError::into_inner));
        drop(gone);
    }

    /// Whether the data has moved so far from the centre of the codes that [`Index::recentre`] is worth it.
    pub fn needs_recentring(&self) -> bool {
        self.centring().is_outdated()
    }

    /// Moves the centre to the mean of the data and codes all rows anew. `fetch` returns the vectors of rows of
    /// an org, in their order, an empty one for a row that is gone; it must not write to this index. Searches go
    /// on meanwhile; writers of an org wait while one of its parts is coded. Returns how many rows were coded.
    pub fn recentre(&self, mut fetch: impl FnMut(u32, &[u64]) -> Vec<Vec<f32>>) -> usize {
        let centre = self.centring().move_to_mean();
        let orgs = self.partitions();
        orgs.iter().map(|(org, partition)| partition.recentre(&centre, |ids| fetch(*org, ids))).sum()
    }

    pub fn size(&self) -> Size {
        let mut size = Size::default();
        for (_, partition) in self.partitions() {
            for part in &partition.snapshot().parts {
                let (codes, columns) = part.segment.bytes();
                size.rows += part.live_rows();
                size.dead_rows += part.dead_rows();
                size.parts += 1;
                size.code_bytes += codes;
                size.column_bytes += columns + part.dead_bytes();
            }
        }
        size
    }

    fn check(&self, row: &Row<'_>) -> Result<(), Error> {
        if row.vector.len() != self.shape.dimension {
            return Err(Error::Dimension { expected: self.shape.dimension, got: row.vector.len() });
        }
        if is_unit(row.vector) { Ok(()) } else { Err(Error::NotUnit(row.id)) }
    }

    pub(crate) fn centring(&self) -> MutexGuard<'_, Centring> {
        self.centring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn partition(&self, org: u32) -> Option<Arc<Partition>> {
        self.orgs.read().unwrap_or_else(PoisonError::into_inner).get(&org).cloned()
    }

    fn partition_or_new(&self, org: u32) -> Arc<Partition> {
        if let Some(partition) = self.partition(org) {
            return partition;
        }
        let mut orgs = self.orgs.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(orgs.entry(org).or_default())
    }

    /// All orgs, in order.
    pub(crate) fn partitions(&self) -> Vec<(u32, Arc<Partition>)> {
        let orgs = self.orgs.read().unwrap_or_else(PoisonError::into_inner);
        let mut partitions: Vec<_> =
            orgs.iter().map(|(org, partition)| (*org, Arc::clone(partition))).collect();
        partitions.sort_unstable_by_key(|(org, _)| *org);
        partitions
    }
}
