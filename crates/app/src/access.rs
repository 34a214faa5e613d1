use reflexio_types::{Caller, Scope};

use crate::{Error, Result};

/// Asks for a scope at the head of a use case.
pub(crate) trait Access {
    fn needs(&self, scope: Scope) -> Result<()>;
    /// Who did it, for the history of a row.
    fn actor(&self) -> Option<&str>;
}

impl Access for Caller {
    fn needs(&self, scope: Scope) -> Result<()> {
        if self.scopes.allow(scope) { Ok(()) } else { Err(Error::Forbidden(scope)) }
    }

    fn actor(&self) -> Option<&str> {
        self.key.as_ref().map(|key| key.0.as_str())
    }
}
