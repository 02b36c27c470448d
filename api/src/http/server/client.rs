//! The client that a request counts for: a user, by token, or else an address.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::HeaderMap;
use ipnet::IpNet;

use crate::config::limits::{ForwardedHeader, Limits};

/// Who is counted as one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Client {
    /// Whoever has a token of this owner.
    User(String),
    /// An address; of IPv6 the network of 64 bits, all of which one subscriber has.
    Address(IpAddr),
    /// All whom a proxy names in a way that cannot be read.
    Unreadable,
}

/// The client that a trusted proxy names; `None` where it is named in a way that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedClient(pub Option<IpAddr>);

/// The proxies that are believed, and where they say what.
pub struct Proxies {
    networks: Vec<IpNet>,
    header: ForwardedHeader,
}

impl Client {
    /// The client at an address.
    pub fn at(address: IpAddr) -> Self {
        Self::Address(match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from(u128::from(address) >> 64 << 64).into(),
            address @ IpAddr::V4(_) => address,
        })
    }
}

impl Proxies {
    /// Those of the settings.
    pub fn new(limits: &Limits) -> Self {
        Self { networks: limits.trusted_proxies.clone(), header: limits.forwarded_header }
    }

    /// Whether what this address says of its clients is believed.
    pub fn trust(&self, address: IpAddr) -> bool {
        self.networks.iter().any(|network| network.contains(&address.to_canonical()))
    }

    /// The client that a trusted proxy names; `None` where it speaks for itself. Each proxy adds
    /// who spoke to it at the end, so the last that is no trusted proxy is the client: what stands
    /// before could be made up.
    pub fn client(&self, headers: &HeaderMap) -> Option<Client> {
        let named = self.named_client(headers)?;
        Some(named.0.map_or(Client::Unreadable, Client::at))
    }

    /// That client as it is named.
    pub fn named_client(&self, headers: &HeaderMap) -> Option<NamedClient> {
        let name = match self.header {
            ForwardedHeader::XForwardedFor => "x-forwarded-for",
            ForwardedHeader::Forwarded => "forwarded",
        };
        let lines = headers.get_all(name).iter().map(|line| line.to_str().unwrap_or("?"));
        let hops: Vec<Option<IpAddr>> =
            lines.flat_map(|line| line.split(',')).map(|hop| self.address(hop)).collect();
        let outside = hops.iter().rev().find(|hop| hop.is_none_or(|address| !self.trust(address)));
        outside.or(hops.first()).copied().map(NamedClient)
    }

    /// The address in one element of the header.
    fn address(&self, hop: &str) -> Option<IpAddr> {
        let hop = match self.header {
            ForwardedHeader::XForwardedFor => hop.trim(),
            ForwardedHeader::Forwarded => hop.split(';').find_map(|pair| {
                let (key, value) = pair.trim().split_once('=')?;
                key.eq_ignore_ascii_case("for").then(|| value.trim().trim_matches('"'))
            })?,
        };
        if let Some(rest) = hop.strip_prefix('[') {
            return rest.split(']').next()?.parse().ok();
        }
        match (hop.parse(), hop.split_once(':')) {
            (Ok(address), _) => Some(address),
            // An IPv4 address with a port.
            (Err(_), Some((address, _))) => address.parse().ok(),
            (Err(_), None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn named(header: ForwardedHeader, name: &'static str, lines: &[&str]) -> Option<Client> {
        let networks = ["10.0.0.0/8", "2001:db8::/32"].map(|it| it.parse().unwrap()).to_vec();
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(name, HeaderValue::from_str(line).unwrap());
        }
        Proxies { networks, header }.client(&headers)
    }

    fn at(address: &str) -> Client {
        Client::Address(address.parse().unwrap())
    }

    #[test]
    fn the_last_hop_that_is_no_proxy_is_the_client() {
        let named =
            |lines: &[&str]| named(ForwardedHeader::XForwardedFor, "x-forwarded-for", lines);
        assert_eq!(named(&[]), None);
        assert_eq!(named(&["192.0.2.7"]), Some(at("192.0.2.7")));
        assert_eq!(
            named(&["198.51.100.1, 192.0.2.7"]),
            Some(at("192.0.2.7")),
            "the first is made up"
        );
        assert_eq!(named(&["192.0.2.7, 10.0.0.2"]), Some(at("192.0.2.7")));
        assert_eq!(named(&["192.0.2.7", "10.0.0.2, 10.9.9.9"]), Some(at("192.0.2.7")));
        assert_eq!(named(&["10.0.0.1, 10.0.0.2"]), Some(at("10.0.0.1")));
        assert_eq!(named(&["192.0.2.7:4711"]), Some(at("192.0.2.7")));
        assert_eq!(named(&["::ffff:192.0.2.7"]), Some(at("192.0.2.7")));
        assert_eq!(named(&["[2001:db9:1:2:3:4:5:6]:4711"]), Some(at("2001:db9:1:2::")));
        assert_eq!(named(&["192.0.2.7, unknown"]), Some(Client::Unreadable));
    }

    #[test]
    fn the_header_of_rfc_7239_is_read_too() {
        let named = |line: &str| named(ForwardedHeader::Forwarded, "forwarded", &[line]);
        assert_eq!(named("for=192.0.2.7;proto=http;by=10.0.0.1"), Some(at("192.0.2.7")));
        assert_eq!(
            named("proto=https; For=\"192.0.2.7:47011\", for=10.0.0.2"),
            Some(at("192.0.2.7"))
        );
        assert_eq!(named("for=\"[2001:db9:1:2::17]:4711\""), Some(at("2001:db9:1:2::")));
        assert_eq!(named("for=_hidden"), Some(Client::Unreadable));
        assert_eq!(named("proto=https"), Some(Client::Unreadable));
    }
}
