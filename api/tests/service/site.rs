//! Databases that vanish: a site is one database and a folder, of either engine.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, PgPool, SqliteConnection};
use tempfile::TempDir;
use uuid::Uuid;

use crate::left_out::postgres_server;
use crate::server::Server;

/// Runs plain async functions that take a [`Site`] as tests on both engines.
macro_rules! on_both_engines {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    $crate::site::Site::sqlite().run(super::$name).await;
                }
            )*
        }

        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    if let Some(site) = $crate::site::Site::postgres(stringify!($name)).await {
                        site.run(super::$name).await;
                    }
                }
            )*
        }
    };
}
pub(crate) use on_both_engines;

/// A database of its own for one test, and a folder for files.
#[derive(Clone)]
pub struct Site {
    /// What `--database` gets.
    pub database: String,
    folder: Arc<TempDir>,
    /// The server and the name of a PostgreSQL database.
    postgres: Option<(PgPool, String)>,
}

impl Site {
    pub fn sqlite() -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let database = format!("sqlite://{}", folder.path().join("book.db").display());
        Self { database, folder, postgres: None }
    }

    /// `None` where no server was named, after saying so.
    pub async fn postgres(test: &str) -> Option<Self> {
        let server_url = postgres_server(test)?;
        let server = PgPool::connect(&server_url).await.unwrap();
        let name = format!("wattbook_test_{}", Uuid::now_v7().simple());
        let create = format!("CREATE DATABASE {name} TEMPLATE template0");
        server.execute(AssertSqlSafe(create)).await.unwrap();
        // Tests kill the service and not this server.
        let unsynchronised = format!("ALTER DATABASE {name} SET synchronous_commit = off");
        server.execute(AssertSqlSafe(unsynchronised)).await.unwrap();
        let (server_part, _) = server_url.rsplit_once('/').unwrap();
        Some(Self {
            database: format!("{server_part}/{name}"),
            folder: Arc::new(tempfile::tempdir().unwrap()),
            postgres: Some((server, name)),
        })
    }

    /// Runs a test and removes its database, also when the test fails.
    pub async fn run<T, F>(self, test: T)
    where
        T: FnOnce(Self) -> F,
        F: Future<Output = ()> + Send + 'static,
    {
        let outcome = tokio::spawn(test(self.clone())).await;
        self.remove().await;
        if let Err(failure) = outcome {
            std::panic::resume_unwind(failure.into_panic());
        }
    }

    /// Removes the database.
    pub async fn remove(&self) {
        if let Some((server, name)) = &self.postgres {
            let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
            server.execute(AssertSqlSafe(drop)).await.unwrap();
        }
    }

    /// A new connection to the PostgreSQL database, around the service.
    pub async fn raw(&self) -> PgConnection {
        PgConnection::connect(&self.database).await.unwrap()
    }

    pub const fn is_postgres(&self) -> bool {
        self.postgres.is_some()
    }

    /// Executes statements around the service.
    pub async fn execute(&self, statements: impl Into<String>) {
        let statements = sqlx::raw_sql(AssertSqlSafe(statements.into()));
        if self.is_postgres() {
            self.raw().await.execute(statements).await.unwrap();
        } else {
            let mut database = SqliteConnection::connect(&self.database).await.unwrap();
            database.execute(statements).await.unwrap();
            database.close().await.unwrap();
        }
    }

    /// What a statement counts, around the service.
    pub async fn count(&self, statement: &str) -> i64 {
        let statement = AssertSqlSafe(statement.to_owned());
        if self.is_postgres() {
            let mut database = self.raw().await;
            return sqlx::query_scalar(statement).fetch_one(&mut database).await.unwrap();
        }
        let mut database = SqliteConnection::connect(&self.database).await.unwrap();
        let count = sqlx::query_scalar(statement).fetch_one(&mut database).await.unwrap();
        database.close().await.unwrap();
        count
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A command of the binary on this site's database.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = wattbook(arguments);
        command.current_dir(self.folder()).env("WATTBOOK_DATABASE", &self.database);
        command
    }

    /// The service on this site's database, at a free port.
    pub async fn serve(&self) -> Server {
        self.serve_with(&[]).await
    }

    /// The service with more arguments.
    pub async fn serve_with(&self, arguments: &[&str]) -> Server {
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.args(arguments);
        Server::start(command).await
    }

    /// The service on another database, whether it is ready or not.
    pub fn serve_on(&self, database: &str) -> Server {
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.env("WATTBOOK_DATABASE", database);
        Server::launch(command)
    }

    /// Makes a token and gives its text.
    pub fn token(&self, owner: &str, role: &str) -> String {
        let arguments = ["token", "create", "--create-database", "--owner", owner, "--role", role];
        let output = self.command(&arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

/// The binary, without settings from the environment of whoever runs the tests.
pub fn wattbook(arguments: &[&str]) -> Command {
    command_of(Path::new(env!("CARGO_BIN_EXE_wattbook")), arguments)
}

/// Another binary likewise.
pub fn command_of(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    for name in ["CONFIG", "LISTEN", "DATABASE", "HOLD_S", "POWER_CAP_SCOPE"] {
        command.env_remove(format!("WATTBOOK_{name}"));
    }
    command.env("WATTBOOK_LOG", "info").args(arguments);
    command
}
