use async_trait::async_trait;
use reflexio_types::{
    AgentPlaybook, AgentPlaybookRevision, Evaluation, ImageId, Interaction, LearningEvaluation, MediaType,
    OrgId, Profile, Request, SessionOutcome, ShadowComparison, UserPlaybook,
};
use serde::{Deserialize, Serialize};

use crate::Result;

/// One line of an export. Together they hold everything an org owns but keys, secrets and queued work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Record {
    Image {
        id: ImageId,
        media_type: MediaType,
        /// Standard base64.
        bytes: String,
    },
    Request(Request),
    Interaction(Interaction),
    Profile(Profile),
    UserPlaybook(UserPlaybook),
    AgentPlaybook(AgentPlaybook),
    AgentPlaybookRevision(AgentPlaybookRevision),
    SessionOutcome(SessionOutcome),
    Evaluation(Evaluation),
    LearningEvaluation(LearningEvaluation),
    ShadowComparison(ShadowComparison),
    /// Without secrets.
    Config {
        body: String,
    },
}

/// Moving an org's rows out of a store and into another one.
#[async_trait]
pub trait Transfer: Send + Sync {
    /// Hands over every row, ids included, in an order that can be imported as it is.
    /// Reading is one consistent snapshot.
    async fn export(
        &self,
        org: &OrgId,
        sink: &mut (dyn FnMut(Record) -> std::io::Result<()> + Send),
    ) -> Result<u64>;

    /// Stores rows that are not there yet, with their ids; answers how many were new. A row whose id is
    /// taken by other content is an error (`Duplicate`), one that needs a row that is not there is another
    /// (`Corrupt`), and the whole batch is undone. Numbers are shared by all orgs of a store.
    async fn import(&self, org: &OrgId, records: Vec<Record>) -> Result<u64>;
}
