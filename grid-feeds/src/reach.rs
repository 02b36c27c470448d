//! Which addresses a program of the site may be sent to by somebody from outside: those of the public internet.
//!
//! Whoever names an address to a service has it ask where they could not ask themselves (server-side request forgery). So
//! a name is looked up and its addresses judged for each connection: a name that led elsewhere before helps nobody.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Where requests may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Anywhere: who runs the site named the address.
    Anywhere,
    /// To addresses of the public internet only.
    Public,
}

/// Looks names up, and leaves out addresses that are not public.
pub(crate) struct PublicNames;

impl Resolve for PublicNames {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move { public_addresses(name.as_str()).await })
    }
}

/// The public addresses to which a name leads.
async fn public_addresses(name: &str) -> Result<Addrs, Box<dyn Error + Send + Sync>> {
    let found = tokio::net::lookup_host((name, 0)).await?;
    let public: Vec<SocketAddr> = found.filter(|it| is_public(it.ip())).collect();
    if public.is_empty() {
        return Err("the name leads to no public address".into());
    }
    Ok(Box::new(public.into_iter()))
}

/// Whether an address is one of the public internet, where nothing of the site is that trusts its neighbours.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// By the special-purpose addresses of RFC 6890.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a, b, c) == (192, 0, 0)
        || (a == 198 && (18..20).contains(&b));
    !is_special
}

/// Addresses that stand for one of version 4 are judged by that.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // Mapped, by NAT64 (RFC 6052), and by 6to4.
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => v4(high, low),
        // Teredo, documentation, and what is no unicast address of the internet (2000::/3).
        [0x2001, 0 | 0x0db8, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_everybody_s_is_public() {
        for (address, public) in [
            ("93.184.216.34", true),
            ("127.0.0.1", false),
            ("10.1.2.3", false),
            ("172.16.0.1", false),
            ("172.32.0.1", true),
            ("192.168.1.1", false),
            ("169.254.169.254", false),
            ("100.64.0.1", false),
            ("100.128.0.1", true),
            ("0.0.0.0", false),
            ("255.255.255.255", false),
            ("224.0.0.1", false),
            ("198.18.0.1", false),
            ("2606:2800:220:1:248:1893:25c8:1946", true),
            ("::1", false),
            ("::", false),
            ("fc00::1", false),
            ("fe80::1", false),
            ("ff02::1", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:93.184.216.34", true),
            ("64:ff9b::a00:1", false),
            ("2002:7f00:1::", false),
            ("2001:db8::1", false),
            ("2001:0:1::1", false),
        ] {
            assert_eq!(is_public(address.parse().unwrap()), public, "{address}");
        }
    }
}
