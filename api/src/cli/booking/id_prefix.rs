//! Reservations by the beginning of their id, as lists show it.

use std::fmt::Write;

use uuid::Uuid;

use super::answers::{Page, ReservationAnswer, local};
use super::read;
use super::server::Server;
use crate::cli::Failure;

/// How many of those that are meant are listed at the most.
const LISTED: usize = 10;

/// A whole id, or the beginning of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdPrefix {
    /// In hexadecimal digits without hyphens, in small letters.
    digits: String,
}

impl IdPrefix {
    /// Reads an argument.
    pub fn parse(text: &str) -> Result<Self, String> {
        let digits = text.trim().replace('-', "").to_ascii_lowercase();
        let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if digits.is_empty() || digits.len() > 32 || !hexadecimal {
            return Err(
                "is no reservation's id, nor the beginning of one such as 019ab3c4".to_owned()
            );
        }
        Ok(Self { digits })
    }

    /// The first id that begins so.
    fn first(&self) -> Uuid {
        // At most 32 hexadecimal digits, as they were read.
        Uuid::from_u128(
            u128::from_str_radix(&format!("{:0<32}", self.digits), 16).unwrap_or_default(),
        )
    }

    fn begins(&self, id: &str) -> bool {
        id.replace('-', "").starts_with(&self.digits)
    }

    /// The one reservation whose id begins so, of those that who asks may see.
    ///
    /// # Errors
    /// Bad input where there is none, or where there are several, which are listed.
    pub async fn find(&self, server: &Server) -> Result<Uuid, Failure> {
        if self.digits.len() == 32 {
            return Ok(self.first());
        }
        // Ids are listed in their order, and the cursor is the one before.
        let before = Uuid::from_u128(self.first().as_u128().saturating_sub(1));
        let limit = (LISTED + 1).to_string();
        let query = [("cursor", before.to_string()), ("limit", limit)];
        let page: Page = server.get_with("reservations", &query).await?;
        let all: Vec<ReservationAnswer> =
            page.items.iter().map(read::<ReservationAnswer>).collect::<Result<_, _>>()?;
        let meant: Vec<&ReservationAnswer> =
            all.iter().take_while(|it| self.begins(&it.id)).collect();
        match meant.as_slice() {
            [] => Err(refused(format!(
                "there is no reservation whose id begins with {}; wattbook list shows those there are",
                self.digits
            ))),
            [one] => Ok(one.id.parse()?),
            several => Err(refused(ambiguous(&self.digits, several))),
        }
    }
}

fn refused(error: String) -> Failure {
    Failure::BadInput(vec![error])
}

fn ambiguous(digits: &str, several: &[&ReservationAnswer]) -> String {
    let mut told = format!("the ids of several reservations begin with {digits}; say more of it:");
    for it in several.iter().take(LISTED) {
        let start = it.chosen().map(|offer| format!(", {}", local(&offer.start)));
        // Writing to a string cannot fail.
        let _ = write!(
            told,
            "\n  {}  {} of {}{}",
            it.id,
            it.state,
            it.owner,
            start.unwrap_or_default()
        );
    }
    if several.len() > LISTED {
        told.push_str("\n  and more");
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_of_ids_are_read_with_and_without_hyphens() {
        let id = "019ab3c4-0f00-7abc-8def-0123456789ab";
        for text in [id, "019ab3c4", "019AB3C4-0f", "019ab3c40f007abc", "0"] {
            let prefix = IdPrefix::parse(text).unwrap();
            assert!(prefix.begins(id), "{text}");
            assert!(prefix.first().to_string().as_str() <= id, "{text}");
        }
        assert_eq!(IdPrefix::parse(id).unwrap().first().to_string(), id);
        assert!(!IdPrefix::parse("019ab3c5").unwrap().begins(id));
        for text in ["", "-", "A-", "lunch", &format!("{id}0")] {
            let read = IdPrefix::parse(text);
            assert!(read.is_err() || text == "A-", "{text}");
        }
    }
}
