//! Connections: taken in, limited in number and time, and ended when the service stops.
//!
//! Each connection is a task of its own that `connection` keeps the time of: how long a request's
//! headers take, how long nothing is asked, how long an answer is not taken. What has begun to be
//! answered is never cut off for its age, so that event streams last. `table` counts connections
//! by client and makes room by closing the one that has waited longest for its client; `reads` has
//! clients take turns, and `refusals` slows down who does not take no for an answer; `client` says who that is. hyper's own time limit for headers is not used: it runs between requests too,
//! so that it cannot tell a slow request from an idle connection.

mod client;
mod connection;
mod descriptors;
mod reads;
mod refusals;
mod table;

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{Request, Response, StatusCode};
use axum::response::IntoResponse;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::{Service as HyperService, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::answers::CountedAs;
use super::asked_from::AskedFrom;
use super::audit::RequestSource;
use super::browser::guarded;
use super::by::sender_of;
use super::problem::Problem;
use super::{App, router};
use client::{Client, Proxies};
use connection::{Connection, Watched};
use reads::{NoTurnInTime, Reads, is_monitoring};
use refusals::Refusals;
use table::{ConnectionRefusal, Connections, Seat, Serving};

/// The largest head of a request, and what is buffered of a connection at once.
const BUFFER_BYTES: usize = 64 << 10;

/// How long who is refused may take to hear it, and how many are told at a time.
const REFUSAL_TIME: Duration = Duration::from_secs(2);
const REFUSALS: usize = 16;

/// How long to wait before connections are taken again after that failed.
const PAUSE: Duration = Duration::from_millis(100);

/// What connections share.
struct Server {
    app: App,
    routes: TowerToHyperService<Router>,
    connections: Arc<Connections>,
    proxies: Proxies,
    reads: Reads,
    refusals: Arc<Refusals>,
    stop: CancellationToken,
    refusing: Arc<Semaphore>,
}

/// Answers until told to stop, and then until all that has begun is answered.
pub async fn serve(listener: TcpListener, app: App, stop: CancellationToken) {
    let limits = &app.services.shared.settings.limits;
    let most = descriptors::connections(limits.connections);
    let server = Arc::new(Server {
        routes: TowerToHyperService::new(router(app.clone())),
        connections: Arc::new(Connections::new(limits, most)),
        proxies: Proxies::new(limits),
        reads: Reads::new(limits),
        refusals: Arc::default(),
        stop: stop.clone(),
        refusing: Arc::new(Semaphore::new(REFUSALS)),
        app,
    });
    // Every connection has a sender: when the last is gone, all has been answered.
    let (working, mut all_done) = mpsc::channel::<Infallible>(1);
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => server.take(stream, peer, &working),
            Err(error) => server.pause(&error).await,
        }
    }
    drop((listener, working));
    all_done.recv().await;
}

impl Server {
    /// Begins a connection, or refuses it.
    fn take(
        self: &Arc<Self>,
        stream: TcpStream,
        peer: SocketAddr,
        working: &mpsc::Sender<Infallible>,
    ) {
        // Small events are not to wait for one another.
        let _ = stream.set_nodelay(true);
        let peer = peer.ip().to_canonical();
        let client = (!self.proxies.trust(peer)).then(|| Client::at(peer));
        let (server, working) = (Arc::clone(self), working.clone());
        match self.connections.open(client) {
            Ok(seat) => {
                tokio::spawn(async move {
                    server.keep(stream, peer, seat).await;
                    drop(working);
                });
            }
            Err(refusal) => {
                // Whom there is no time to tell, nobody tells.
                let Ok(turn) = Arc::clone(&self.refusing).try_acquire_owned() else { return };
                tokio::spawn(async move {
                    let _ = tokio::time::timeout(REFUSAL_TIME, refuse(stream, refusal)).await;
                    drop((turn, working));
                });
            }
        }
    }

    /// After a connection could not be taken: that of another client makes room where descriptors
    /// are short.
    async fn pause(&self, error: &io::Error) {
        use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
        if matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
            return;
        }
        let closed = self.connections.make_room();
        tracing::warn!(%error, closed, "cannot take connections");
        tokio::time::sleep(PAUSE).await;
    }

    /// Keeps a connection until its end.
    async fn keep(self: Arc<Self>, stream: TcpStream, peer: IpAddr, seat: Seat) {
        let connection = Arc::clone(&seat.connection);
        let io = TokioIo::new(Watched::new(stream, Arc::clone(&connection)));
        let service = service_fn(|request| self.answer(request, peer, &seat));
        let serving = http1::Builder::new()
            .header_read_timeout(None)
            .max_buf_size(BUFFER_BYTES)
            .serve_connection(io, service);
        let mut serving = pin!(serving);
        let mut stopping = false;
        loop {
            tokio::select! {
                ended = serving.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(%error, "a connection broke off");
                    }
                    return;
                }
                () = self.stops_for(&connection), if !stopping => {
                    serving.as_mut().graceful_shutdown();
                    stopping = true;
                }
                () = connection.closed() => return,
            }
        }
    }

    /// Ends when the service stops and a client that has just come has asked: its request is under way.
    async fn stops_for(&self, connection: &Connection) {
        self.stop.cancelled().await;
        connection.asked_first().await;
    }

    /// Answers one request, if its client may have another.
    fn answer(
        &self,
        mut request: Request<Incoming>,
        peer: IpAddr,
        seat: &Seat,
    ) -> impl Future<Output = Result<Response<Answer>, Infallible>> + use<> {
        let services = &self.app.services;
        let known = services.shared.states.known();
        let sender = known.map(|it| sender_of(request.headers(), &it, &services.sign_in));
        let (user, verified) = sender.unwrap_or_default();
        if let Some(verified) = verified {
            request.extensions_mut().insert(verified);
        }
        let client = match user {
            Some(owner) => Some(Client::User(owner)),
            None if self.proxies.trust(peer) => self.proxies.client(request.headers()),
            None => Some(Client::at(peer)),
        };
        let named = self.proxies.trust(peer).then(|| self.proxies.named_client(request.headers()));
        let source = RequestSource(named.flatten().map_or(Some(peer), |it| it.0));
        let from = source.0.map_or(Client::Unreadable, Client::at);
        request.extensions_mut().insert(AskedFrom(format!("{from:?}").into()));
        request.extensions_mut().insert(source);
        let name: Option<Arc<str>> = client.as_ref().map(|it| format!("{it:?}").into());
        let turn = self.reads.turn(&request, name.as_deref());
        if let Some(name) = name {
            request.extensions_mut().insert(CountedAs(name));
        }
        let slowed = client.clone().filter(|_| !is_monitoring(&request));
        let (serving, admitted) = seat.begin(client);
        let refusals = Arc::clone(&self.refusals);
        let answer = admitted.map(|()| self.routes.call(request));
        async move {
            let response = match answer {
                Ok(answer) => match turn.await {
                    // Until the answer begins.
                    Ok(_turn) => answer.await?,
                    Err(NoTurnInTime) => no_turn(),
                },
                Err(refusal) => refused(refusal),
            };
            refusals.wait(slowed.as_ref(), response.status()).await;
            Ok(response.map(|body| Answer { body, _serving: serving }))
        }
    }
}

/// Answers the first request with a refusal.
async fn refuse(stream: TcpStream, refusal: ConnectionRefusal) {
    let service =
        service_fn(
            move |_: Request<Incoming>| async move { Ok::<_, Infallible>(refused(refusal)) },
        );
    let told = http1::Builder::new()
        .header_read_timeout(None)
        .keep_alive(false)
        .max_buf_size(BUFFER_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let _ = told.await;
}

fn refused(refusal: ConnectionRefusal) -> Response<Body> {
    let mut response = guarded(refusal.problem().of_limit(refusal.limit()).into_response());
    let close = axum::http::HeaderValue::from_static("close");
    response.headers_mut().insert(axum::http::header::CONNECTION, close);
    response
}

/// Refuses a read for which there was no turn in time.
fn no_turn() -> Response<Body> {
    let (status, title) = (StatusCode::SERVICE_UNAVAILABLE, "Too many reads");
    let detail =
        "As many reads are being answered as the service has room for; try again in a few seconds.";
    let problem = Problem::new(status, "overloaded", title, detail);
    guarded(problem.retry_after(5).of_limit("reads").into_response())
}

/// An answer's body: as long as it lasts the connection is at work.
struct Answer {
    body: Body,
    _serving: Serving,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
