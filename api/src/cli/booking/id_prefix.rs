//! What lists show, by the beginning of its id.

use std::fmt::Write;

use serde_json::Value;
use uuid::Uuid;

use super::answers::{Page, ReservationAnswer, local};
use super::read;
use super::server::Server;
use crate::cli::Failure;

/// How many of those that are meant are listed at the most.
const LISTED: usize = 10;

/// What is listed in the order of its ids.
pub struct Listed {
    /// What one of them is called.
    pub noun: &'static str,
    /// Where the service lists them.
    pub path: &'static str,
    /// The command that lists them.
    pub command: &'static str,
    /// Whether whole ids are looked up too; else they are believed.
    pub looks_up_whole: bool,
    /// One of them in a line, behind its id.
    pub line: fn(&Value) -> anyhow::Result<String>,
}

/// The reservations that who asks may see.
pub const RESERVATIONS: Listed = Listed {
    noun: "reservation",
    path: "reservations",
    command: "wattbook list",
    looks_up_whole: false,
    line: |answer| {
        let it: ReservationAnswer = read(answer)?;
        let start = it.chosen().map(|offer| format!(", {}", local(&offer.start)));
        Ok(format!("{} of {}{}", it.state, it.owner, start.unwrap_or_default()))
    },
};

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
            return Err("is no id, nor the beginning of one such as 019ab3c4".to_owned());
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

    fn begins(&self, it: &Value) -> bool {
        id_of(it).replace('-', "").starts_with(&self.digits)
    }

    /// The one of what is listed whose id begins so.
    ///
    /// # Errors
    /// Bad input where there is none, or where there are several, which are listed.
    pub async fn find(&self, server: &Server, listed: &Listed) -> Result<Uuid, Failure> {
        if self.digits.len() == 32 && !listed.looks_up_whole {
            return Ok(self.first());
        }
        // Ids are listed in their order, and the cursor is the one before.
        let before = Uuid::from_u128(self.first().as_u128().saturating_sub(1));
        let limit = (LISTED + 1).to_string();
        let query = [("cursor", before.to_string()), ("limit", limit)];
        let page: Page = server.get_with(listed.path, &query).await?;
        let meant: Vec<&Value> = page.items.iter().take_while(|it| self.begins(it)).collect();
        match meant.as_slice() {
            [] => Err(refused(format!(
                "there is no {} whose id begins with {}; {} shows those there are",
                listed.noun, self.digits, listed.command
            ))),
            [one] => Ok(id_of(one).parse()?),
            several => Err(refused(self.ambiguous(several, listed)?)),
        }
    }

    fn ambiguous(&self, several: &[&Value], listed: &Listed) -> anyhow::Result<String> {
        let (noun, digits) = (listed.noun, &self.digits);
        let mut told = format!("the ids of several {noun}s begin with {digits}; say more of it:");
        for it in several.iter().take(LISTED) {
            // Writing to a string cannot fail.
            let _ = write!(told, "\n  {}  {}", id_of(it), (listed.line)(it)?);
        }
        if several.len() > LISTED {
            told.push_str("\n  and more");
        }
        Ok(told)
    }
}

fn id_of(it: &Value) -> &str {
    it["id"].as_str().unwrap_or_default()
}

fn refused(error: String) -> Failure {
    Failure::BadInput(vec![error])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn beginnings_of_ids_are_read_with_and_without_hyphens() {
        let id = "019ab3c4-0f00-7abc-8def-0123456789ab";
        for text in [id, "019ab3c4", "019AB3C4-0f", "019ab3c40f007abc", "0"] {
            let prefix = IdPrefix::parse(text).unwrap();
            assert!(prefix.begins(&json!({ "id": id })), "{text}");
            assert!(prefix.first().to_string().as_str() <= id, "{text}");
        }
        assert_eq!(IdPrefix::parse(id).unwrap().first().to_string(), id);
        assert!(!IdPrefix::parse("019ab3c5").unwrap().begins(&json!({ "id": id })));
        for text in ["", "-", "A-", "lunch", &format!("{id}0")] {
            let read = IdPrefix::parse(text);
            assert!(read.is_err() || text == "A-", "{text}");
        }
    }
}
