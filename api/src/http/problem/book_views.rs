//! Why a view of the book is not to be had, as problems.

use super::Problem;
use crate::service::book_views::BookViewError;

impl From<BookViewError> for Problem {
    fn from(error: BookViewError) -> Self {
        match error {
            BookViewError::NoSuchNodes { .. } => Self::contradicting(error.to_string()),
            BookViewError::NodesReplaced => Self::book_changed(&error),
            BookViewError::Fault(fault) => fault.into(),
        }
    }
}
