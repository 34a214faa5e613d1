//! Who calls. With keys, the bearer key says it; without any, only the machine itself is served.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;
use reflexio_types::Caller;

use crate::AppState;
use crate::error::{ApiError, Result};

const NO_KEY_GIVEN: &str = "Authentication required: send `Authorization: Bearer <key>`";
const WRONG_KEY: &str = "Authentication required: this key is not valid here (unknown or revoked)";
const NOT_LOCAL: &str = "Authentication required: this server has no API key, so it serves only callers on the same \
                         machine; create a key with `reflexio keys create`";

/// Headers that a proxy adds: the real caller is somebody else, somewhere else.
const FORWARDING_HEADERS: [&str; 3] = ["x-forwarded-for", "forwarded", "x-real-ip"];

pub(crate) async fn authenticate(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    let (local, key) = (is_local(&request), bearer(request.headers()).map(str::to_owned));
    let caller = identify(&state, local, key.as_deref()).await?;
    request.extensions_mut().insert(caller);
    Ok(next.run(request).await)
}

async fn identify(state: &AppState, local: bool, key: Option<&str>) -> Result<Caller> {
    if !state.app.keys_required().await? {
        return if local { Ok(Caller::local()) } else { Err(ApiError::Unauthenticated(NOT_LOCAL)) };
    }
    let key = key.ok_or(ApiError::Unauthenticated(NO_KEY_GIVEN))?;
    state.app.authenticate(key).await?.ok_or(ApiError::Unauthenticated(WRONG_KEY))
}

pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, key) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

/// A loopback peer that nobody forwarded, on a loopback host name, from a loopback page: a web page in a
/// browser on this machine must not reach a server without keys by a rebound name or a cross-site post.
fn is_local(request: &Request) -> bool {
    let headers = request.headers();
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(header::HOST).or_else(|| request.uri().authority().map(|authority| authority.as_str()));
    peer(request).is_some_and(|ip| ip.is_loopback())
        && !FORWARDING_HEADERS.iter().any(|name| headers.contains_key(*name))
        && host.is_none_or(is_loopback_host)
        && text(header::ORIGIN).is_none_or(is_loopback_origin)
}

pub(crate) fn peer(request: &Request) -> Option<IpAddr> {
    let ConnectInfo(address) = request.extensions().get::<ConnectInfo<SocketAddr>>()?;
    Some(address.ip().to_canonical())
}

fn is_loopback_origin(origin: &str) -> bool {
    origin.split_once("://").is_some_and(|(_, host)| is_loopback_host(host))
}

fn is_loopback_host(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_loopback() {
        for host in ["localhost", "localhost:8081", "127.0.0.1:8081", "127.5.5.5", "[::1]:8081", "LOCALHOST"]
        {
            assert!(is_loopback_host(host), "{host}");
        }
        for host in ["example.com", "localhost.example.com", "10.0.0.1:8081", "[::2]:1", ""] {
            assert!(!is_loopback_host(host), "{host}");
        }
        assert!(is_loopback_origin("http://localhost:3000"));
        assert!(!is_loopback_origin("https://evil.example"));
        assert!(!is_loopback_origin("null"));
    }
}
