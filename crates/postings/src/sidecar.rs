//! The index as bytes, so that a start need not read every row of the database.
//!
//! Layout: magic, format, the caller's stamp, then org by org its parts; a BLAKE3 checksum of all of it at the end,
//! which is what tells damaged lists. The format number changes with the layout; old ones are not read, since the
//! database has everything.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};

use crate::bits::PADDING;
use crate::block::Lists;
use crate::bytes::{Reader, Writer};
use crate::column::Column;
use crate::dictionary::Dictionary;
use crate::error::Error;
use crate::index::Index;
use crate::labels::{Facet, LabelColumns};
use crate::lengths::Lengths;
use crate::part::Part;
use crate::partition::Partition;
use crate::segment::{FULL, MOST_TERMS, Segment};

const MAGIC: &[u8; 8] = b"rfxpost\0";
const FORMAT: u32 = 1;
const CHECKSUM: usize = 32;

impl Index {
    /// The index as bytes. `stamp` says which state of the database they belong to; [`Index::load`] returns it.
    ///
    /// Each org is saved as it is when its turn comes: the caller pauses writes or takes the stamp before.
    pub fn save(&self, stamp: u64) -> Vec<u8> {
        let mut to = Writer::default();
        to.0.extend(MAGIC);
        to.one(FORMAT);
        to.one(stamp);
        let orgs = self.partitions();
        to.one(orgs.len() as u32);
        for (org, partition) in orgs {
            let snapshot = partition.snapshot();
            to.one(org);
            to.one(snapshot.parts.len() as u32);
            snapshot.parts.iter().for_each(|part| save_part(&mut to, part));
        }
        let checksum = blake3::hash(&to.0);
        to.0.extend(checksum.as_bytes());
        to.0
    }

    /// Reads what [`Index::save`] wrote, and its stamp. On any error, build the index from the database.
    pub fn load(bytes: &[u8]) -> Result<(Index, u64), Error> {
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
        let stamp = from.one()?;
        let mut orgs = HashMap::new();
        for _ in 0..from.count()? {
            let (org, count) = (from.one()?, from.count()?);
            let parts: Result<Vec<Part>, Error> = (0..count).map(|_| load_part(&mut from)).collect();
            orgs.insert(org, Arc::new(Partition::of(parts?)));
        }
        Ok((Index { orgs: RwLock::new(orgs) }, stamp))
    }
}

fn save_part(to: &mut Writer, part: &Part) {
    let Segment { ids, by_id, users, lengths, dictionary, lists } = &*part.segment;
    ids.save(to);
    to.one(u8::from(by_id.is_some()));
    by_id.iter().for_each(|by_id| by_id.save(to));
    to.list(&users.iter().map(|(user, _)| *user).collect::<Vec<_>>());
    to.list(&users.iter().map(|(_, start)| *start).collect::<Vec<_>>());
    Column::new(&lengths.iter().map(u64::from).collect::<Vec<_>>()).save(to);
    to.one(dictionary.terms as u64);
    to.list(&dictionary.data);
    to.list(&dictionary.groups);
    to.list(&dictionary.lists);
    to.list(&lists.data);
    to.list(&lists.lasts);
    to.list(&lists.offsets);
    to.list(&lists.impacts);
    part.labels.times.save(to);
    part.labels.facet_of.save(to);
    to.one(part.labels.facets.len() as u32);
    for facet in part.labels.facets.iter() {
        to.list(&[facet.version, facet.name, facet.source]);
        to.one(facet.status);
        to.list(&facet.tags);
    }
    to.list(&part.dead_slots(&(0..part.segment.len())).map(|slot| slot as u32).collect::<Vec<u32>>());
}

fn load_part(from: &mut Reader<'_>) -> Result<Part, Error> {
    let segment = load_segment(from)?;
    let rows = segment.len();
    let labels = load_labels(from, rows)?;
    let dead: Vec<usize> = from.list::<u32>()?.into_iter().map(|slot| slot as usize).collect();
    if dead.iter().any(|slot| *slot >= rows) {
        return Err(Error::Corrupt("a deleted row is missing"));
    }
    let mut part = Part::new(segment, labels);
    part.kill(&dead);
    Ok(part)
}

fn load_segment(from: &mut Reader<'_>) -> Result<Segment, Error> {
    let ids = Column::load(from)?;
    let by_id = if from.one::<u8>()? == 0 { None } else { Some(Column::load(from)?) };
    let users: Vec<(u32, u32)> = from.list()?.into_iter().zip(from.list()?).collect();
    let lengths: Vec<u64> = Column::load(from)?.iter().collect();
    let terms = from.one::<u64>()?;
    let dictionary =
        Dictionary { terms: terms as usize, data: from.list()?, groups: from.list()?, lists: from.list()? };
    let lists =
        Lists { data: from.list()?, lasts: from.list()?, offsets: from.list()?, impacts: from.list()? };
    let rows = ids.len();
    let agree = (1..=FULL).contains(&rows)
        && by_id
            .as_ref()
            .is_none_or(|by_id| by_id.len() == rows && by_id.iter().all(|slot| slot < rows as u64))
        && users.first().is_some_and(|(_, start)| *start == 0)
        && users.last().is_some_and(|(_, start)| (*start as usize) < rows)
        && users.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1)
        && lengths.len() == rows
        && lengths.iter().all(|length| *length <= MOST_TERMS)
        && dictionary.is_whole()
        && lists.lasts.len() == lists.offsets.len()
        && lists.lasts.len() == lists.impacts.len()
        && lists.data.len() >= PADDING;
    if !agree {
        return Err(Error::Corrupt("its columns contradict each other"));
    }
    let lengths = Lengths::new(lengths.into_iter().map(|length| length as u32));
    Ok(Segment { ids, by_id, users, lengths, dictionary, lists })
}

fn load_labels(from: &mut Reader<'_>, rows: usize) -> Result<LabelColumns, Error> {
    let (times, facet_of) = (Column::load(from)?, Column::load(from)?);
    let mut facets = Vec::new();
    for _ in 0..from.count()? {
        let [version, name, source] =
            from.list()?.try_into().map_err(|_| Error::Corrupt("a facet is not complete"))?;
        facets.push(Facet { version, name, source, status: from.one()?, tags: from.list()?.into() });
    }
    if times.len() != rows
        || facet_of.len() != rows
        || facet_of.iter().any(|place| place >= facets.len() as u64)
    {
        return Err(Error::Corrupt("its columns contradict each other"));
    }
    Ok(LabelColumns::new(times, facet_of, facets))
}
