//! What a row carries beside its vector, and which rows a search may see.

/// A row to add: an id that is unique within its org, a unit vector, and what filters look at.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    pub id: u64,
    pub vector: &'a [f32],
    pub labels: Labels,
}

/// The columns that filters look at. Strings are interned to keys by the caller; 0 is free for "none".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    pub user: u32,
    pub version: u32,
    pub name: u32,
    pub source: u32,
    pub status: u8,
    pub time: i64,
    pub tags: Vec<u32>,
}

/// The rows that a search may return. Every search names one org; the rest narrows it down.
#[derive(Clone, Debug)]
pub struct Filter {
    pub org: u32,
    pub user: Option<u32>,
    /// Any of these; `None` asks for nothing, an empty list matches no row.
    pub versions: Option<Vec<u32>>,
    pub names: Option<Vec<u32>>,
    pub sources: Option<Vec<u32>>,
    pub statuses: Statuses,
    /// The first and the last time that still match.
    pub from: i64,
    pub to: i64,
    /// Rows with at least one of these tags; `None` asks for nothing.
    pub tags: Option<Vec<u32>>,
}

impl Filter {
    /// All rows of an org.
    pub fn org(org: u32) -> Filter {
        Filter {
            org,
            user: None,
            versions: None,
            names: None,
            sources: None,
            statuses: Statuses::ALL,
            from: i64::MIN,
            to: i64::MAX,
            tags: None,
        }
    }

    /// All rows of one user of an org.
    pub fn user(org: u32, user: u32) -> Filter {
        Filter { user: Some(user), ..Filter::org(org) }
    }

    /// Whether a row of this filter's org matches: the definition that the index must agree with.
    pub fn admits(&self, labels: &Labels) -> bool {
        self.user.is_none_or(|user| user == labels.user)
            && (self.from..=self.to).contains(&labels.time)
            && self.admits_facet(&Facet::of(labels))
    }

    /// Whether rows of a facet match, as far as the facet tells.
    pub fn admits_facet(&self, facet: &Facet) -> bool {
        let any_of = |keys: &Option<Vec<u32>>, key| keys.as_ref().is_none_or(|keys| keys.contains(&key));
        any_of(&self.versions, facet.version)
            && any_of(&self.names, facet.name)
            && any_of(&self.sources, facet.source)
            && self.statuses.contains(facet.status)
            && self.tags.as_ref().is_none_or(|tags| tags.iter().any(|tag| facet.tags.contains(tag)))
    }

    /// Whether a facet can be refused at all, so that plain searches need not look at facets.
    pub fn looks_at_facets(&self) -> bool {
        self.versions.is_some()
            || self.names.is_some()
            || self.sources.is_some()
            || self.tags.is_some()
            || self.statuses != Statuses::ALL
    }
}

/// A set of statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statuses([u64; 4]);

impl Statuses {
    pub const ALL: Statuses = Statuses([u64::MAX; 4]);
    pub const NONE: Statuses = Statuses([0; 4]);

    pub fn with(mut self, status: u8) -> Statuses {
        self.0[usize::from(status / 64)] |= 1 << (status % 64);
        self
    }

    pub fn contains(self, status: u8) -> bool {
        self.0[usize::from(status / 64)] >> (status % 64) & 1 == 1
    }
}

impl FromIterator<u8> for Statuses {
    fn from_iter<I: IntoIterator<Item = u8>>(statuses: I) -> Statuses {
        statuses.into_iter().fold(Statuses::NONE, Statuses::with)
    }
}

/// The labels that many rows share. A segment stores each distinct one once and asks a filter once for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Facet {
    pub version: u32,
    pub name: u32,
    pub source: u32,
    pub status: u8,
    pub tags: Box<[u32]>,
}

impl Facet {
    pub fn of(labels: &Labels) -> Facet {
        let mut tags = labels.tags.clone();
        tags.sort_unstable();
        tags.dedup();
        Facet {
            version: labels.version,
            name: labels.name,
            source: labels.source,
            status: labels.status,
            tags: tags.into(),
        }
    }
}
