//! Which addresses may be called.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Where a server may stand whose address an org named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    /// Anywhere but at the cloud's own services: right for a server that one person runs.
    #[default]
    Anywhere,
    /// On the public internet: right where orgs do not trust each other.
    Public,
}

impl Reach {
    /// Whether a server at this address may be called.
    pub fn allows(self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let never = match address {
            IpAddr::V4(v4) => {
                v4.is_link_local() || v4.is_unspecified() || v4.is_multicast() || v4.is_broadcast()
            }
            IpAddr::V6(v6) => v6.is_unicast_link_local() || v6.is_unspecified() || v6.is_multicast(),
        };
        !never && (self == Self::Anywhere || is_public(address))
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            let shared = a == 100 && (64..128).contains(&b);
            let reserved = a == 0 || a >= 240 || (a == 192 && b == 0) || (a == 198 && (18..20).contains(&b));
            !(v4.is_private() || v4.is_loopback() || shared || reserved)
        }
        IpAddr::V6(v6) => !(v6.is_loopback() || v6.is_unique_local() || embeds_v4(v6)),
    }
}

/// Addresses that a gateway turns into IPv4 ones, private ones among them.
fn embeds_v4(v6: Ipv6Addr) -> bool {
    let [a, b, ..] = v6.segments();
    a == 0x2002 || (a == 0x64 && b == 0xff9b) || (a == 0x2001 && b == 0)
}

/// Looks names up and leaves out what may not be called: a name is checked where it is used, so that it cannot change
/// in between.
pub struct Guarded(pub Reach);

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> = found.filter(|address| reach.allows(address.ip())).collect();
            if allowed.is_empty() {
                return Err("the address may not be called".into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clouds_own_services_are_never_called_and_private_ones_only_where_allowed() {
        for (address, anywhere, public) in [
            ("8.8.8.8", true, true),
            ("2606:4700::1111", true, true),
            ("127.0.0.1", true, false),
            ("::1", true, false),
            ("10.1.2.3", true, false),
            ("192.168.0.1", true, false),
            ("100.64.0.1", true, false),
            ("fd00::1", true, false),
            ("64:ff9b::a00:1", true, false),
            ("::ffff:10.0.0.1", true, false),
            ("169.254.169.254", false, false),
            ("::ffff:169.254.169.254", false, false),
            ("fe80::1", false, false),
            ("0.0.0.0", false, false),
        ] {
            let ip: IpAddr = address.parse().expect("an address");
            assert_eq!(
                (Reach::Anywhere.allows(ip), Reach::Public.allows(ip)),
                (anywhere, public),
                "{address}"
            );
        }
    }
}
