//! One request over HTTP, bounded in every direction.

mod address;
pub(crate) mod reset;

use std::sync::Arc;
use std::time::Duration;

use reflexio_types::config::Secret;
use reflexio_types::{Clock, Timestamp};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, NoProxy, Response, redirect};
use serde_json::Value;
use tokio::time::{Instant, timeout, timeout_at};

pub use address::{Guarded, Reach};

use crate::error::{Error, Result};
use crate::listener::{Heard, Listener};
use crate::provider::Wire;
use crate::request::{Answer, Request};
use crate::target::{HttpRoute, Target};
use crate::wire::fault::{Fault, classify};
use crate::wire::stream::{self, Stream};
use crate::wire::{Encoded, Unusable, decode, encode};

const BROKE_OFF: &str = "the answer broke off";

/// How long and how large one request may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpLimits {
    pub connect: Duration,
    /// One attempt from the first byte sent to the last byte read.
    pub total: Duration,
    /// The longest silence while an answer arrives.
    pub silence: Duration,
    /// How long an answer that has begun may take to arrive: a server that drips bytes is not kept.
    pub body: Duration,
    pub largest_answer: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            total: Duration::from_secs(180),
            silence: Duration::from_secs(30),
            body: Duration::from_secs(60),
            largest_answer: 8 << 20,
        }
    }
}

/// A proxy that stands between us and providers. This machine is always reached directly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy {
    /// It may hold a password.
    pub url: Secret,
    /// Hosts that are reached directly, separated by commas.
    pub except: String,
}

pub(crate) struct Http {
    anywhere: Client,
    public: Client,
    limits: HttpLimits,
    clock: Arc<dyn Clock>,
}

impl Http {
    pub(crate) fn new(limits: HttpLimits, proxy: Option<&Proxy>, clock: Arc<dyn Clock>) -> Result<Self> {
        let anywhere = client(&limits, proxy, Reach::Anywhere)?;
        let public = client(&limits, proxy, Reach::Public)?;
        Ok(Self { anywhere, public, limits, clock })
    }

    pub(crate) async fn ask(
        &self,
        target: &Target,
        route: &HttpRoute,
        request: &Request,
        listener: Option<&Listener>,
    ) -> Result<Answer> {
        let mut encoded = encode(route, &target.name.model, request);
        if listener.is_some() {
            stream::wanted(route.wire, &mut encoded);
        }
        let limit = self.limits.total;
        let sent = timeout(limit, self.send(&target.label, route, encoded, listener)).await;
        let reply = sent.map_err(|_| Error::Timeout { model: target.label.clone(), after: limit })?;
        let result = reply.and_then(|reply| self.read(target, route, &reply));
        match result.map_err(|error| scrub(error, route.key.as_ref())) {
            // Simple servers know only whole answers.
            Err(Error::BadRequest { message, .. }) if listener.is_some() && message.contains("stream") => {
                Box::pin(self.ask(target, route, request, None)).await
            }
            result => result,
        }
    }

    async fn send(
        &self,
        model: &str,
        route: &HttpRoute,
        encoded: Encoded,
        listener: Option<&Listener>,
    ) -> Result<Reply> {
        let client = match route.reach {
            Reach::Anywhere => &self.anywhere,
            Reach::Public => &self.public,
        };
        let mut request = client.post(&encoded.url).json(&encoded.body);
        for (name, value) in encoded.headers {
            request = request.header(name, value);
        }
        let response = request.send().await.map_err(|error| unsent(model, &error))?;
        let status = response.status().as_u16();
        let retry_after = reset::in_headers(response.headers(), self.clock.now());
        let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let content_type = content_type.unwrap_or("no content type").to_owned();
        let body = match listener.filter(|_| status == 200 && stream::is_stream(&content_type)) {
            Some(listener) => self.listen(model, response, route.wire, listener).await?,
            None => self.collect(model, response).await?,
        };
        Ok(Reply { status, retry_after, content_type, body })
    }

    /// The body of an answer that comes in pieces, as it would have come at once. It may take as long as the whole
    /// request: a model that writes is not one that drips.
    async fn listen(
        &self,
        model: &str,
        mut response: Response,
        wire: Wire,
        listener: &Listener,
    ) -> Result<Vec<u8>> {
        let HttpLimits { silence, largest_answer, .. } = self.limits;
        let (mut stream, mut size) = (Stream::new(wire), 0);
        loop {
            let late = |_| Error::Timeout { model: model.to_owned(), after: silence };
            let chunk = timeout(silence, response.chunk()).await.map_err(late)?;
            let chunk = chunk.map_err(|_| Error::unavailable(model, BROKE_OFF))?;
            let Some(chunk) = chunk else { break };
            size += chunk.len();
            if size > largest_answer {
                return Err(Error::invalid(model, format!("it is larger than {largest_answer} bytes"), ""));
            }
            let text = stream.feed(&chunk);
            if !text.is_empty() {
                listener.hear(Heard::Piece(&text));
            }
        }
        let whole = stream.whole().ok_or_else(|| Error::unavailable(model, BROKE_OFF))?;
        Ok(whole.to_string().into_bytes())
    }

    /// The body without leading blanks: servers send them while the model still works, and an answer begins with its
    /// first other byte.
    async fn collect(&self, model: &str, mut response: Response) -> Result<Vec<u8>> {
        let HttpLimits { silence, body: whole, largest_answer, .. } = self.limits;
        let mut body = Vec::new();
        let mut end = None;
        loop {
            let limit = Instant::now() + silence;
            let limit = end.map_or(limit, |end: Instant| end.min(limit));
            let late = |_| Error::Timeout { model: model.to_owned(), after: silence.min(whole) };
            let chunk = timeout_at(limit, response.chunk()).await.map_err(late)?;
            let chunk = chunk.map_err(|_| Error::unavailable(model, BROKE_OFF))?;
            let Some(chunk) = chunk else { return Ok(body) };
            let chunk = if body.is_empty() { chunk.trim_ascii_start() } else { &chunk };
            if body.len() + chunk.len() > largest_answer {
                return Err(Error::invalid(model, format!("it is larger than {largest_answer} bytes"), ""));
            }
            if !chunk.is_empty() {
                end.get_or_insert_with(|| Instant::now() + whole);
            }
            body.extend_from_slice(chunk);
        }
    }

    fn read(&self, target: &Target, route: &HttpRoute, reply: &Reply) -> Result<Answer> {
        let model = &target.label;
        let now = self.clock.now();
        if !(200..300).contains(&reply.status) {
            return Err(reply.fault(model, reply.status, now));
        }
        let Ok(body) = serde_json::from_slice::<Value>(&reply.body) else {
            // A page of a proxy, or another service at this address: it may pass, and a person must know.
            let message = format!("it sent `{}` that is not JSON; check its base URL", reply.content_type);
            return Err(Error::unavailable(model, message));
        };
        decode(route.wire, &body).map_err(|unusable| match unusable {
            Unusable::Fault(status) => reply.fault(model, status, now),
            Unusable::Declined(message) => Error::Declined { model: model.clone(), message },
            Unusable::Malformed(what) => {
                Error::unavailable(model, format!("{what}; check that its base URL speaks this protocol"))
            }
        })
    }
}

fn client(limits: &HttpLimits, proxy: Option<&Proxy>, reach: Reach) -> Result<Client> {
    // Fails when another part of the process was first, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // No redirects: a key goes to the server it was given for and nowhere else.
    let builder = Client::builder().redirect(redirect::Policy::none()).connect_timeout(limits.connect);
    // Without this the library would look for a proxy in the environment.
    let mut builder = builder.dns_resolver(Arc::new(Guarded(reach))).no_proxy();
    if let Some(proxy) = proxy {
        let direct = format!("localhost,127.0.0.1,::1,{}", proxy.except);
        let through = reqwest::Proxy::all(proxy.url.expose());
        let through = through.map_err(|_| Error::Misconfigured("the proxy is not a URL".to_owned()))?;
        builder = builder.proxy(through.no_proxy(NoProxy::from_string(&direct)));
    }
    builder.build().map_err(|error| Error::Misconfigured(format!("no HTTP client: {error}")))
}

struct Reply {
    status: u16,
    retry_after: Option<Duration>,
    content_type: String,
    body: Vec<u8>,
}

impl Reply {
    fn fault(&self, model: &str, status: u16, now: Timestamp) -> Error {
        classify(&Fault { model, status, retry_after: self.retry_after, body: &self.body, now })
    }
}

/// A request that cannot be built is a matter of settings, one that was not answered is not.
fn unsent(model: &str, error: &reqwest::Error) -> Error {
    if error.is_builder() {
        return Error::Misconfigured(format!("the request to `{model}` cannot be made; check its base URL"));
    }
    Error::unavailable(
        model,
        if error.is_connect() { "it cannot be reached" } else { "the connection broke" },
    )
}

/// Providers repeat keys in their messages; we do not.
fn scrub(error: Error, key: Option<&Secret>) -> Error {
    let Some(key) = key.map(Secret::expose).filter(|key| !key.is_empty()) else { return error };
    let clean = |text: String| text.replace(key, "****");
    match error {
        Error::Auth { model, message } => Error::Auth { model, message: clean(message) },
        Error::Billing { model, message, resets_at } => {
            Error::Billing { model, message: clean(message), resets_at }
        }
        Error::RateLimited { model, message, retry_after } => {
            Error::RateLimited { model, message: clean(message), retry_after }
        }
        Error::Unavailable { model, message, retry_after } => {
            Error::Unavailable { model, message: clean(message), retry_after }
        }
        Error::BadRequest { model, status, message, parameter } => {
            Error::BadRequest { model, status, message: clean(message), parameter }
        }
        Error::ContextTooLong { model, message } => Error::ContextTooLong { model, message: clean(message) },
        Error::Declined { model, message } => Error::Declined { model, message: clean(message) },
        Error::InvalidAnswer { model, reason, raw } => {
            Error::InvalidAnswer { model, reason: clean(reason), raw: clean(raw) }
        }
        other @ (Error::Misconfigured(_)
        | Error::Timeout { .. }
        | Error::BudgetExceeded(_)
        | Error::Cancelled) => other,
    }
}
