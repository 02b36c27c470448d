//! Which URLs open which engine.

use storage::{Database, StorageError};

#[tokio::test]
async fn an_unknown_scheme_is_refused_with_the_two_known_ones() {
    let error = Database::connect("mysql://localhost/wattbook").await.unwrap_err();
    assert!(matches!(&error, StorageError::UnsupportedScheme { scheme } if scheme == "mysql"));
    assert!(error.to_string().contains("sqlite://") && error.to_string().contains("postgres://"));
}

#[tokio::test]
async fn a_database_in_memory_is_refused() {
    for url in ["sqlite::memory:", "sqlite://:memory:", "sqlite://x?mode=memory"] {
        let error = Database::connect(url).await.unwrap_err();
        assert!(matches!(error, StorageError::InMemory), "{url}: {error}");
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_created_is_named() {
    let error = Database::connect("sqlite:///nowhere/at/all/book.db").await.unwrap_err();
    assert!(error.to_string().contains("/nowhere/at/all/book.db"), "{error}");
}

#[tokio::test]
async fn credentials_are_not_in_the_error() {
    let url = "postgres://ada:secret@127.0.0.1:1/wattbook";
    let error = Database::connect(url).await.unwrap_err();
    assert!(matches!(error, StorageError::Connect { .. }));
    assert!(!format!("{error:?} {error}").contains("secret"));
}
