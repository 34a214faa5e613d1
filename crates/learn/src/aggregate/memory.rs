//! Which user playbooks belong together, remembered from one look to the next.

use std::collections::{BTreeMap, BTreeSet};

use reflexio_cluster::{ClusterId, Clusters, Count, Item, Nearness, Options};
use reflexio_types::config::{ClusterSizeCounts, PlaybookAggregatorConfig};
use reflexio_types::{AgentPlaybookId, SessionId, UserPlaybook};
use serde::{Deserialize, Serialize};

/// A row with its meaning and the session that taught it, as far as they are known.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    pub row: UserPlaybook,
    pub vector: Option<Vec<f32>>,
    pub session: Option<SessionId>,
}

/// What is remembered of one type and version. It holds ids and numbers, no text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    clusters: Option<Clusters>,
    options: Option<Options>,
    /// The rows that were there at the last refresh, and their clusters.
    members: BTreeMap<i64, Option<u64>>,
    /// Rows that came since then, and the clusters they joined.
    joined: BTreeMap<i64, Option<u64>>,
    /// The newest rule of each cluster.
    playbooks: BTreeMap<u64, i64>,
}

/// Members that belong together and were not looked at before in this composition.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    pub cluster: u64,
    /// Places among the members; the one in the middle comes first.
    pub members: Vec<usize>,
    pub users: usize,
    pub agreement: f64,
}

/// What became of rows that came since the last refresh.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Joined {
    /// Places among the rows that were given, by cluster.
    pub clusters: BTreeMap<u64, Vec<usize>>,
    /// Those that wait for their like.
    pub waiting: usize,
}

/// What a refresh found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Refreshed {
    pub clusters: usize,
    pub changed: Vec<Group>,
    /// Rules of clusters that are no more.
    pub outdated: Vec<AgentPlaybookId>,
}

impl Memory {
    /// How many rows came since the last refresh.
    pub fn unseen(&self, rows: &[UserPlaybook]) -> usize {
        rows.iter().filter(|row| !self.members.contains_key(&row.id.0)).count()
    }

    /// Whether a row came since the last refresh and was not looked at yet.
    pub fn is_new(&self, row: &UserPlaybook) -> bool {
        !self.members.contains_key(&row.id.0) && !self.joined.contains_key(&row.id.0)
    }

    /// Lets new rows join the clusters they belong to. Clusters stay as they are otherwise: what they say changes at the next
    /// refresh only.
    pub fn join(&mut self, new: &[Member], config: &PlaybookAggregatorConfig) -> Joined {
        let mut joined = Joined::default();
        for (at, member) in new.iter().enumerate() {
            let text = text_of(&member.row);
            let item = item(member, &text, config);
            // One that cannot be compared, since another embedder is in use, waits for the refresh.
            let cluster = self.clusters.as_mut().and_then(|clusters| clusters.join(&item).ok().flatten());
            self.joined.insert(member.row.id.0, cluster.map(|id| id.0));
            match cluster {
                Some(id) => joined.clusters.entry(id.0).or_default().push(at),
                None => joined.waiting += 1,
            }
        }
        joined
    }

    /// The newest rule of a cluster.
    pub fn playbook_of(&self, cluster: u64) -> Option<AgentPlaybookId> {
        self.playbooks.get(&cluster).map(|id| AgentPlaybookId(*id))
    }

    /// Clusters all members anew. Clusters keep their number as long as they have most of their members.
    pub fn refresh(
        &mut self,
        members: &[Member],
        config: &PlaybookAggregatorConfig,
    ) -> Result<Refreshed, reflexio_cluster::Error> {
        let texts: Vec<String> = members.iter().map(|member| text_of(&member.row)).collect();
        let items: Vec<Item<'_>> =
            members.iter().zip(&texts).map(|(member, text)| item(member, text, config)).collect();
        let joined = std::mem::take(&mut self.joined);
        let previous: Vec<Option<ClusterId>> = members
            .iter()
            .map(|member| self.members.get(&member.row.id.0).or_else(|| joined.get(&member.row.id.0)))
            .map(|cluster| cluster.copied().flatten().map(ClusterId))
            .collect();
        let options = options(&items, config);
        // Another threshold is another clustering, but clusters keep their numbers: they are known by their members.
        let same = self.options == Some(options);
        let mut clusters = self.clusters.take().filter(|_| same).unwrap_or_else(|| Clusters::new(options));
        self.options = Some(options);
        let refresh = clusters.refresh(&items, &previous)?;
        self.clusters = Some(clusters);
        self.members = members
            .iter()
            .zip(&refresh.assignments)
            .map(|(member, cluster)| (member.row.id.0, cluster.map(|id| id.0)))
            .collect();
        let gone = refresh.gone.iter().filter_map(|id| self.playbooks.remove(&id.0));
        let outdated = gone.map(AgentPlaybookId).collect();
        let changed = refresh
            .ids
            .iter()
            .zip(&refresh.found)
            .filter(|(id, _)| refresh.changed.contains(id))
            .map(|(id, found)| {
                let others = found.members.iter().copied().filter(|at| *at != found.medoid);
                Group {
                    cluster: id.0,
                    members: std::iter::once(found.medoid).chain(others).collect(),
                    users: users(found.members.iter().filter_map(|at| members.get(*at))),
                    agreement: f64::from(found.agreement),
                }
            })
            .collect();
        Ok(Refreshed { clusters: refresh.ids.len(), changed, outdated })
    }
}

/// What tells playbooks apart: situation and instruction.
fn text_of(row: &UserPlaybook) -> String {
    let body = &row.body;
    match (&body.trigger, &body.instruction) {
        (Some(trigger), Some(instruction)) => format!("{trigger}\n{instruction}"),
        (_, _) => body.content.clone(),
    }
}

/// How many different users taught them; rows of nobody count as those of one.
fn users<'m>(members: impl Iterator<Item = &'m Member>) -> usize {
    members.map(|member| &member.row.user_id).collect::<BTreeSet<_>>().len()
}

fn item<'a>(member: &'a Member, text: &'a str, config: &PlaybookAggregatorConfig) -> Item<'a> {
    let user = member.row.user_id.as_ref().map(|user| user.as_str());
    let group = match config.cluster_size_counts {
        ClusterSizeCounts::Sessions => member.session.as_ref().map(|session| session.as_str()).or(user),
        ClusterSizeCounts::Rows | ClusterSizeCounts::Users => user,
    };
    Item {
        text,
        vector: member.vector.as_deref().unwrap_or_default(),
        group,
        instruction: member.row.body.instruction.as_deref().unwrap_or_default(),
    }
}

fn options(items: &[Item<'_>], config: &PlaybookAggregatorConfig) -> Options {
    let usual = Options::for_items(items);
    let nearness = match config.clustering_similarity {
        Some(similarity) => {
            let similarity = similarity as f32;
            let apart = similarity - usual.nearness.large;
            let shifted = |least: f32| (least + apart).clamp(0.01, 0.99);
            Nearness {
                small: shifted(usual.nearness.small),
                large: similarity,
                join: shifted(usual.nearness.join),
            }
        }
        None => usual.nearness,
    };
    let count = match config.cluster_size_counts {
        ClusterSizeCounts::Rows => Count::Rows,
        ClusterSizeCounts::Users | ClusterSizeCounts::Sessions => Count::Groups,
    };
    Options { min_cluster_size: config.min_cluster_size.max(2) as usize, count, nearness }
}
