//! The HTTP below `rmcp`: no redirects, bounded answers, our own credentials. A stream of events is read up to the
//! answer, because nobody here listens to anything else.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{BoxStream, Stream, StreamExt, TryStreamExt};
use reflexio_llm::{Guarded, Reach};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, StatusCode, redirect};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, RequestId, ServerJsonRpcMessage as Message,
};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse as Reply,
};
use sse_stream::{Sse, SseStream};

use super::fault::Fault;

/// A value holds a megabyte at most; servers often send it twice, as data and as text.
const MOST_BYTES: usize = 4 << 20;
const CONNECT: Duration = Duration::from_secs(10);
const SESSION: &str = "mcp-session-id";
const BOTH: &str = "application/json, text/event-stream";
const EVENTS: &str = "text/event-stream";

type Failed = StreamableHttpError<Fault>;

#[derive(Clone)]
pub(super) struct Http(Client);

impl Http {
    /// `credentials` go with every request.
    pub(super) fn new(credentials: HeaderMap) -> Result<Self, Fault> {
        // Fails when another part of the process was first, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // No redirects: credentials go to the server they were given for and nowhere else.
        let builder = Client::builder().redirect(redirect::Policy::none()).connect_timeout(CONNECT);
        // Without this the library would look for a proxy in the environment.
        let builder = builder.dns_resolver(Arc::new(Guarded(Reach::Anywhere))).no_proxy();
        let client = builder.default_headers(credentials).build();
        client.map(Self).map_err(|error| Fault::Setup(format!("no HTTP client: {error}")))
    }
}

impl StreamableHttpClient for Http {
    type Error = Fault;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _auth: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Reply, Failed> {
        let request = self.0.post(&*uri).header(ACCEPT, BOTH).json(&message);
        let response = send(request, session.as_deref(), headers).await?;
        let status = response.status();
        let asked =
            if let ClientJsonRpcMessage::Request(request) = &message { Some(&request.id) } else { None };
        if status.is_success() {
            let Some(id) = asked else { return Ok(Reply::Accepted) };
            let session = response.headers().get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
            return Ok(Reply::Json(answer(response, id).await?, session));
        }
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Err(fault(Fault::Credentials(status.as_u16())));
        }
        if status.is_redirection() {
            return Err(fault(Fault::Redirect(status.as_u16())));
        }
        let body = String::from_utf8(whole(response).await?).unwrap_or_default();
        if session.is_some() && is_session_lost(status, &body) {
            return Err(StreamableHttpError::SessionExpired);
        }
        let error = match serde_json::from_str(&body) {
            Ok(Message::Error(error)) => error.error,
            // What an older server says to a question it does not know; the older handshake follows.
            _ if status.is_client_error() && is_discovery(&message) => {
                ErrorData::invalid_request(format!("status {status}"), None)
            }
            _ => return Err(fault(Fault::Status(status.as_u16()))),
        };
        match asked {
            Some(id) => Ok(Reply::Json(Message::error(error, Some(id.clone())), None)),
            None => Err(fault(Fault::Status(status.as_u16()))),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _auth: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        // A server may refuse: it forgets sessions by itself then.
        send(self.0.delete(&*uri), Some(&session), headers).await.map(|_| ())
    }

    async fn get_stream(
        &self,
        _uri: Arc<str>,
        _session: Option<Arc<str>>,
        _last_event: Option<String>,
        _auth: Option<String>,
        _headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        Err(StreamableHttpError::ServerDoesNotSupportSse)
    }
}

async fn send(
    mut request: RequestBuilder,
    session: Option<&str>,
    headers: HashMap<HeaderName, HeaderValue>,
) -> Result<Response, Failed> {
    for (name, value) in headers {
        request = request.header(name, value);
    }
    if let Some(session) = session {
        request = request.header(SESSION, session);
    }
    request.send().await.map_err(|error| fault(Fault::Unreachable(innermost(&error.without_url()))))
}

/// The answer to a request, out of a document or a stream of events.
async fn answer(response: Response, id: &RequestId) -> Result<Message, Failed> {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.starts_with(EVENTS) {
        let body = whole(response).await?;
        return serde_json::from_slice(&body).map_err(|error| fault(Fault::NotMcp(error.to_string())));
    }
    let mut events = SseStream::from_bytes_stream(bounded(response).boxed());
    while let Some(event) = events.next().await {
        let event = event.map_err(|error| fault(of_stream(&error)))?;
        let Some(data) = event.data.filter(|data| !data.trim().is_empty()) else { continue };
        let message = serde_json::from_str(&data);
        let message: Message = message.map_err(|error| fault(Fault::NotMcp(error.to_string())))?;
        let is_answer = match &message {
            Message::Response(response) => response.id == *id,
            Message::Error(error) => error.id.as_ref().is_none_or(|failed| failed == id),
            Message::Request(_) | Message::Notification(_) => false,
        };
        if is_answer {
            return Ok(message);
        }
    }
    Err(fault(Fault::NotMcp("the stream ended without an answer".to_owned())))
}

async fn whole(response: Response) -> Result<Vec<u8>, Failed> {
    let collected = bounded(response).try_fold(Vec::new(), |mut all, chunk| async move {
        all.extend_from_slice(&chunk);
        Ok(all)
    });
    collected.await.map_err(fault)
}

fn bounded(response: Response) -> impl Stream<Item = Result<bytes::Bytes, Fault>> + Send {
    let mut left = MOST_BYTES;
    response.bytes_stream().map(move |chunk| {
        let chunk = chunk.map_err(|error| Fault::Unreachable(innermost(&error.without_url())))?;
        left = left.checked_sub(chunk.len()).ok_or(Fault::TooLarge(MOST_BYTES))?;
        Ok(chunk)
    })
}

fn of_stream(error: &SseError) -> Fault {
    let cause = if let SseError::Body(cause) = error { cause.downcast_ref::<Fault>() } else { None };
    cause.cloned().unwrap_or_else(|| Fault::NotMcp(error.to_string()))
}

/// A server that was started again does not know the session. Some say so with 400.
fn is_session_lost(status: StatusCode, body: &str) -> bool {
    status == StatusCode::NOT_FOUND
        || (status == StatusCode::BAD_REQUEST && body.to_ascii_lowercase().contains("session"))
}

fn is_discovery(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, ClientJsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::DiscoverRequest(_)))
}

fn fault(fault: Fault) -> Failed {
    StreamableHttpError::Client(fault)
}

/// `connection refused` rather than everything that was tried on the way there.
fn innermost(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), innermost)
}
