//! One request with its repetitions: what is temporary is tried again until the deadline.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use reqwest::{Client, Response, redirect};
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout_at};

use super::settings::Settings;
use super::wire;
use crate::error::{Error, Result};

/// The largest answer that is read: 100 texts of 16,000 numbers spelled out.
const LARGEST_ANSWER: usize = 32 << 20;
/// Repetitions stop here even when the deadline is far.
const ATTEMPTS: u32 = 8;

/// What came of one attempt that did not succeed.
enum Failure {
    Final(Error),
    Temporary { reason: String, retry_after: Option<Duration> },
}

pub(super) fn client() -> Result<Client> {
    // Fails when another part of the process was first, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // No redirects: a key goes to the server it was given for and nowhere else.
    let builder =
        Client::builder().redirect(redirect::Policy::none()).connect_timeout(Duration::from_secs(5));
    builder.build().map_err(|error| Error::Misconfigured(format!("no HTTP client: {error}")))
}

/// The body of a successful answer.
pub(super) async fn post(
    client: &Client,
    settings: &Settings,
    id: &str,
    body: &Value,
    deadline: Instant,
) -> Result<Vec<u8>> {
    let mut pause = settings.first_pause;
    let mut attempt = 0;
    loop {
        attempt += 1;
        let limit = deadline.min(Instant::now() + settings.timeout);
        let failure = match timeout_at(limit, once(client, settings, id, body)).await {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(failure)) => failure,
            Err(_) => {
                Failure::Temporary { reason: "it did not answer in time".to_owned(), retry_after: None }
            }
        };
        let (reason, retry_after) = match failure {
            Failure::Final(error) => return Err(error),
            Failure::Temporary { reason, retry_after } => (reason, retry_after),
        };
        let wait = retry_after.unwrap_or_else(|| jittered(pause));
        if attempt >= ATTEMPTS || Instant::now() + wait >= deadline {
            return Err(Error::Unavailable { embedder: id.to_owned(), reason, retry_after });
        }
        sleep(wait).await;
        pause *= 2;
    }
}

async fn once(client: &Client, settings: &Settings, id: &str, body: &Value) -> Result<Vec<u8>, Failure> {
    let mut request = client.post(wire::url(settings)).json(body);
    if let Some((name, value)) = wire::key_header(settings) {
        request = request.header(name, value);
    }
    let response = request.send().await.map_err(|error| unsent(&error))?;
    let status = response.status();
    let retry_after = retry_after(&response);
    let answer = read(response, id).await?;
    if status.is_success() {
        return Ok(answer);
    }
    let message = wire::failure(&answer);
    let message = settings.key.as_ref().map_or_else(|| message.clone(), |key| key.scrub(&message));
    let temporary = status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429);
    Err(if temporary {
        Failure::Temporary { reason: format!("status {}: {message}", status.as_u16()), retry_after }
    } else {
        Failure::Final(Error::Refused { embedder: id.to_owned(), status: status.as_u16(), message })
    })
}

/// A request that cannot be built is a matter of configuration, one that was not answered is not.
fn unsent(error: &reqwest::Error) -> Failure {
    if error.is_builder() {
        return Failure::Final(Error::Misconfigured(format!("the request cannot be made: {error}")));
    }
    let reason = if error.is_connect() { "it cannot be reached" } else { "the connection broke" };
    Failure::Temporary { reason: reason.to_owned(), retry_after: None }
}

async fn read(mut response: Response, id: &str) -> Result<Vec<u8>, Failure> {
    let mut answer = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if answer.len() + chunk.len() <= LARGEST_ANSWER => {
                answer.extend_from_slice(&chunk)
            }
            Ok(Some(_)) => {
                let reason = format!("the answer is larger than {LARGEST_ANSWER} bytes");
                return Err(Failure::Final(Error::InvalidAnswer { embedder: id.to_owned(), reason }));
            }
            Ok(None) => return Ok(answer),
            Err(_) => {
                let reason = "the answer broke off".to_owned();
                return Err(Failure::Temporary { reason, retry_after: None });
            }
        }
    }
}

/// How long the provider asks to wait, in seconds or in OpenAI's milliseconds.
fn retry_after(response: &Response) -> Option<Duration> {
    let number = |name: &str| response.headers().get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds =
        number("retry-after-ms").map(|milliseconds| milliseconds / 1e3).or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Between half and all of `pause`, so that many clients do not come back together.
fn jittered(pause: Duration) -> Duration {
    let random = RandomState::new().hash_one(0) % 1024;
    pause / 2 + pause.mul_f64(random as f64 / 2048.0)
}
