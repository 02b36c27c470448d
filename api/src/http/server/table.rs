//! All connections and whose they are.
//!
//! A connection is its address's until a request on it names a user, then that user's. A trusted
//! proxy's is nobody's: there each request is counted while it is answered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;

use super::client::Client;
use super::connection::{Connection, Times};
use crate::config::limits::Limits;
use crate::http::problem::Problem;

/// The connections there are.
#[derive(Debug)]
pub struct Connections {
    most: usize,
    most_per_client: usize,
    times: Times,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    last_id: u64,
    open: HashMap<u64, (Arc<Connection>, Option<Client>)>,
    /// How many each client has, connections and requests by way of proxies.
    taken: HashMap<Client, usize>,
}

/// Why a connection or a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionRefusal {
    /// All connections are at work.
    All,
    /// All connections of the client are.
    Client,
    /// The connection had been given up before the request came.
    TooLate,
}

/// A connection's place in the table, given back when it goes out of scope.
pub struct Seat {
    connections: Arc<Connections>,
    /// The connection that has the place.
    pub connection: Arc<Connection>,
    id: u64,
    proxied: bool,
}

/// A request that is answered, until it goes out of scope.
pub struct Serving {
    connections: Arc<Connections>,
    connection: Arc<Connection>,
    /// For whom it is counted beside its connection.
    counted: Option<Client>,
}

impl Connections {
    /// None yet, of at most `most`.
    pub fn new(limits: &Limits, most: usize) -> Self {
        Self {
            most,
            most_per_client: limits.connections_per_client,
            times: Times::new(limits),
            table: Mutex::default(),
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection of a client, or of a trusted proxy. Where there are as many as may be, the
    /// one that has waited longest for its client makes room.
    ///
    /// # Errors
    /// Where none waits.
    pub fn open(self: &Arc<Self>, client: Option<Client>) -> Result<Seat, ConnectionRefusal> {
        let mut table = self.table();
        let proxied = client.is_none();
        if let Some(client) = &client {
            self.find_room_for(&table, client)?;
        }
        if table.open.len() >= self.most && !table.close_one(|_| true) {
            return Err(ConnectionRefusal::All);
        }
        table.last_id += 1;
        let id = table.last_id;
        let connection = Arc::new(Connection::new(self.times));
        if let Some(client) = &client {
            table.take(client.clone());
        }
        table.open.insert(id, (Arc::clone(&connection), client));
        Ok(Seat { connections: Arc::clone(self), connection, id, proxied })
    }

    /// Closes the connection that has waited longest; whether there was one.
    pub fn make_room(&self) -> bool {
        self.table().close_one(|_| true)
    }

    fn find_room_for(&self, table: &Table, client: &Client) -> Result<(), ConnectionRefusal> {
        let taken = table.taken.get(client).copied().unwrap_or_default();
        let own = |it: &Option<Client>| it.as_ref() == Some(client);
        if taken < self.most_per_client || table.close_one(own) {
            Ok(())
        } else {
            Err(ConnectionRefusal::Client)
        }
    }
}

impl Table {
    fn take(&mut self, client: Client) {
        *self.taken.entry(client).or_default() += 1;
    }

    fn give_back(&mut self, client: &Client) {
        if let Some(taken) = self.taken.get_mut(client) {
            *taken -= 1;
            if *taken == 0 {
                self.taken.remove(client);
            }
        }
    }

    /// Closes the connection that has waited longest for its client, of those that may be closed.
    fn close_one(&self, may_be: impl Fn(&Option<Client>) -> bool) -> bool {
        let candidates = self.open.values().filter(|(_, client)| may_be(client));
        let waiting =
            candidates.filter_map(|(connection, _)| Some((connection.waits_since()?, connection)));
        waiting.min_by_key(|(since, _)| *since).is_some_and(|(_, connection)| connection.give_up())
    }
}

impl Seat {
    /// Begins a request of a client; `None` where a proxy speaks for itself.
    pub fn begin(&self, client: Option<Client>) -> (Serving, Result<(), ConnectionRefusal>) {
        let connections = Arc::clone(&self.connections);
        let connection = Arc::clone(&self.connection);
        let mut serving = Serving { connections, connection, counted: None };
        if !self.connection.begin() {
            return (serving, Err(ConnectionRefusal::TooLate));
        }
        let Some(client) = client else { return (serving, Ok(())) };
        let admitted = if self.proxied {
            let counted = self.count_request(&client);
            serving.counted = counted.is_ok().then_some(client);
            counted
        } else {
            self.belongs_to(client)
        };
        (serving, admitted)
    }

    fn count_request(&self, client: &Client) -> Result<(), ConnectionRefusal> {
        let mut table = self.connections.table();
        self.connections.find_room_for(&table, client)?;
        table.take(client.clone());
        Ok(())
    }

    /// The connection is the user's from now on. Without a user it stays whose it was.
    fn belongs_to(&self, client: Client) -> Result<(), ConnectionRefusal> {
        let mut table = self.connections.table();
        let before = table.open.get(&self.id).and_then(|(_, client)| client.clone());
        if before.as_ref() == Some(&client) || !matches!(client, Client::User(_)) {
            return Ok(());
        }
        self.connections.find_room_for(&table, &client)?;
        if let Some(before) = before {
            table.give_back(&before);
        }
        table.take(client.clone());
        if let Some((_, whose)) = table.open.get_mut(&self.id) {
            *whose = Some(client);
        }
        Ok(())
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut table = self.connections.table();
        if let Some((_, Some(client))) = table.open.remove(&self.id) {
            table.give_back(&client);
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        if let Some(client) = &self.counted {
            self.connections.table().give_back(client);
        }
        self.connection.end();
    }
}

impl ConnectionRefusal {
    /// The limit that was reached, for monitors.
    pub const fn limit(self) -> &'static str {
        match self {
            Self::All => "connections",
            Self::Client => "connections_per_client",
            Self::TooLate => "idle_s",
        }
    }

    /// What the client is told.
    pub fn problem(self) -> Problem {
        let busy = |detail| {
            let status = StatusCode::SERVICE_UNAVAILABLE;
            Problem::new(status, "overloaded", "Too many connections", detail).retry_after(1)
        };
        match self {
            Self::All => busy("All connections of the service are at work; try again in a second."),
            Self::TooLate => busy("The connection was just closed for others; try again."),
            Self::Client => Problem::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too_many_connections",
                "Too many connections",
                "All connections that you may have are at work: end some, or use them again.",
            )
            .retry_after(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn connections(most: usize, per_client: usize) -> Arc<Connections> {
        let text = format!("connections_per_client = {per_client}");
        let limits = Limits::read(&toml::from_str(&text).unwrap()).unwrap();
        Arc::new(Connections::new(&limits, most))
    }

    fn at(last: u8) -> Client {
        Client::at(IpAddr::from([192, 0, 2, last]))
    }

    fn user(name: &str) -> Client {
        Client::User(name.to_owned())
    }

    fn refused<T>(result: Result<T, ConnectionRefusal>) -> Option<ConnectionRefusal> {
        result.err()
    }

    #[tokio::test]
    async fn who_waits_longest_makes_room_and_who_is_answered_does_not() {
        let all = connections(2, 9);
        let (first, second) = (all.open(Some(at(1))).unwrap(), all.open(Some(at(2))).unwrap());
        let (answered, admitted) = first.begin(Some(at(1)));
        assert_eq!(admitted, Ok(()));
        let third = all.open(Some(at(3))).unwrap();
        assert_eq!(second.begin(Some(at(2))).1, Err(ConnectionRefusal::TooLate));
        drop(second);
        let (_third_too, _) = third.begin(Some(at(3)));
        assert_eq!(refused(all.open(Some(at(4)))), Some(ConnectionRefusal::All));
        drop(answered);
        assert!(all.open(Some(at(4))).is_ok());
    }

    #[tokio::test]
    async fn each_client_has_its_share_and_users_are_told_apart_at_one_address() {
        let all = connections(100, 2);
        let seats: Vec<Seat> = (0..2).map(|_| all.open(Some(at(1))).unwrap()).collect();
        let serving: Vec<_> = seats.iter().map(|seat| seat.begin(Some(at(1))).0).collect();
        assert_eq!(refused(all.open(Some(at(1)))), Some(ConnectionRefusal::Client));
        let other = all.open(Some(at(2))).unwrap();
        drop(serving);
        let ada = seats[0].begin(Some(user("ada")));
        assert_eq!(ada.1, Ok(()));
        let more = all.open(Some(at(1))).unwrap();
        let (ada_too, _) = more.begin(Some(user("ada")));
        let (_serving, admitted) = other.begin(Some(user("ada")));
        assert_eq!(admitted, Err(ConnectionRefusal::Client), "two are ada's already, both at work");
        drop((ada_too, more));
        assert_eq!(other.begin(Some(user("ada"))).1, Ok(()));
    }

    #[tokio::test]
    async fn a_proxy_is_not_limited_but_those_behind_it_are() {
        let all = connections(100, 2);
        let seats: Vec<Seat> = (0..5).map(|_| all.open(None).unwrap()).collect();
        let one = seats[0].begin(Some(at(7)));
        let two = seats[1].begin(Some(at(7)));
        assert_eq!((one.1, two.1), (Ok(()), Ok(())));
        assert_eq!(seats[2].begin(Some(at(7))).1, Err(ConnectionRefusal::Client));
        assert_eq!(seats[2].begin(Some(at(8))).1, Ok(()));
        assert_eq!(seats[3].begin(None).1, Ok(()));
        drop(one.0);
        assert_eq!(seats[2].begin(Some(at(7))).1, Ok(()));
    }
}
