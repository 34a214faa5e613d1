use reflexio_types::{ImageId, PlaybookRunId, ProfileId, RequestId};
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

pub(crate) fn image_id(bytes: &[u8]) -> ImageId {
    ImageId::new(hex::encode(Sha256::digest(bytes)))
}
