//! The web page as browsers get it.

use reqwest::Method;
use reqwest::header::{ACCEPT_ENCODING, IF_NONE_MATCH};

use crate::client::answer;
use crate::site::Site;

/// The first script that the page loads.
fn script(html: &str) -> String {
    let rest = html.split_once("src=\"./").expect("a script").1;
    format!("/{}", rest.split('"').next().expect("an end"))
}

#[tokio::test]
async fn the_page_is_asked_for_anew_and_its_files_are_kept_for_ever() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let client = server.client();
    let page = client.get("/").await;
    assert_eq!((page.status, page.header("cache-control")), (200, "no-cache"));
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    let known = client.request(Method::GET, "/").header(IF_NONE_MATCH, page.header("etag"));
    assert_eq!(answer(known).await.status, 304);

    let file = client.get(&script(&page.body)).await;
    assert_eq!(file.status, 200);
    assert_eq!(file.header("cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(file.header("x-content-type-options"), "nosniff");
    client.get("/assets/nonsense.js").await.problem(404, "not_found");
    client.get("/assets/..%2Findex.html").await.problem(404, "not_found");
}

#[tokio::test]
async fn files_come_in_the_form_that_is_accepted() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let client = server.client();
    let script = script(&client.get("/").await.body);
    for (accepted, encoding) in [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, deflate", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("identity", ""),
    ] {
        let request = client.request(Method::GET, &script).header(ACCEPT_ENCODING, accepted);
        let response = request.send().await.unwrap();
        let header = |name| response.headers().get(name).map_or("", |it| it.to_str().unwrap());
        assert_eq!(header("content-encoding"), encoding, "{accepted}");
        assert_eq!(header("vary"), "accept-encoding");
        assert_eq!(header("content-type"), "text/javascript; charset=utf-8");
    }
}
