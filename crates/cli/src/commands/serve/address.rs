//! Where the server listens, and where it must not without a key.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::net::TcpListener;

use crate::data_dir::DataDir;
use crate::failure::Failure;

pub(super) async fn bind(host: &str, port: u16) -> anyhow::Result<TcpListener> {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    TcpListener::bind((host, port)).await.map_err(|error| cannot_bind(host, port, &error).into())
}

fn cannot_bind(host: &str, port: u16, error: &io::Error) -> Failure {
    if error.kind() == ErrorKind::AddrInUse {
        return Failure::failed(format!("port {port} is already in use on {host}"))
            .hint("choose another one with --port, or 0 for any that is free");
    }
    if error.kind() == ErrorKind::PermissionDenied {
        return Failure::failed(format!("this user may not listen on port {port}"))
            .hint("choose a port from 1024 on with --port");
    }
    Failure::failed(format!("cannot listen on {host}:{port}: {error}"))
        .hint("choose an address of this machine with --host")
}

/// Whoever can reach a server without keys can read and erase everything.
pub(super) fn refuse_open_door(
    address: SocketAddr,
    keys_required: bool,
    folder: &DataDir,
) -> Result<(), Failure> {
    if keys_required || address.ip().to_canonical().is_loopback() {
        return Ok(());
    }
    let (host, path) = (address.ip(), folder.path().display());
    Err(Failure::failed(format!(
        "will not listen on {address} without a key: everybody who can reach it could read and erase everything"
    ))
    .hint(format!(
        "make a key first:  reflexio keys create --name NAME --data-dir {path}\n      \
         or set one:        REFLEXIO_API_KEY=SECRET reflexio serve --host {host} --data-dir {path}"
    )))
}

/// How callers on this machine reach it.
pub(super) fn url(address: SocketAddr) -> String {
    let ip = address.ip();
    let ip = match ip.is_unspecified() {
        true if ip.is_ipv4() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        true => IpAddr::V6(Ipv6Addr::LOCALHOST),
        false => ip,
    };
    format!("http://{}", SocketAddr::new(ip, address.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_shown_can_be_called() {
        let shown = |text: &str| url(text.parse().unwrap());
        assert_eq!(shown("127.0.0.1:8081"), "http://127.0.0.1:8081");
        assert_eq!(shown("0.0.0.0:80"), "http://127.0.0.1:80");
        assert_eq!(shown("[::]:80"), "http://[::1]:80");
        assert_eq!(shown("10.0.0.7:1"), "http://10.0.0.7:1");
    }
}
