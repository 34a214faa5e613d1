use std::net::SocketAddr;

use anyhow::Context as _;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Method, Request, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// A request that is ready to be sent, as often as one likes.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    method: Method,
    path: Uri,
    body: Bytes,
}

impl Call {
    pub(crate) fn get(path: &'static str) -> Self {
        Self { method: Method::GET, path: Uri::from_static(path), body: Bytes::new() }
    }

    pub(crate) fn post(path: &'static str, body: Bytes) -> Self {
        Self { method: Method::POST, path: Uri::from_static(path), body }
    }

    pub(crate) fn body_bytes(&self) -> usize {
        self.body.len()
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Bytes,
}

impl Answer {
    /// Publishing answers 200 also to a duplicate, so the body counts too. Its beginning is enough: `success` is
    /// the first field wherever there is one.
    pub(crate) fn is_success(&self) -> bool {
        self.status == 200 && !self.body.starts_with(b"{\"success\":false")
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// One connection that stays open.
pub(crate) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    host: HeaderValue,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await.with_context(|| format!("cannot reach {address}"))?;
        stream.set_nodelay(true)?;
        let (sender, driver) = handshake(TokioIo::new(stream)).await?;
        // It ends with the sender; what goes wrong on it, the sender says.
        tokio::spawn(driver);
        Ok(Self { sender, host: HeaderValue::from_str(&address.to_string())? })
    }

    /// Sends the call and reads the whole answer.
    pub(crate) async fn send(&mut self, call: &Call) -> anyhow::Result<Answer> {
        let mut request = Request::new(Full::new(call.body.clone()));
        *request.method_mut() = call.method.clone();
        *request.uri_mut() = call.path.clone();
        let headers = request.headers_mut();
        headers.insert(HOST, self.host.clone());
        if !call.body.is_empty() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        self.sender.ready().await?;
        let response = self.sender.send_request(request).await?;
        let status = response.status().as_u16();
        Ok(Answer { status, body: response.into_body().collect().await?.to_bytes() })
    }
}
