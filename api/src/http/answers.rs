//! Long answers to reads: what they take in memory until their client has taken them.
//!
//! A client that takes its answers slowly, or not at all, keeps them in memory. So the bytes of all long answers are
//! counted, and those of each client; beyond what there is room for, a read is refused. An answer is handed out in pieces: the
//! rest counts until it is sent.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};

use super::problem::Problem;
use crate::config::limits::Limits;
use crate::service::shared::{Exceeded, Share, Shares};

/// Shorter answers are not counted: they fit into what is sent at once.
const COUNTED_FROM_BYTES: usize = 64 << 10;

/// So much is handed out at once.
const PIECE_BYTES: usize = 64 << 10;

/// As whom a request is counted, in its extensions.
#[derive(Clone, Debug)]
pub struct CountedAs(pub Arc<str>);

/// The room that there is for answers.
#[derive(Clone, Debug)]
pub struct AnswerRoom {
    shares: Arc<Shares>,
    most_per_client: usize,
}

impl AnswerRoom {
    /// That of the settings, all of it free.
    pub fn new(limits: &Limits) -> Self {
        let most_per_client = limits.answer_bytes_per_client;
        Self { shares: Shares::new(limits.answer_bytes, most_per_client), most_per_client }
    }

    /// The room for an answer. One alone may be of any size.
    fn take(&self, client: &str, bytes: usize) -> Result<Share, Exceeded> {
        let mut share = self.shares.share_of(client, true);
        share.grow(bytes.min(self.most_per_client))?;
        Ok(share)
    }
}

/// Counts the answer to a read, or refuses it.
pub async fn count(State(room): State<AnswerRoom>, request: Request, next: Next) -> Response {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let client = request.extensions().get::<CountedAs>().cloned();
    let response = next.run(request).await;
    let bytes = response.body().size_hint().exact().and_then(|it| usize::try_from(it).ok());
    let (true, Some(client), Some(bytes)) = (is_read, client, bytes) else { return response };
    if bytes < COUNTED_FROM_BYTES {
        return response;
    }
    match room.take(&client.0, bytes) {
        Ok(share) => response
            .map(|body| Body::new(CountedAnswer { body, piece: Bytes::new(), _share: share })),
        Err(exceeded) => no_room(exceeded).into_response(),
    }
}

fn no_room(exceeded: Exceeded) -> Problem {
    let of_all = (
        "answer_bytes",
        "As many bytes wait to be taken by clients as the service has room for; try again in a \
         second.",
    );
    let of_client = (
        "answer_bytes_per_client",
        "The answers that you have not taken yet are too large together; take them first, or ask \
         for fewer at a time.",
    );
    Problem::no_room(exceeded, "Too much waits to be taken", of_all, of_client)
}

/// An answer's body, in pieces.
struct CountedAnswer {
    body: Body,
    /// What is left of the part of the body that came last.
    piece: Bytes,
    _share: Share,
}

impl HttpBody for CountedAnswer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.piece.is_empty() {
            match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => self.piece = data,
                    Err(frame) => return Poll::Ready(Some(Ok(frame))),
                },
                other => return other,
            }
        }
        let length = self.piece.len().min(PIECE_BYTES);
        Poll::Ready(Some(Ok(Frame::data(self.piece.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.piece.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let exact = self.body.size_hint().exact();
        exact
            .map_or_else(SizeHint::new, |rest| SizeHint::with_exact(rest + self.piece.len() as u64))
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::http::{StatusCode, header};
    use axum::middleware::from_fn_with_state;
    use axum::routing::get;
    use futures_util::StreamExt;
    use hyper::service::Service;
    use hyper_util::service::TowerToHyperService;

    use super::*;

    const LONG: usize = 200 << 10;

    fn service(all: usize, per_client: usize) -> Router {
        let text = format!("answer_bytes = {all}\nanswer_bytes_per_client = {per_client}");
        let room = AnswerRoom::new(&Limits::read(&toml::from_str(&text).unwrap()).unwrap());
        let long = || async { "x".repeat(LONG) };
        Router::new().route("/", get(long).post(long)).layer(from_fn_with_state(room, count))
    }

    async fn ask(service: &Router, method: Method, client: &str) -> Response {
        let request = Request::builder().method(method).uri("/");
        let request = request.extension(CountedAs(client.into())).body(Body::empty()).unwrap();
        TowerToHyperService::new(service.clone()).call(request).await.unwrap()
    }

    #[tokio::test]
    async fn answers_count_until_they_are_taken() {
        let service = service(2 * LONG, LONG);
        let first = ask(&service, Method::GET, "ada").await;
        assert_eq!(first.headers()[header::CONTENT_LENGTH], LONG.to_string());
        let refused = ask(&service, Method::GET, "ada").await;
        assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(refused.headers()[header::RETRY_AFTER], "1");

        let second = ask(&service, Method::GET, "grace").await;
        assert_eq!(second.status(), StatusCode::OK);
        assert_eq!(ask(&service, Method::GET, "emmy").await.status(), 503);
        assert_eq!(ask(&service, Method::POST, "emmy").await.status(), 200, "what is done is told");

        let mut parts = first.into_body().into_data_stream();
        let mut lengths = Vec::new();
        while let Some(part) = parts.next().await {
            lengths.push(part.unwrap().len());
        }
        assert_eq!(lengths, [64 << 10, 64 << 10, 64 << 10, 8 << 10]);
        assert_eq!(ask(&service, Method::GET, "ada").await.status(), 429, "its end was not sent");
        drop(parts);
        assert_eq!(ask(&service, Method::GET, "ada").await.status(), 200);
    }

    #[tokio::test]
    async fn one_answer_alone_may_be_larger_than_what_one_client_may_have() {
        let service = service(LONG, LONG / 2);
        let alone = ask(&service, Method::GET, "ada").await;
        assert_eq!(alone.status(), 200);
        assert_eq!(ask(&service, Method::GET, "ada").await.status(), 429);
    }
}
