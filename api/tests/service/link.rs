//! The way from a replica to the database, which can be cut.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What becomes of what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Open,
    /// Connections are reset, open ones and new ones.
    Refused,
    /// Nothing arrives, and nobody is told.
    Silent,
    /// After so many bytes each way nothing of a connection arrives any more, whatever becomes of the link.
    Losing(usize),
}

/// How a link stands.
#[derive(Clone, Copy, Debug)]
struct State {
    way: Way,
    /// Connections of earlier generations stay silent.
    generation: u64,
}

impl State {
    fn way_of(self, generation: u64) -> Way {
        if self.way == Way::Open && generation < self.generation { Way::Silent } else { self.way }
    }
}

/// A link; it is gone when the run's runtime is.
pub struct Link {
    /// Where the replica finds the database.
    pub port: u16,
    state: watch::Sender<State>,
    forgets: Arc<AtomicBool>,
}

/// A connection that has passed on so many bytes one way is more than logged in.
const AT_WORK_AFTER: usize = 4096;

impl Link {
    /// A link to a port of this machine.
    pub async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let own = listener.local_addr().unwrap().port();
        let (state, seen) = watch::channel(State { way: Way::Open, generation: 0 });
        let forgets = Arc::new(AtomicBool::new(false));
        let database = SocketAddr::from(([127, 0, 0, 1], port));
        tokio::spawn(accept(listener, database, seen, Arc::clone(&forgets)));
        Self { port: own, state, forgets }
    }

    /// Nothing arrives any more of what is said next on a connection that is at work, nor of what follows there; others go on.
    pub fn forget_one(&self) {
        self.forgets.store(true, Ordering::Release);
    }

    /// Whether none is to be forgotten any more.
    pub fn has_forgotten(&self) -> bool {
        !self.forgets.load(Ordering::Acquire)
    }

    /// Connections are reset, and so are new ones.
    pub fn refuse(&self) {
        self.state.send_modify(|it| it.way = Way::Refused);
    }

    /// Nothing arrives any more.
    pub fn fall_silent(&self) {
        self.state.send_modify(|it| it.way = Way::Silent);
    }

    /// Each connection, open or new, passes on so many bytes each way, and loses all that follow.
    pub fn lose_after(&self, bytes: usize) {
        self.state.send_modify(|it| it.way = Way::Losing(bytes));
    }

    /// New connections are made, and what waited on open ones arrives.
    pub fn open(&self) {
        self.state.send_modify(|it| it.way = Way::Open);
    }

    /// New connections are made; those that are open stay silent, as behind a firewall that forgot them.
    pub fn open_to_new_ones(&self) {
        self.state.send_modify(|it| {
            it.way = Way::Open;
            it.generation += 1;
        });
    }
}

async fn accept(
    listener: TcpListener,
    database: SocketAddr,
    state: watch::Receiver<State>,
    forgets: Arc<AtomicBool>,
) {
    loop {
        match listener.accept().await {
            Ok((replica, _)) => {
                tokio::spawn(connect(replica, database, state.clone(), Arc::clone(&forgets)));
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

/// Whether a connection of a generation is to be reset, once what is sent on it may arrive or that is so.
async fn is_reset(state: &mut watch::Receiver<State>, generation: u64) -> bool {
    let known = state.wait_for(|it| it.way_of(generation) != Way::Silent).await;
    known.is_ok_and(|it| it.way == Way::Refused)
}

/// Ends once a connection is to be reset.
async fn until_reset(mut state: watch::Receiver<State>) {
    if state.wait_for(|it| it.way == Way::Refused).await.is_err() {
        std::future::pending::<()>().await;
    }
}

async fn connect(
    replica: TcpStream,
    database: SocketAddr,
    mut state: watch::Receiver<State>,
    forgets: Arc<AtomicBool>,
) {
    let generation = state.borrow().generation;
    if is_reset(&mut state, generation).await {
        return replica.set_zero_linger().unwrap();
    }
    let Ok(database) = TcpStream::connect(database).await else { return };
    replica.set_nodelay(true).and_then(|()| database.set_nodelay(true)).unwrap();
    let (mut from_replica, mut to_replica) = replica.into_split();
    let (mut from_database, mut to_database) = database.into_split();
    let there = pass_on(&mut from_replica, &mut to_database, state.clone(), generation, &forgets);
    let back = pass_on(&mut from_database, &mut to_replica, state.clone(), generation, &forgets);
    // Either side may end its half and hear the rest, as TLS does.
    let is_over = tokio::select! {
        ended = async { tokio::try_join!(there, back) } => ended.is_ok(),
        () = until_reset(state) => false,
    };
    if !is_over {
        // What is dropped now is reset.
        to_replica.as_ref().set_zero_linger().unwrap();
        to_database.as_ref().set_zero_linger().unwrap();
    }
}

/// Passes on what is said, once it may arrive.
async fn pass_on(
    from: &mut OwnedReadHalf,
    to: &mut OwnedWriteHalf,
    mut state: watch::Receiver<State>,
    generation: u64,
    forgets: &AtomicBool,
) -> io::Result<()> {
    let mut all_passed = 0;
    let mut buffer = vec![0; 1 << 16];
    // How many bytes are passed on still, where the rest is lost.
    let mut left = None;
    loop {
        let length = from.read(&mut buffer).await?;
        if is_reset(&mut state, generation).await {
            return Ok(());
        }
        if length == 0 {
            return to.shutdown().await;
        }
        if all_passed > AT_WORK_AFTER && forgets.swap(false, Ordering::AcqRel) {
            std::future::pending::<()>().await;
        }
        if let (None, Way::Losing(bytes)) = (left, state.borrow().way) {
            left = Some(bytes);
        }
        let passed = left.map_or(length, |left| length.min(left));
        left = left.map(|left| left - passed);
        to.write_all(&buffer[..passed]).await?;
        all_passed += passed;
    }
}
