use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Where rows are kept, as the public client knows it. The server's own storage is chosen at start-up
/// (`--data-dir`), never by an API caller; what a client sends here is kept and given back, not obeyed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct StorageConfig {
    #[serde(default)]
    pub db_path: Option<String>,
    /// Settings of storage kinds that this server does not have.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schema(value_type = Object, ignore))]
    pub other: Map<String, Value>,
}
