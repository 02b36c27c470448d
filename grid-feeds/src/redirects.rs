//! Redirects: how far a request goes on where a site sends it elsewhere.
//!
//! Only within the origin that was asked, so that no header, no query and no body goes anywhere else. Only as the request
//! that it was: what is to be done is never asked again as a question without its body, whose answer would look as if it
//! were done. Clients themselves follow nothing.

use reqwest::header::LOCATION;
use reqwest::{Method, RequestBuilder, Response, StatusCode, Url};

/// A site may send a request on to other places of its own so many times.
pub(crate) const MOST_REDIRECTS: usize = 3;

/// Sends a request, and again with its method, headers and body where the site has it elsewhere at the same scheme, host
/// and port; the head of the last answer, which is a redirect where that is not followed. Each time has the client's limit.
///
/// # Errors
/// The request cannot be made, or there is no answer.
pub async fn follow(request: RequestBuilder) -> reqwest::Result<Response> {
    let (client, request) = request.build_split();
    let mut request = request?;
    for _ in 0..MOST_REDIRECTS {
        let (method, again) = (request.method().clone(), request.try_clone());
        let response = client.execute(request).await?;
        let Some((mut again, url)) = again.zip(next(&method, &response)) else {
            return Ok(response);
        };
        *again.url_mut() = url;
        request = again;
    }
    client.execute(request).await
}

/// Where a request goes on, as what it is.
fn next(method: &Method, response: &Response) -> Option<Url> {
    let keeps_its_method = match response.status() {
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => true,
        // These may mean that a change is to be answered by a question.
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND | StatusCode::SEE_OTHER => {
            method.is_safe()
        }
        _ => false,
    };
    let url = target(response).filter(|_| keeps_its_method)?;
    (url.origin() == response.url().origin()).then_some(url)
}

/// Where an answer sends a request; `None` where that is no address.
pub(crate) fn target(response: &Response) -> Option<Url> {
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    response.url().join(location).ok()
}
