use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{OrgId, Timestamp};

/// The public half of an API key: safe to show and to log.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyId(pub String);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One thing a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Read and search.
    Read,
    /// Publish, add, edit and delete rows.
    Write,
    /// Approve or reject agent playbooks.
    Review,
    /// Change the configuration, delete everything.
    Admin,
}

impl Scope {
    pub const ALL: [Scope; 4] = [Scope::Read, Scope::Write, Scope::Review, Scope::Admin];

    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Write => "write",
            Scope::Review => "review",
            Scope::Admin => "admin",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of scopes. Admin includes the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scopes(Vec<Scope>);

impl Scopes {
    pub fn new(mut scopes: Vec<Scope>) -> Self {
        scopes.sort_unstable();
        scopes.dedup();
        Self(scopes)
    }

    pub fn all() -> Self {
        Self(Scope::ALL.to_vec())
    }

    pub fn allow(&self, scope: Scope) -> bool {
        self.0.contains(&scope) || self.0.contains(&Scope::Admin)
    }

    pub fn iter(&self) -> impl Iterator<Item = Scope> + '_ {
        self.0.iter().copied()
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Scope::as_str).collect();
        f.write_str(&names.join(","))
    }
}

/// A stored API key. The secret itself is never stored, only its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    pub id: KeyId,
    pub org: OrgId,
    pub name: String,
    pub scopes: Scopes,
    pub created_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
}

/// Who asks: decided by the server from the key (or the loopback peer), trusted below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub org: OrgId,
    pub scopes: Scopes,
    /// Missing for a loopback caller on a server without keys.
    pub key: Option<KeyId>,
}

impl Caller {
    /// Someone on the machine itself, while no key is configured.
    pub fn local() -> Self {
        Self { org: OrgId::default_org(), scopes: Scopes::all(), key: None }
    }
}
