use std::collections::BTreeMap;
use std::fmt;

use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use reflexio_types::config::{REDACTED_PREFIX, Secret, Violation, visit_secrets};
use serde_json::Value;

use crate::{Error, Result};

const PLAIN: u8 = 0;
const SEALED: u8 = 1;
const NONCE_BYTES: usize = 24;

/// The key that seals provider secrets in the store (`REFLEXIO_MASTER_KEY`).
#[derive(Clone)]
pub struct MasterKey([u8; 32]);

impl MasterKey {
    /// Any text will do; a long random one is best.
    pub fn derive(text: &str) -> Self {
        Self(blake3::derive_key("reflexio provider secrets v1", text.as_bytes()))
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&self.0.into())
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKey(…)")
    }
}

/// The secrets of a configuration by their place in it.
pub(crate) type Secrets = BTreeMap<String, String>;

/// Takes the secrets out of a configuration document, leaving empty texts.
pub(crate) fn take_out(config: &mut Value) -> Secrets {
    let mut secrets = Secrets::new();
    visit_secrets(config, &mut |path, text| {
        secrets.insert(path.to_owned(), std::mem::take(text));
    });
    secrets
}

/// Puts secrets back into their places.
pub(crate) fn put_back(config: &mut Value, secrets: Secrets) {
    for (path, secret) in secrets {
        if let Some(place) = config.pointer_mut(&path) {
            *place = Value::String(secret);
        }
    }
}

/// Makes a configuration document fit to be shown.
pub(crate) fn redact(config: &mut Value) {
    visit_secrets(config, &mut |_, text| *text = Secret::redact(text));
}

/// Replaces redacted texts that came back from a client by the secrets they stand for.
pub(crate) fn restore_redacted(config: &mut Value, known: &Secrets) -> Vec<Violation> {
    let mut violations = Vec::new();
    visit_secrets(config, &mut |path, text| {
        if !text.starts_with(REDACTED_PREFIX) {
            return;
        }
        match known.get(path).filter(|secret| Secret::redact(secret) == *text) {
            Some(secret) => text.clone_from(secret),
            None => violations.push(Violation::new(
                path.split('/').skip(1).map(path_part).collect(),
                "value_error",
                "Value error, this is a redacted value and no stored secret fits it; send the real one",
            )),
        }
    });
    violations
}

fn path_part(text: &str) -> reflexio_types::config::PathPart {
    text.parse::<usize>().map_or_else(|_| text.into(), Into::into)
}

pub(crate) fn seal(secrets: &Secrets, key: Option<&MasterKey>) -> Result<Vec<u8>> {
    if secrets.is_empty() {
        return Ok(Vec::new());
    }
    let plain = serde_json::to_vec(secrets).map_err(internal)?;
    let Some(key) = key else { return Ok([&[PLAIN], plain.as_slice()].concat()) };
    let mut nonce = [0u8; NONCE_BYTES];
    getrandom::fill(&mut nonce).map_err(internal)?;
    let sealed = key.cipher().encrypt(&XNonce::from(nonce), plain.as_slice()).map_err(|_| Error::Sealed)?;
    Ok([&[SEALED], nonce.as_slice(), sealed.as_slice()].concat())
}

pub(crate) fn open(stored: &[u8], key: Option<&MasterKey>) -> Result<Secrets> {
    match stored {
        [] => Ok(Secrets::new()),
        [PLAIN, plain @ ..] => serde_json::from_slice(plain).map_err(internal),
        [SEALED, rest @ ..] if rest.len() > NONCE_BYTES => {
            let (nonce, sealed) = rest.split_at(NONCE_BYTES);
            let nonce = <[u8; NONCE_BYTES]>::try_from(nonce).map_err(internal)?;
            let cipher = key.ok_or(Error::Sealed)?.cipher();
            let plain = cipher.decrypt(&XNonce::from(nonce), sealed).map_err(|_| Error::Sealed)?;
            serde_json::from_slice(&plain).map_err(internal)
        }
        _ => Err(Error::Sealed),
    }
}

fn internal(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Internal(Box::new(error))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn secrets() -> Secrets {
        Secrets::from([("/api_key_config/openai/api_key".to_owned(), "sk-0123456789".to_owned())])
    }

    #[test]
    fn sealed_secrets_open_only_with_their_key() {
        let key = MasterKey::derive("correct horse");
        let sealed = seal(&secrets(), Some(&key)).unwrap();
        assert!(!sealed.windows(9).any(|window| window == b"123456789"));
        assert_eq!(open(&sealed, Some(&key)).unwrap(), secrets());
        assert!(matches!(open(&sealed, Some(&MasterKey::derive("wrong"))), Err(Error::Sealed)));
        assert!(matches!(open(&sealed, None), Err(Error::Sealed)));
    }

    #[test]
    fn secrets_without_a_master_key_stay_readable() {
        let stored = seal(&secrets(), None).unwrap();
        assert_eq!(open(&stored, Some(&MasterKey::derive("later"))).unwrap(), secrets());
    }

    #[test]
    fn a_redacted_secret_comes_back_as_itself() {
        let mut shown = json!({"api_key_config": {"openai": {"api_key": "sk-0123456789"}}});
        redact(&mut shown);
        assert_eq!(shown["api_key_config"]["openai"]["api_key"], "****6789");
        assert_eq!(restore_redacted(&mut shown, &secrets()), []);
        assert_eq!(shown["api_key_config"]["openai"]["api_key"], "sk-0123456789");
    }

    #[test]
    fn a_redacted_text_without_a_secret_behind_it_is_refused() {
        let mut config = json!({"api_key_config": {"xai": {"api_key": "****6789"}}});
        let violations = restore_redacted(&mut config, &secrets());
        assert_eq!(violations.len(), 1);
        assert_eq!(violations[0].path.len(), 3);
    }
}
