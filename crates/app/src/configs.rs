use reflexio_store::StoredConfig;
use reflexio_types::config::Violation;
use reflexio_types::{Caller, Config, OrgId, Scope};
use serde_json::Value;

use crate::access::Access;
use crate::secrets::{self, Secrets};
use crate::{App, Error, Result};

/// Two people who save at once is likely, five is not.
const SAVE_ATTEMPTS: usize = 5;

/// A change of the configuration: from what is there to what shall be, or what is wrong with it.
/// It may be called again when somebody else saved in between.
pub type ConfigEdit<'a> = &'a (dyn Fn(&Config) -> Result<Config, Vec<Violation>> + Send + Sync);

struct Loaded {
    version: u64,
    config: Config,
    secrets: Secrets,
}

impl App {
    /// The configuration with every secret redacted.
    pub async fn config(&self, caller: &Caller) -> Result<Config> {
        caller.needs(Scope::Read)?;
        shown(&self.load_config(&caller.org).await?.config)
    }

    /// Changes the configuration and returns it as it now is, redacted. Secrets that come back redacted
    /// keep their stored value.
    pub async fn edit_config(&self, caller: &Caller, edit: ConfigEdit<'_>) -> Result<Config> {
        caller.needs(Scope::Admin)?;
        for _ in 0..SAVE_ATTEMPTS {
            let loaded = self.load_config(&caller.org).await?;
            let wanted = edit(&shown(&loaded.config)?).map_err(Error::InvalidConfig)?;
            let config = check(&wanted, &loaded.secrets)?;
            self.check_assistant(&loaded.config, &config)?;
            match self.save_config(&caller.org, loaded.version + 1, &config).await {
                Err(Error::Unavailable(reflexio_store::Error::Changed { .. })) => {}
                Ok(()) => {
                    // Another key, or another model: whatever stalled learning may be gone.
                    self.lift_stall(&caller.org).await;
                    self.set_optimizer_timer(&caller.org, &config).await;
                    return shown(&config);
                }
                Err(error) => return Err(error),
            }
        }
        Err(Error::Unavailable(reflexio_store::Error::Busy))
    }

    /// The configuration with its secrets, for our own use, and its version.
    pub(crate) async fn config_in_force(&self, org: &OrgId) -> Result<(u64, Config)> {
        let loaded = self.load_config(org).await?;
        Ok((loaded.version, loaded.config))
    }

    async fn load_config(&self, org: &OrgId) -> Result<Loaded> {
        let Some(stored) = self.store.config(org).await? else {
            return Ok(Loaded { version: 0, config: Config::default(), secrets: Secrets::new() });
        };
        let secrets = secrets::open(&stored.secrets, self.master_key.as_ref())?;
        let mut body: Value =
            serde_json::from_str(&stored.body).map_err(|error| Error::Internal(Box::new(error)))?;
        secrets::put_back(&mut body, secrets.clone());
        let config = serde_json::from_value(body).map_err(|error| Error::Internal(Box::new(error)))?;
        Ok(Loaded { version: stored.version, config, secrets })
    }

    async fn save_config(&self, org: &OrgId, version: u64, config: &Config) -> Result<()> {
        let mut body = to_value(config)?;
        let secrets = secrets::take_out(&mut body);
        let secrets = secrets::seal(&secrets, self.master_key.as_ref())?;
        let stored = StoredConfig { version, body: body.to_string(), secrets };
        Ok(self.store.put_config(org, stored, self.now()).await?)
    }
}

fn check(wanted: &Config, known: &Secrets) -> Result<Config> {
    let mut body = to_value(wanted)?;
    let mut violations = secrets::restore_redacted(&mut body, known);
    violations.extend(wanted.violations());
    if !violations.is_empty() {
        return Err(Error::InvalidConfig(violations));
    }
    serde_json::from_value(body).map_err(|error| Error::Internal(Box::new(error)))
}

fn shown(config: &Config) -> Result<Config> {
    let mut body = to_value(config)?;
    secrets::redact(&mut body);
    serde_json::from_value(body).map_err(|error| Error::Internal(Box::new(error)))
}

fn to_value(config: &Config) -> Result<Value> {
    serde_json::to_value(config).map_err(|error| Error::Internal(Box::new(error)))
}
