//! The index as bytes, so that a start need not read every vector of the database.
//!
//! Layout: magic, format, shape, the caller's stamp, centres, then org by org its parts; a BLAKE3 checksum of all
//! of it at the end. The format number changes with the layout; old ones are not read, since the database has
//! everything.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

use crate::bytes::{Reader, Writer};
use crate::centre::{Centre, Centring, Tally};
use crate::code::{Fine, Memory, Scalars, Shape};
use crate::column::Column;
use crate::draft::FULL;
use crate::error::Error;
use crate::index::{Index, Options};
use crate::kernel::LANES;
use crate::part::Part;
use crate::partition::{Partition, Snapshot};
use crate::row::Facet;
use crate::segment::{Columns, Segment};

const MAGIC: &[u8; 8] = b"rfxvecs\0";
const FORMAT: u32 = 1;
const CHECKSUM: usize = 32;

impl Index {
    /// The index as bytes. `stamp` says which state of the database they belong to; [`Index::load`] returns it.
    ///
    /// Each org is saved as it is when its turn comes: the caller pauses writes or takes the stamp before.
    pub fn save(&self, stamp: u64) -> Vec<u8> {
        let orgs: Vec<(u32, Arc<Snapshot>)> =
            self.partitions().into_iter().map(|(org, partition)| (org, partition.snapshot())).collect();
        let centring = self.centring();
        let mut centres = vec![Arc::clone(&centring.current)];
        for part in orgs.iter().flat_map(|(_, snapshot)| &snapshot.parts) {
            if place(&centres, &part.segment.centre).is_none() {
                centres.push(Arc::clone(&part.segment.centre));
            }
        }
        let mut to = Writer::default();
        to.many(*MAGIC);
        to.one(FORMAT);
        to.one(self.shape.dimension as u32);
        to.one(u8::from(self.shape.memory == Memory::Generous));
        to.one(stamp);
        to.one(centring.seen.count);
        to.many(centring.seen.sum.iter().copied());
        drop(centring);
        to.one(centres.len() as u32);
        centres.iter().for_each(|centre| to.many(centre.mean.iter().copied()));
        to.one(orgs.len() as u32);
        for (org, snapshot) in &orgs {
            to.one(*org);
            to.one(snapshot.parts.len() as u32);
            for part in &snapshot.parts {
                to.one(place(&centres, &part.segment.centre).unwrap_or_default() as u32);
                save_part(&mut to, part);
            }
        }
        let checksum = blake3::hash(&to.0);
        to.many(*checksum.as_bytes());
        to.0
    }

    /// Reads what [`Index::save`] wrote, and its stamp. On any error, build the index from the database.
    pub fn load(bytes: &[u8], options: Options) -> Result<(Index, u64), Error> {
        let mut index = Index::new(options)?;
        let (content, checksum) = bytes
            .split_at_checked(bytes.len().saturating_sub(CHECKSUM))
            .ok_or(Error::Corrupt("it ends too early"))?;
        let mut from = Reader(content);
        if from.take(MAGIC.len())? != MAGIC {
            return Err(Error::Corrupt("it is not a sidecar"));
        }
        let format = from.one()?;
        if format != FORMAT {
            return Err(Error::Format(format));
        }
        if blake3::hash(content).as_bytes() != checksum {
            return Err(Error::Corrupt("its checksum does not match"));
        }
        let shape = index.shape;
        if (from.count()?, from.one::<u8>()?) != (shape.dimension, u8::from(shape.memory == Memory::Generous))
        {
            return Err(Error::OtherOptions);
        }
        let stamp = from.one()?;
        let seen = Tally { count: from.one()?, sum: from.many(shape.dimension)? };
        let mut centres = Vec::new();
        for _ in 0..from.count()? {
            centres.push(Arc::new(Centre { mean: from.many(shape.dimension)? }));
        }
        let current = Arc::clone(centres.first().ok_or(Error::Corrupt("it has no centre"))?);
        index.centring = Mutex::new(Centring { current, seen });
        let mut orgs = HashMap::new();
        for _ in 0..from.count()? {
            let (org, count) = (from.one()?, from.count()?);
            let parts: Result<Vec<Part>, Error> =
                (0..count).map(|_| load_part(&mut from, shape, &centres)).collect();
            orgs.insert(org, Arc::new(Partition::of(parts?)));
        }
        index.orgs = RwLock::new(orgs);
        Ok((index, stamp))
    }
}

fn place(centres: &[Arc<Centre>], centre: &Arc<Centre>) -> Option<usize> {
    centres.iter().position(|other| Arc::ptr_eq(other, centre))
}

fn save_part(to: &mut Writer, part: &Part) {
    let segment = &part.segment;
    to.one(segment.len() as u32);
    to.many(segment.ids.iter());
    to.many(segment.times.iter());
    to.many((0..segment.len()).map(|slot| segment.user_of(slot)));
    to.many(segment.facet_of.iter().copied());
    to.one(segment.facets.len() as u32);
    for facet in &segment.facets {
        to.many([facet.version, facet.name, facet.source]);
        to.one(facet.status);
        to.list(&facet.tags);
    }
    to.many(segment.signs.iter().flatten().copied());
    match &segment.fine {
        Fine::Low(words) => to.many(words.iter().copied()),
        Fine::Bytes(values) => to.many(values.iter().flatten().copied()),
    }
    to.many(segment.scalars.iter().map(|scalars| scalars.offset));
    to.many(segment.scalars.iter().map(|scalars| scalars.factor));
    let dead: Vec<u32> = part.dead_slots().into_iter().map(|slot| slot as u32).collect();
    to.list(&dead);
}

fn load_part(from: &mut Reader<'_>, shape: Shape, centres: &[Arc<Centre>]) -> Result<Part, Error> {
    let centre = centres.get(from.count()?).ok_or(Error::Corrupt("a centre is missing"))?;
    let rows = from.count()?;
    if rows == 0 || rows > FULL {
        return Err(Error::Corrupt("a part has an impossible size"));
    }
    let columns = load_columns(from, rows)?;
    let words = shape.words();
    let signs = from.groups::<u64, LANES>(rows.div_ceil(LANES) * words)?;
    let fine = match shape.memory {
        Memory::Compact => Fine::Low(from.many(rows * words)?),
        Memory::Generous => Fine::Bytes(from.groups::<u8, 64>(rows * words)?),
    };
    let (offsets, factors) = (from.many(rows)?, from.many(rows)?);
    let scalars =
        offsets.into_iter().zip(factors).map(|(offset, factor)| Scalars { offset, factor }).collect();
    let mut part = Part::new(Segment::assemble(shape, Arc::clone(centre), columns, signs, fine, scalars));
    let dead: Vec<usize> = from.list::<u32>()?.into_iter().map(|slot| slot as usize).collect();
    if dead.iter().any(|slot| *slot >= rows) {
        return Err(Error::Corrupt("a deleted row is missing"));
    }
    part.kill(&dead);
    Ok(part)
}

fn load_columns(from: &mut Reader<'_>, rows: usize) -> Result<Columns, Error> {
    let (ids, times) = (Column::new(from.many(rows)?), Column::new(from.many(rows)?));
    let users: Vec<u32> = from.many(rows)?;
    let facet_of: Vec<u16> = from.many(rows)?;
    let mut facets = Vec::new();
    for _ in 0..from.count()? {
        let (version, name, source) = (from.one()?, from.one()?, from.one()?);
        facets.push(Facet { version, name, source, status: from.one()?, tags: from.list()?.into() });
    }
    if !users.is_sorted() || facet_of.iter().any(|facet| usize::from(*facet) >= facets.len()) {
        return Err(Error::Corrupt("its columns contradict each other"));
    }
    Ok(Columns { ids, times, users, facet_of, facets })
}
