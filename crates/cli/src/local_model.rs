use std::path::PathBuf;

use reflexio_embed::{Error, MiniLm, Precision};

/// Where all-MiniLM-L6-v2 is on this machine.
#[derive(Debug, Clone)]
pub(crate) enum LocalModel {
    File(PathBuf),
    Bundled,
}

impl LocalModel {
    /// In the folder given, inside this program, or in the usual folder; otherwise says what is missing.
    pub(crate) fn find(folder: Option<PathBuf>) -> Result<Self, String> {
        if cfg!(feature = "bundled-model") && folder.is_none() {
            return Ok(Self::Bundled);
        }
        let folder = folder.or_else(default_folder);
        let path = folder.map(|folder| folder.join(MiniLm::file_name(Precision::Int8)));
        let path = path.ok_or_else(|| "no folder for the model: set REFLEXIO_MODEL_DIR".to_owned())?;
        if path.exists() { Ok(Self::File(path)) } else { Err(Error::ModelMissing(path).to_string()) }
    }

    /// Reads and checks all of it: not for an async task.
    pub(crate) fn open(&self) -> Result<MiniLm, Error> {
        match self {
            Self::File(path) => MiniLm::open(path),
            Self::Bundled => bundled(),
        }
    }
}

#[cfg(feature = "bundled-model")]
fn bundled() -> Result<MiniLm, Error> {
    MiniLm::bundled()
}

#[cfg(not(feature = "bundled-model"))]
fn bundled() -> Result<MiniLm, Error> {
    Err(Error::Misconfigured("this build has no model inside".to_owned()))
}

fn default_folder() -> Option<PathBuf> {
    let given = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = given("XDG_CACHE_HOME").or_else(|| given("HOME").map(|home| home.join(".cache")))?;
    Some(cache.join("reflexio").join("models"))
}
