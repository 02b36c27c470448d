//! Databases that do not open: the reason is said soon, nothing is made by accident, and commands want
//! no more of the settings than they use.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use sqlx::{Connection, Executor};

use crate::site::{Site, on_both_engines};

on_both_engines! {
    commands_do_not_make_a_database_by_accident,
    secrets_that_a_command_does_not_need_may_be_missing,
}

/// An idle machine says why within 5 s; a busy one may take its time.
const SAID_WITHIN: Duration = Duration::from_secs(25);

/// Runs a command that must fail soon; what it said, in which no password is.
fn failed(command: Command) -> String {
    ended_with(1, command)
}

fn ended_with(expected: i32, mut command: Command) -> String {
    let began = Instant::now();
    let Output { status, stderr, .. } = command.output().unwrap();
    let error = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(expected), "{error}");
    assert!(began.elapsed() < SAID_WITHIN, "{:?}: {error}", began.elapsed());
    assert!(!error.contains("s3cret"), "{error}");
    error
}

/// A book tells who computes what: nobody but its owner reads a new one, or the files that SQLite makes beside it.
#[cfg(unix)]
#[tokio::test]
async fn a_new_database_is_readable_by_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;

    let site = Site::sqlite();
    let _server = site.serve().await;
    let file = site.database.strip_prefix("sqlite://").expect("a file");
    for file in [file.to_owned(), format!("{file}-wal"), format!("{file}-shm")] {
        let mode = std::fs::metadata(&file).expect(&file).permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

fn failed_on(site: &Site, database: &str) {
    let said: Vec<String> = [&["serve", "--listen", "127.0.0.1:0"][..], &["token", "list"]]
        .into_iter()
        .map(|arguments| {
            let mut command = site.command(arguments);
            command.env("WATTBOOK_DATABASE", database);
            failed(command)
        })
        .collect();
    assert_eq!(said[0], said[1]);
}

/// What both `serve` and `token list` say of a database.
fn reason(site: &Site, database: &str) -> String {
    let mut command = site.command(&["token", "list"]);
    command.env("WATTBOOK_DATABASE", database);
    failed_on(site, database);
    failed(command)
}

#[test]
fn an_unreachable_server_is_named_with_the_reason() {
    let site = Site::sqlite();
    let refused = reason(&site, "postgres://ada:s3cret@127.0.0.1:1/book");
    assert!(refused.contains("book on 127.0.0.1:1") && refused.contains("refused"), "{refused}");
    let unknown = reason(&site, "postgres://ada:s3cret@no-such-host.invalid/book");
    assert!(unknown.contains("book on no-such-host.invalid:5432"), "{unknown}");
    assert!(unknown.contains("lookup") || unknown.contains("no answer"), "{unknown}");
    // Takes connections, and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let said = reason(&site, &format!("postgres://ada:s3cret@{address}/book"));
    assert!(said.contains(&format!("book on {address}: no answer within 5 s")), "{said}");
}

#[test]
fn a_refused_password_is_told_in_the_servers_words() {
    let site = Site::sqlite();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    std::thread::spawn(move || {
        while let Ok((client, _)) = server.accept() {
            let _ = refuse(client);
        }
    });
    let said = reason(&site, &format!("postgres://ada:s3cret@{address}/book"));
    assert!(said.contains("password authentication failed for user \"ada\""), "{said}");
}

/// PostgreSQL's answer to a wrong password, without TLS.
fn refuse(mut client: std::net::TcpStream) -> std::io::Result<()> {
    let mut buffer = [0; 1024];
    if client.read(&mut buffer)? == 8 {
        client.write_all(b"N")?;
        let _ = client.read(&mut buffer)?;
    }
    let fields = b"SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user \"ada\"\0\0";
    let length = u32::try_from(fields.len() + 4).unwrap();
    client.write_all(&[b"E", &length.to_be_bytes()[..], fields].concat())
}

#[tokio::test]
async fn an_unknown_database_is_named() {
    let name = "an_unknown_database_is_named";
    let Some(site) = Site::postgres(name).await else { return };
    let unknown = format!("{}_not", site.database);
    site.run(async move |site: Site| {
        let said = reason(&site, &unknown);
        assert!(said.contains("_not\" does not exist"), "{said}");
    })
    .await;
}

async fn commands_do_not_make_a_database_by_accident(site: Site) {
    let commands: [&[&str]; 6] = [
        &["token", "list"],
        &["token", "create", "--owner", "ada", "--role", "user"],
        &["negotiation", "list"],
        &["negotiation", "grants"],
        &["webhook", "list"],
        &["token", "revoke", "019ab3c4-0000-7000-8000-000000000000"],
    ];
    let expect_none = |site: &Site| {
        for arguments in commands {
            let error = failed(site.command(arguments));
            assert!(error.contains("no Wattbook database"), "{error}");
            assert!(error.contains("wattbook serve"), "{error}");
        }
    };
    expect_none(&site);
    if let Some(file) = site.database.strip_prefix("sqlite://") {
        assert!(!Path::new(file).exists());
        // Somebody else's file, as far as anybody can tell.
        std::fs::write(file, "").unwrap();
        expect_none(&site);
        assert_eq!(std::fs::metadata(file).unwrap().len(), 0);
        std::fs::remove_file(file).unwrap();
    }
    site.token("ada", "user");
    assert!(site.command(&["negotiation", "list"]).status().unwrap().success());
}

async fn secrets_that_a_command_does_not_need_may_be_missing(site: Site) {
    let settings = "\
        [[webhooks]]\nid = \"pager\"\nurl = \"https://pager.example/hook\"\n\
        secret = { environment = \"WATTBOOK_TEST_NO_SUCH_SECRET\" }\n\
        [[feeds]]\nid = \"meter\"\nquantity = \"price\"\nprovider = \"entsoe\"\n\
        zone = \"FR\"\ntoken = { file = \"/nowhere/at/all\" }\n\
        [negotiation]\nwebhook = { url = \"https://grid.example/\", secret = { file = \"/nowhere\" } }\n";
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = site.command(arguments);
        let output = command.args(["--config", "wattbook.toml"]).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let create = ["token", "create", "--create-database", "--owner", "ada", "--role", "user"];
    assert!(run(&create).starts_with("wattbook_"));
    assert!(run(&["token", "list"]).contains("ada"));
    run(&["negotiation", "list"]);
    let listed = run(&["webhook", "list"]);
    assert!(listed.contains("pager"), "{listed}");
    // Who sends says which are missing, as bad input.
    let mut serve = site.command(&["serve", "--listen", "127.0.0.1:0"]);
    serve.args(["--config", "wattbook.toml"]);
    let error = ended_with(2, serve);
    assert!(error.contains("/nowhere") && error.contains("NO_SUCH_SECRET"), "{error}");
    // Who asks sources wants theirs, and no webhook's.
    let mut check = site.command(&["feeds", "check"]);
    let output = check.args(["--config", "wattbook.toml"]).output().unwrap();
    let said = format!("{output:?}");
    assert!(said.contains("/nowhere/at/all") && !said.contains("NO_SUCH_SECRET"), "{said}");
}

/// A row of an earlier release is left to convert, and another process holds the book for longer than a
/// request of the service would wait, which is one second.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_opens_waits_for_a_process_that_converts() {
    let name = "who_opens_waits_for_a_process_that_converts";
    let Some(site) = Site::postgres(name).await else { return };
    site.run(async |site: Site| {
        site.token("ada", "user");
        let left = "INSERT INTO former_documents (kind, id, document)
            SELECT 'outlook', id, 'null' FROM api_tokens";
        site.execute(left).await;
        let mut holder = site.raw().await;
        let mut held = holder.begin().await.unwrap();
        held.execute("UPDATE book SET changes = changes").await.unwrap();
        let mut list = site.command(&["token", "list"]).spawn().unwrap();
        tokio::time::sleep(Duration::from_millis(2500)).await;
        assert!(list.try_wait().unwrap().is_none(), "it did not wait");
        held.commit().await.unwrap();
        assert!(list.wait().unwrap().success());
    })
    .await;
}
