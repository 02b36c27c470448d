//! Which addresses users may name for their webhooks.

use grid_feeds::reach::{Reach, is_public};
use url::{Host, Url};

/// The longest address of a webhook.
const LONGEST_URL: usize = 2048;

const PUBLIC_RULE: &str =
    "must be an https:// address on the public internet, without user, password and fragment";

const PRIVATE_RULE: &str = "must be an https:// address, or an http:// address of the service's machine, without user, \
     password and fragment";

/// Whether a user may name an address for their webhook, and why not. Names are judged by where they lead, too, whenever
/// something is sent.
///
/// # Errors
/// In words, after the name of the field.
pub fn check_webhook(text: &str, reach: Reach) -> Result<(), &'static str> {
    let rule = match reach {
        Reach::Public => PUBLIC_RULE,
        Reach::Anywhere => PRIVATE_RULE,
    };
    let url = Url::parse(text).map_err(|_| rule)?;
    let is_plain =
        url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    let (is_loopback, is_public) = match url.host() {
        Some(Host::Domain(name)) => (name == "localhost", true),
        Some(Host::Ipv4(address)) => (address.is_loopback(), is_public(address.into())),
        Some(Host::Ipv6(address)) => (address.is_loopback(), is_public(address.into())),
        None => (false, false),
    };
    let is_reached = match reach {
        Reach::Public => url.scheme() == "https" && is_public,
        Reach::Anywhere => url.scheme() == "https" || (url.scheme() == "http" && is_loopback),
    };
    (is_plain && is_reached && text.len() <= LONGEST_URL).then_some(()).ok_or(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_webhook_is_public_unless_the_site_says_otherwise() {
        for (address, public, anywhere) in [
            ("https://hooks.site.example/a?b=c", true, true),
            ("https://hooks.site.example:8443/", true, true),
            ("http://hooks.site.example/", false, false),
            ("https://10.0.0.7/", false, true),
            ("https://[::1]/", false, true),
            ("http://127.0.0.1:9000/", false, true),
            ("http://localhost:9000/", false, true),
            ("http://169.254.169.254/latest", false, false),
            // 127.0.0.1, as browsers read it.
            ("https://2130706433/", false, true),
            ("https://ada:secret@hooks.site.example/", false, false),
            ("https://hooks.site.example/#a", false, false),
            ("ftp://hooks.site.example/", false, false),
            ("hooks.site.example", false, false),
        ] {
            assert_eq!(check_webhook(address, Reach::Public).is_ok(), public, "{address}");
            assert_eq!(check_webhook(address, Reach::Anywhere).is_ok(), anywhere, "{address}");
        }
    }
}
