use reflexio_search::remembered_terms as terms;
use reflexio_store as store;
use reflexio_types::{OrgId, UserId};

/// Longer texts are cut into terms on a thread that may block.
const LONG_BYTES: usize = 32 << 10;
/// Begins the tokens that say whose a row is. No term holds it, so no query can ask for them.
const SIGN: char = '§';

/// What the index holds of a row. Making it costs time: do it before the writer thread has the task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) org: OrgId,
    pub(super) scope: String,
    pub(super) body: String,
}

impl Entry {
    pub(crate) fn new(org: &OrgId, user: Option<&UserId>, text: &str) -> Self {
        let mut scope = org_token(org);
        if let Some(user) = user {
            scope.push(' ');
            scope.push_str(&user_token(org, user));
        }
        Self { org: org.clone(), scope, body: terms(text).join(" ") }
    }

    /// Whether there is nothing to find the row by.
    pub(crate) fn is_empty(&self) -> bool {
        self.body.is_empty()
    }

    /// Column number, position and text of each token.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = (usize, usize, &str)> {
        let columns = [&self.scope, &self.body].into_iter().enumerate();
        columns.flat_map(|(column, text)| {
            text.split_ascii_whitespace().enumerate().map(move |(at, term)| (column, at, term))
        })
    }
}

/// The entries of rows that are about to be stored.
pub(crate) async fn entries(org: &OrgId, texts: Vec<(Option<UserId>, String)>) -> store::Result<Vec<Entry>> {
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let org = org.clone();
    let work = move || texts.iter().map(|(user, text)| Entry::new(&org, user.as_ref(), text)).collect();
    if bytes < LONG_BYTES {
        return Ok(work());
    }
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| store::Error::Internal(Box::new(error)))
}

pub(super) fn org_token(org: &OrgId) -> String {
    token('o', &[org.as_str()])
}

pub(super) fn user_token(org: &OrgId, user: &UserId) -> String {
    token('u', &[org.as_str(), user.as_str()])
}

/// Names are hashed, so that any text makes one token of known length.
fn token(kind: char, names: &[&str]) -> String {
    let hash = blake3::hash(names.join("\0").as_bytes()).to_hex();
    format!("{SIGN}{kind}{}", &hash[..16])
}
