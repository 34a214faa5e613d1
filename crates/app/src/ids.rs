use reflexio_types::{ImageId, PlaybookRunId, ProfileId, RequestId, RunId, RunKind};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Time-ordered, so that neighbours in time are neighbours in the index.
pub(crate) fn request_id() -> RequestId {
    RequestId::new(Uuid::now_v7().to_string())
}

pub(crate) fn profile_id() -> ProfileId {
    ProfileId::new(Uuid::now_v7().to_string())
}

pub(crate) fn playbook_run_id() -> PlaybookRunId {
    PlaybookRunId::new(Uuid::now_v7().to_string())
}

pub(crate) fn outcome_id() -> String {
    Uuid::now_v7().simple().to_string()
}

pub(crate) fn regeneration_id() -> String {
    Uuid::now_v7().simple().to_string()
}

/// Tells what it was at a glance, and is short enough for a table: the time, and a part that is random.
pub(crate) fn run_id(kind: RunKind) -> RunId {
    let id = Uuid::now_v7().simple().to_string();
    let (time, random) = (id.get(..12).unwrap_or(&id), id.get(24..).unwrap_or_default());
    RunId::new(format!("{}-{time}{random}", kind.as_str()))
}

pub(crate) fn image_id(bytes: &[u8]) -> ImageId {
    ImageId::new(hex::encode(Sha256::digest(bytes)))
}
