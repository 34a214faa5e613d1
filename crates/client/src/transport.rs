//! Sending a call and reading its answer.

use std::net::IpAddr;
use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::refusal::error_of;
use crate::{Client, Error, Result};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) fn build(base_url: &str, timeout: Duration) -> Result<reqwest::Client> {
    let bad = || Error::Address(base_url.to_owned());
    let url = Url::parse(base_url).map_err(|_| bad())?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(bad());
    }
    // Says no when another client was there first, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(timeout)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("reflexio/", env!("CARGO_PKG_VERSION")));
    if is_local(&url) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|source| Error::Unreachable { url: base_url.to_owned(), source })
}

/// A proxy of the environment is for the world outside.
fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// For calls whose only argument is their path.
pub(crate) const NOTHING: Option<&()> = None;

impl Client {
    pub(crate) async fn get<A: DeserializeOwned>(&self, path: &str, query: &impl Serialize) -> Result<A> {
        self.answer(path, self.call(Method::GET, path).query(query)).await
    }

    pub(crate) async fn post<A: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<A> {
        self.answer(path, self.call(Method::POST, path).json(body)).await
    }

    pub(crate) async fn put<A: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<A> {
        self.answer(path, self.call(Method::PUT, path).json(body)).await
    }

    pub(crate) async fn delete<A: DeserializeOwned>(
        &self,
        path: &str,
        body: Option<&impl Serialize>,
    ) -> Result<A> {
        let call = self.call(Method::DELETE, path);
        self.answer(path, body.into_iter().fold(call, |call, body| call.json(body))).await
    }

    pub(crate) async fn text(&self, path: &str) -> Result<String> {
        let body = self.send(self.call(Method::GET, path)).await?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    pub(crate) fn call(&self, method: Method, path: &str) -> RequestBuilder {
        let call = self.http.request(method, format!("{}{path}", self.base_url));
        self.api_key.iter().fold(call, |call, key| call.bearer_auth(key))
    }

    pub(crate) async fn answer<A: DeserializeOwned>(&self, path: &str, call: RequestBuilder) -> Result<A> {
        let body = self.send(call).await?;
        serde_json::from_slice(&body).map_err(|source| Error::Answer { path: path.to_owned(), source })
    }

    async fn send(&self, call: RequestBuilder) -> Result<Vec<u8>> {
        let unreachable = |source| Error::Unreachable { url: self.base_url.clone(), source };
        let response = call.send().await.map_err(unreachable)?;
        let status = response.status();
        let retry_after = retry_after(&response);
        let body = response.bytes().await.map_err(unreachable)?;
        if status.is_success() { Ok(body.into()) } else { Err(error_of(status.as_u16(), retry_after, &body)) }
    }
}

fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get("retry-after")?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    #[test]
    fn only_web_addresses_are_addresses() {
        for wrong in ["", "127.0.0.1:8081", "ftp://host", "http://", "file:///tmp"] {
            assert!(matches!(Client::new(Options::new(wrong)), Err(Error::Address(_))), "{wrong}");
        }
        let client = Client::new(Options::new("http://127.0.0.1:8081/")).unwrap();
        assert_eq!(client.base_url(), "http://127.0.0.1:8081");
    }

    #[test]
    fn a_proxy_is_never_asked_for_this_machine() {
        let local = |url: &str| is_local(&Url::parse(url).unwrap());
        assert!(local("http://127.0.0.1:1") && local("http://localhost") && local("http://[::1]:1"));
        assert!(!local("https://reflexio.example"));
    }
}
