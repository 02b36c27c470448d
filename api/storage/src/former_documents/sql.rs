//! Documents of earlier releases that have yet to become columns.

use crate::statements::statements;

statements! {
    /// Whether documents of earlier releases have yet to become columns.
    ANY_FORMER_DOCUMENTS = "SELECT EXISTS (SELECT 1 FROM former_documents)";

    /// Documents of earlier releases that have yet to become columns.
    FORMER_DOCUMENTS = "SELECT kind, id, document FROM former_documents ORDER BY kind, id";

    /// All documents of earlier releases have become columns.
    FORGET_FORMER_DOCUMENTS = "DELETE FROM former_documents";
}
