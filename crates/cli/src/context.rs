use std::time::Duration;

use reflexio_client::{Client, Options};

use crate::args::Globals;
use crate::output::Output;

/// What every command is given.
pub(crate) struct Context {
    pub(crate) out: Output,
    pub(crate) server_url: String,
    pub(crate) api_key: Option<String>,
}

impl Context {
    pub(crate) fn new(globals: &Globals) -> Self {
        Self {
            out: Output::new(globals),
            server_url: globals.server_url.clone(),
            // An empty variable is a variable that is not set.
            api_key: globals.api_key.clone().filter(|key| !key.trim().is_empty()),
        }
    }

    pub(crate) fn client(&self) -> Result<Client, reflexio_client::Error> {
        Client::new(Options { api_key: self.api_key.clone(), ..Options::new(self.server_url.clone()) })
    }

    /// For commands that ask whether the server is well: one that hangs is not.
    pub(crate) fn impatient_client(&self, timeout: Duration) -> Result<Client, reflexio_client::Error> {
        Client::new(Options {
            api_key: self.api_key.clone(),
            timeout,
            ..Options::new(self.server_url.clone())
        })
    }
}
