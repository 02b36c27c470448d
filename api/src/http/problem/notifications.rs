//! Why somebody is not told as they want, as problems.

use super::Problem;
use crate::service::notifications::NotificationError;

impl From<NotificationError> for Problem {
    fn from(error: NotificationError) -> Self {
        match error {
            NotificationError::NoMail => {
                Self::conflict("no_mail", "This site sends no mails", &error)
            }
            NotificationError::SentJustNow(left) => {
                let left_s = u32::try_from(left.get()).unwrap_or(1);
                Self::too_many("code_sent", "A code was sent just now", &error, left_s)
            }
            NotificationError::WrongCode => {
                Self::conflict("wrong_code", "The code does not count", &error)
            }
            NotificationError::Fault(fault) => fault.into(),
        }
    }
}
