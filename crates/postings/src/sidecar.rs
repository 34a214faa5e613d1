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
use crate::segment::{FULL, Segment, starts};

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
    let Segment { ids, by_id, lengths, dictionary, lists, .. } = &*part.segment;
    to.list(&ids.iter().collect::<Vec<u64>>());
    to.list(by_id);
    to.list(&part.segment.users().collect::<Vec<u32>>());
    to.list(&lengths.iter().collect::<Vec<u32>>());
    to.one(dictionary.terms as u64);
    to.list(&dictionary.data);
    to.list(&dictionary.groups);
    to.list(&dictionary.lists);
    to.list(&lists.data);
    to.list(&lists.lasts);
    to.list(&lists.offsets);
    to.list(&lists.impacts);
    to.list(&part.labels.times.iter().collect::<Vec<u64>>());
    to.list(&part.labels.facet_of.iter().collect::<Vec<u32>>());
    to.one(part.labels.facets.len() as u32);
    for facet in part.labels.facets.iter() {
        to.list(&[facet.version, facet.name, facet.source]);
        to.one(facet.status);
        to.list(&facet.tags);
    }
    to.list(&part.dead_slots(&(0..part.segment.len())).map(|slot| slot as u32).collect::<Vec<u32>>());
}

fn load_part(from: &mut Reader<'_>) -> Result<Part, Error> {
    let (ids, by_id, users) = (from.list::<u64>()?, from.list::<u32>()?, from.list::<u32>()?);
    let lengths = Lengths::new(from.list::<u32>()?.into_iter());
    let terms = from.one::<u64>()?;
    let dictionary =
        Dictionary { terms: terms as usize, data: from.list()?, groups: from.list()?, lists: from.list()? };
    let lists =
        Lists { data: from.list()?, lasts: from.list()?, offsets: from.list()?, impacts: from.list()? };
    let rows = ids.len();
    let is_slot = |slot: &u32| (*slot as usize) < rows;
    let agree = (1..=FULL).contains(&rows)
        && (by_id.is_empty() || by_id.len() == rows)
        && by_id.iter().all(is_slot)
        && users.len() == rows
        && users.is_sorted()
        && lengths.iter().len() == rows
        && dictionary.groups.len() == dictionary.lists.len()
        && dictionary.groups.len() as u64 == terms.div_ceil(16)
        && lists.lasts.len() == lists.offsets.len()
        && lists.lasts.len() == lists.impacts.len()
        && lists.data.len() >= PADDING;
    if !agree {
        return Err(Error::Corrupt("its columns contradict each other"));
    }
    let labels = load_labels(from, rows)?;
    let dead: Vec<u32> = from.list()?;
    if !dead.iter().all(is_slot) {
        return Err(Error::Corrupt("a deleted row is missing"));
    }
    let (ids, users) = (Column::new(ids), starts(users.into_iter()));
    let mut part = Part::new(Segment { ids, by_id, users, lengths, dictionary, lists }, labels);
    part.kill(&dead.into_iter().map(|slot| slot as usize).collect::<Vec<_>>());
    Ok(part)
}

fn load_labels(from: &mut Reader<'_>, rows: usize) -> Result<LabelColumns, Error> {
    let (times, facet_of) = (from.list::<u64>()?, from.list::<u32>()?);
    let mut facets = Vec::new();
    for _ in 0..from.count()? {
        let [version, name, source] =
            from.list()?.try_into().map_err(|_| Error::Corrupt("a facet is not complete"))?;
        facets.push(Facet { version, name, source, status: from.one()?, tags: from.list()?.into() });
    }
    let is_facet = |place: &u32| (*place as usize) < facets.len();
    if times.len() != rows || facet_of.len() != rows || !facet_of.iter().all(is_facet) {
        return Err(Error::Corrupt("its columns contradict each other"));
    }
    Ok(LabelColumns::new(times, &facet_of, facets))
}
