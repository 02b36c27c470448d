//! Where people reach the page: the setting `public_url`.

use anyhow::{Context, ensure};
use url::Url;

/// The address of the page as it is put into calendars and mails.
///
/// # Errors
/// It is no address that browsers open.
pub fn public_url(text: &str) -> anyhow::Result<String> {
    let says =
        || format!("public_url = {text:?} must be an address such as \"https://wattbook.example\"");
    let url = Url::parse(text).with_context(says)?;
    let is_one = matches!(url.scheme(), "http" | "https") && url.query().is_none();
    ensure!(is_one && url.fragment().is_none(), says());
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_an_address_that_browsers_open() {
        for (text, expected) in [
            ("https://wattbook.example/", Some("https://wattbook.example")),
            ("http://login1:8080/wattbook", Some("http://login1:8080/wattbook")),
            ("wattbook.example", None),
            ("ftp://wattbook.example", None),
            ("https://wattbook.example/#/plan", None),
        ] {
            assert_eq!(public_url(text).ok().as_deref(), expected, "{text}");
        }
    }
}
