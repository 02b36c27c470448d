//! What keeps the pages of other sites, and answers that are read as pages, from doing harm in a browser.
//!
//! Every answer says that its kind is not to be guessed, and may be shown in no frame. Without a token the service acts for
//! the one local user: what another site's page makes the user's browser send is told from what the user sends by
//! `Sec-Fetch-Site`, or by `Origin` where a browser does not send that (Fetch Metadata, W3C; RFC 6454).

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::problem::Problem;

/// For what is no page: nothing is loaded or run.
const NO_PAGE: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// For the page that browses the API: its own scripts, and styles that these write into it.
const API_BROWSER: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

const API_BROWSER_PATH: &str = "/api/docs";

/// Refuses what another site's page sent, and a request for two hosts; adds to each answer how a browser may treat it.
pub async fn guard(request: Request, next: Next) -> Response {
    let is_api_browser = request.uri().path().starts_with(API_BROWSER_PATH);
    let mut response = match refusal(&request) {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    };
    restrict(&mut response, if is_api_browser { API_BROWSER } else { NO_PAGE });
    response
}

/// What is answered before a request comes to the routes, with what [`guard`] adds to all other answers.
pub fn guarded(mut response: Response) -> Response {
    restrict(&mut response, NO_PAGE);
    response
}

/// Says how a browser may treat an answer; a page may have said for itself what it loads.
fn restrict(response: &mut Response, policy: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(policy);
}

fn refusal(request: &Request) -> Option<Problem> {
    let headers = request.headers();
    if headers.get_all(header::HOST).iter().count() > 1 {
        return Some(Problem::new(
            StatusCode::BAD_REQUEST,
            "two_hosts",
            "More than one Host",
            "The request has more than one Host header. Send one.",
        ));
    }
    // A page elsewhere has no token of ours, and may send none without being asked first.
    let by_the_browser_alone = !headers.contains_key(header::AUTHORIZATION);
    if by_the_browser_alone && changes(request.method()) && is_cross_site(headers, request.uri()) {
        return Some(Problem::new(
            StatusCode::FORBIDDEN,
            "cross_site",
            "From another site",
            "A page of another site sent this request. Send it from this service's own page, or with a token.",
        ));
    }
    None
}

fn changes(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Whether a browser says that the page of another site sent a request. Programs say nothing of the kind.
fn is_cross_site(headers: &HeaderMap, uri: &Uri) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        return site != "same-origin" && site != "none";
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return false };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| uri.authority().map(axum::http::uri::Authority::as_str));
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    origin.is_none_or(|(_, from)| Some(from) != host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_cross_site_with(lines: &[(&'static str, &'static str)]) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static("127.0.0.1:8080"));
        for &(name, value) in lines {
            headers.insert(name, HeaderValue::from_static(value));
        }
        is_cross_site(&headers, &Uri::from_static("/api/v1/reservations"))
    }

    #[test]
    fn a_browser_tells_whose_page_sent_a_request() {
        assert!(!is_cross_site_with(&[]), "a program");
        assert!(!is_cross_site_with(&[("sec-fetch-site", "same-origin")]));
        assert!(!is_cross_site_with(&[("sec-fetch-site", "none")]), "the user");
        assert!(is_cross_site_with(&[("sec-fetch-site", "cross-site")]));
        assert!(is_cross_site_with(&[("sec-fetch-site", "same-site")]));
        assert!(!is_cross_site_with(&[("origin", "http://127.0.0.1:8080")]));
        assert!(is_cross_site_with(&[("origin", "https://elsewhere.example")]));
        assert!(is_cross_site_with(&[("origin", "null")]), "a page in a sandbox");
        let behind_a_proxy =
            [("origin", "https://power.example"), ("sec-fetch-site", "same-origin")];
        assert!(!is_cross_site_with(&behind_a_proxy));
    }
}
