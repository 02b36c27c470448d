//! Whether what is said to a database stays between it and the service.

use std::net::IpAddr;
use std::str::FromStr;

use sqlx::postgres::{PgConnectOptions, PgSslMode};

/// Whether what is said to the database of a URL may go over a network without TLS: it is a PostgreSQL at another machine, and
/// neither the URL nor the environment (`PGSSLMODE`) insists on TLS. A URL that cannot be read says nothing.
pub fn may_be_overheard(url: &str) -> bool {
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return false;
    }
    let Ok(options) = PgConnectOptions::from_str(url) else { return false };
    let insists = matches!(
        options.get_ssl_mode(),
        PgSslMode::Require | PgSslMode::VerifyCa | PgSslMode::VerifyFull
    );
    !insists && options.get_socket().is_none() && !is_this_machine(options.get_host())
}

fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    // What begins with a slash is the folder of a socket.
    host == "localhost"
        || host.starts_with('/')
        || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_elsewhere_is_overheard_unless_tls_is_insisted_on() {
        for url in [
            "postgres://wattbook:secret@db.example/wattbook",
            "postgresql://db.example:5433/wattbook?sslmode=prefer",
            "postgres://db.example/wattbook?sslmode=disable",
            "postgres://db.example/wattbook?ssl-mode=allow",
            "postgres://192.0.2.7/wattbook",
        ] {
            assert!(may_be_overheard(url), "{url}");
        }
        for url in [
            "postgres://db.example/wattbook?sslmode=require",
            "postgres://db.example/wattbook?sslmode=verify-ca",
            "postgres://db.example/wattbook?sslmode=verify-full&sslrootcert=/etc/db.pem",
            "postgres://localhost/wattbook",
            "postgres://127.0.0.1:5432/wattbook?sslmode=disable",
            "postgres://[::1]/wattbook",
            "postgres:///wattbook?host=/run/postgresql",
            "postgres://%2Frun%2Fpostgresql/wattbook",
            "sqlite://db.example/wattbook.db",
            "postgres://db.example:port/wattbook",
        ] {
            assert!(!may_be_overheard(url), "{url}");
        }
    }
}
