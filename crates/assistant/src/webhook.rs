use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reflexio_llm::{Guarded, Reach};
use reflexio_types::config::Secret;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Client, Response, Url, redirect};
use tokio::time::timeout;

use crate::error::tail;
use crate::operator::Limit;
use crate::payload::read;
use crate::{Assistant, Error, Payload, Result};

const CONNECT: Duration = Duration::from_secs(10);
/// The most of a refusal that is shown.
const LONGEST_WORDS: usize = 300;

/// An assistant behind an address.
pub(crate) struct Webhook {
    client: Client,
    url: Url,
    authorization: Option<HeaderValue>,
    limit: Limit,
}

impl Webhook {
    pub(crate) fn new(url: &str, authorization: Option<&Secret>, reach: Reach, limit: Limit) -> Result<Self> {
        Ok(Self {
            client: client(reach)?,
            url: checked(url, reach)?,
            authorization: authorization.map(header).transpose()?,
            limit,
        })
    }

    async fn ask(&self, payload: &Payload) -> Result<String> {
        let mut request = self.client.post(self.url.clone()).json(payload);
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization.clone());
        }
        let response = request.send().await.map_err(|error| unsent(&error))?;
        let status = response.status();
        let body = self.collect(response).await?;
        if status.is_success() {
            return read(&body);
        }
        if status.is_redirection() {
            return Err(Error::Refused(format!(
                "it redirects ({status}); name the address it redirects to in `webhook_url`"
            )));
        }
        let words = tail(&String::from_utf8_lossy(&body), LONGEST_WORDS);
        let words = if words.is_empty() { status.to_string() } else { format!("{status}: {words}") };
        let may_pass = status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429);
        Err(if may_pass { Error::Failed(words) } else { Error::Refused(words) })
    }

    async fn collect(&self, mut response: Response) -> Result<Vec<u8>> {
        let largest = self.limit.largest_answer;
        let too_large = || Error::Unusable(format!("it is larger than {largest} bytes"));
        if response.content_length().is_some_and(|length| length > largest as u64) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        loop {
            let chunk =
                response.chunk().await.map_err(|_| Error::Failed("its answer broke off".to_owned()))?;
            let Some(chunk) = chunk else { return Ok(body) };
            if body.len() + chunk.len() > largest {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
    }
}

#[async_trait]
impl Assistant for Webhook {
    async fn respond(&self, payload: &Payload) -> Result<String> {
        let total = self.limit.total;
        let asked = timeout(total, self.ask(payload)).await;
        asked.unwrap_or_else(|_| Err(Error::Failed(format!("it did not answer within {total:?}"))))
    }

    fn label(&self) -> String {
        format!("webhook {}", self.url)
    }
}

fn client(reach: Reach) -> Result<Client> {
    // Fails when another part of the process was first, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // No redirects: the header goes to the server it was given for, and a public server cannot send us to a private one.
    let builder = Client::builder().redirect(redirect::Policy::none()).connect_timeout(CONNECT);
    // Names are checked where they are looked up. A proxy would look them up itself.
    let builder = builder.dns_resolver(Arc::new(Guarded(reach))).no_proxy();
    builder.build().map_err(|error| Error::Misconfigured(format!("no HTTP client: {error}")))
}

/// An address that may be called. Names are checked again when they are looked up.
fn checked(url: &str, reach: Reach) -> Result<Url> {
    let refuse = |why: &str| Err(Error::Misconfigured(format!("`webhook_url` {why}")));
    // Not printed: what stands there may hold a password.
    let Ok(parsed) = Url::parse(url) else { return refuse("is not a URL") };
    if !matches!(parsed.scheme(), "http" | "https") || !parsed.has_host() {
        return refuse("must begin with http:// or https://");
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return refuse("must not hold a password; use `webhook_auth_header`");
    }
    let literal = parsed.host_str().and_then(|host| host.trim_matches(['[', ']']).parse().ok());
    let named = parsed.host_str().is_some_and(|host| is_local_name(host) && reach == Reach::Public);
    if named || literal.is_some_and(|address| !reach.allows(address)) {
        return refuse(
            "is an address that this server does not call; its operator can allow private ones with \
             `--assistant-private-network`",
        );
    }
    Ok(parsed)
}

/// Names that never leave the machine: refused when they are saved and not only when they are called.
fn is_local_name(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    host == "localhost" || host.ends_with(".localhost") || host.ends_with(".internal")
}

fn header(secret: &Secret) -> Result<HeaderValue> {
    let mut value = HeaderValue::from_str(secret.expose()).map_err(|_| {
        Error::Misconfigured("`webhook_auth_header` holds characters that no header can".to_owned())
    })?;
    value.set_sensitive(true);
    Ok(value)
}

fn unsent(error: &reqwest::Error) -> Error {
    Error::Failed(if error.is_connect() { "it cannot be reached" } else { "the connection broke" }.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_taken_unless_the_operator_allows_private_ones() {
        for (url, public, anywhere) in [
            ("https://assistant.example.com/reflexio-rollout", true, true),
            ("http://8.8.8.8:8000/x", true, true),
            ("http://127.0.0.1:9/", false, true),
            ("http://localhost:9/", false, true),
            ("http://10.0.0.8/", false, true),
            ("http://[::1]/", false, true),
            ("http://[::ffff:192.168.0.1]/", false, true),
            ("http://0x7f.1/", false, true),
            ("http://2130706433/", false, true),
            ("http://metadata.google.internal/", false, true),
            ("http://169.254.169.254/latest/meta-data/", false, false),
            ("http://[fe80::1]/", false, false),
            ("ftp://assistant.example.com/", false, false),
            ("https://me:secret@assistant.example.com/", false, false),
            ("assistant.example.com", false, false),
        ] {
            assert_eq!(checked(url, Reach::Public).is_ok(), public, "{url}");
            assert_eq!(checked(url, Reach::Anywhere).is_ok(), anywhere, "{url}");
        }
    }

    #[test]
    fn a_password_in_an_address_is_not_repeated() {
        let error = checked("https://me:hunter2@x.example/", Reach::Public).unwrap_err().to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }
}
