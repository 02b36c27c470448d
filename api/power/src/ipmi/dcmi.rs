//! Power limits by DCMI 1.5 (6.6.2 to 6.6.4), in bytes by `ipmi-raw`, which prints `HOST: rcvd: 03 00 DC ...`: the command,
//! its completion code, and what follows.

use std::collections::BTreeMap;
use std::path::Path;

use bmc::program::Output;
use grid_feeds::feed::excerpt;

use super::Ipmi;
use super::hosts::{by_host, runs};
use crate::by_node::{ByNode, all};
use crate::error::PowerError;
use crate::limit::{LimitReading, PowerLimit, of_watts};
use crate::lines::by_name;

const GET: u8 = 0x03;
const SET: u8 = 0x04;
const ACTIVATE: u8 = 0x05;

/// The group of commands that is DCMI's.
const DCMI: u8 = 0xDC;

/// Of `GET`: there is a limit, and it is not active.
const NOT_ACTIVE: u8 = 0x80;

/// What the controller does beside limiting once the limit is exceeded for too long: nothing. It could switch its node off.
const NO_EXCEPTION: u8 = 0x00;

/// Where the controller tells no correction time, ms, and no sampling period, s.
const CORRECTION_MS: u32 = 1000;
const SAMPLING_S: u16 = 1;

/// A limit as the controller has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Limit {
    is_active: bool,
    watts: u16,
    /// How long it may be exceeded before the exception action, ms.
    correction_ms: u32,
    /// Over which time it is measured, s.
    sampling_s: u16,
}

impl Ipmi {
    /// The power limits of nodes now.
    pub(crate) async fn limits(
        &self,
        nodes: &[String],
    ) -> ByNode<Result<LimitReading, PowerError>> {
        let Some(program) = &self.settings.raw_program else { return all(nodes, &no_limits()) };
        let mut answers = ByNode::new();
        let hosts = by_host(&self.settings.addresses, nodes, &mut answers);
        let read = self.read_limits(program, hosts.keys().map(String::as_str)).await;
        let reading = |limit: Limit| match limit {
            Limit { is_active: true, watts, .. } => LimitReading::Limited(of_watts(watts.into())),
            Limit { is_active: false, .. } => LimitReading::Unlimited,
        };
        let told =
            read.into_iter().map(|(host, limit)| (hosts[host].to_owned(), limit.map(reading)));
        answers.extend(told);
        answers
    }

    /// Sets or lifts a power limit: what the controller has is read, changed in its watts, and made active.
    pub(crate) async fn set_limit(
        &self,
        limit: PowerLimit,
        nodes: &[String],
    ) -> ByNode<Result<(), PowerError>> {
        let Some(program) = &self.settings.raw_program else { return all(nodes, &no_limits()) };
        let watts = match limit {
            PowerLimit::Unlimited => None,
            PowerLimit::Watts(watts) => match u16::try_from(watts) {
                Ok(watts) => Some(watts),
                Err(_) => return all(nodes, &Err(too_large(watts))),
            },
        };
        let mut answers = ByNode::new();
        let hosts = by_host(&self.settings.addresses, nodes, &mut answers);
        let all: Vec<&str> = hosts.keys().map(String::as_str).collect();
        let mut told: BTreeMap<&str, Result<(), PowerError>> = BTreeMap::new();
        let ready = match watts {
            None => all,
            Some(watts) => self.write_limits(program, all, watts, &mut told).await,
        };
        let activated = [ACTIVATE, DCMI, u8::from(watts.is_some()), 0, 0];
        for run in runs(ready.into_iter()) {
            let answered = self.ask_raw(program, &run, &activated).await;
            told.extend(
                answered.into_iter().map(|(host, data)| (host, data.and_then(|it| done(&it)))),
            );
        }
        answers.extend(told.into_iter().map(|(host, told)| (hosts[host].to_owned(), told)));
        answers
    }

    /// Writes watts into the limits of hosts; those where it succeeded, the others are in `told`.
    async fn write_limits<'h>(
        &self,
        program: &Path,
        hosts: Vec<&'h str>,
        watts: u16,
        told: &mut BTreeMap<&'h str, Result<(), PowerError>>,
    ) -> Vec<&'h str> {
        // Those that keep the same times are written in one run.
        let mut alike: BTreeMap<Vec<u8>, Vec<&str>> = BTreeMap::new();
        for (host, limit) in self.read_limits(program, hosts.into_iter()).await {
            match limit {
                Ok(limit) => alike.entry(set(limit, watts)).or_default().push(host),
                Err(error) => _ = told.insert(host, Err(error)),
            }
        }
        let mut ready = Vec::new();
        for (bytes, hosts) in alike {
            for run in runs(hosts.into_iter()) {
                for (host, data) in self.ask_raw(program, &run, &bytes).await {
                    match data.and_then(|it| done(&it)) {
                        Ok(()) => ready.push(host),
                        Err(error) => _ = told.insert(host, Err(error)),
                    }
                }
            }
        }
        ready
    }

    async fn read_limits<'h>(
        &self,
        program: &Path,
        hosts: impl Iterator<Item = &'h str>,
    ) -> Vec<(&'h str, Result<Limit, PowerError>)> {
        let mut limits = Vec::new();
        for run in runs(hosts) {
            let told = self.ask_raw(program, &run, &[GET, DCMI, 0, 0]).await;
            limits.extend(
                told.into_iter().map(|(host, data)| (host, data.and_then(|it| limit(&it)))),
            );
        }
        limits
    }

    /// What hosts answer to a command: its completion code and what follows.
    async fn ask_raw<'h>(
        &self,
        program: &Path,
        hosts: &[&'h str],
        bytes: &[u8],
    ) -> Vec<(&'h str, Result<Vec<u8>, PowerError>)> {
        // The logical unit, and DCMI's network function.
        let bytes = [&[0x00, 0x2C], bytes].concat();
        let words: Vec<String> = bytes.iter().map(|byte| format!("0x{byte:02x}")).collect();
        match self.run(program, &[], hosts, &words).await {
            Ok(output) => {
                let answer = |host: &&'h str| (*host, self.data(host, bytes[2], &output));
                hosts.iter().map(answer).collect()
            }
            Err(error) => hosts.iter().map(|host| (*host, Err(error.clone()))).collect(),
        }
    }

    /// What a host answered to `command`.
    fn data(&self, host: &str, command: u8, output: &Output) -> Result<Vec<u8>, PowerError> {
        if let Some(words) = by_name(&output.printed).get(host) {
            let words = words.clone()?;
            let unreadable = || PowerError::Unreadable(format!("{:?}", excerpt(words)));
            let data = bytes(words).ok_or_else(unreadable)?;
            return match data.split_first() {
                Some((first, rest)) if *first == command && !rest.is_empty() => Ok(rest.to_vec()),
                _ => Err(unreadable()),
            };
        }
        match by_name(&output.complaints).get(host) {
            Some(words) => Err(complaint(words.clone()?)),
            None => Err(self.silence(output)),
        }
    }
}

/// The bytes of `rcvd: 03 00 DC`.
fn bytes(words: &str) -> Option<Vec<u8>> {
    let byte = |word| u8::from_str_radix(word, 16).ok();
    words.strip_prefix("rcvd: ")?.split_whitespace().map(byte).collect()
}

/// The limit in an answer to `GET`.
fn limit(data: &[u8]) -> Result<Limit, PowerError> {
    let nothing =
        Limit { is_active: false, watts: 0, correction_ms: CORRECTION_MS, sampling_s: SAMPLING_S };
    match data {
        [0x00 | NOT_ACTIVE, DCMI, _, _, _, w0, w1, c0, c1, c2, c3, _, _, s0, s1, ..] => Ok(Limit {
            is_active: data[0] == 0x00,
            watts: u16::from_le_bytes([*w0, *w1]),
            correction_ms: u32::from_le_bytes([*c0, *c1, *c2, *c3]),
            sampling_s: u16::from_le_bytes([*s0, *s1]),
        }),
        // Some tell nothing more of a limit that is not active.
        [NOT_ACTIVE, ..] => Ok(nothing),
        [0x00, ..] => Err(PowerError::Unreadable(format!("{} bytes are no limit", data.len()))),
        [code, ..] => Err(refusal(*code)),
        [] => Err(PowerError::Unreadable("no bytes".to_owned())),
    }
}

/// The bytes that write watts into a limit.
fn set(limit: Limit, watts: u16) -> Vec<u8> {
    let mut bytes = vec![SET, DCMI, 0, 0, 0, NO_EXCEPTION];
    bytes.extend(watts.to_le_bytes());
    bytes.extend(limit.correction_ms.to_le_bytes());
    bytes.extend([0, 0]);
    bytes.extend(limit.sampling_s.to_le_bytes());
    bytes
}

/// Way in for the fuzzer: whether the words that a program prints of a host tell a limit.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_limit(words: &str) -> bool {
    bytes(words).is_some_and(|data| {
        let _ = done(&data);
        data.get(1..).is_some_and(|rest| limit(rest).map(|limit| set(limit, limit.watts)).is_ok())
    })
}

fn done(data: &[u8]) -> Result<(), PowerError> {
    match data.first() {
        Some(0x00) => Ok(()),
        Some(code) => Err(refusal(*code)),
        None => Err(PowerError::Unreadable("no bytes".to_owned())),
    }
}

/// What a completion code says (IPMI 2.0, 5.2; DCMI 1.5, 6.6.3).
fn refusal(code: u8) -> PowerError {
    let words = |text: &str| format!("{text} (completion code {code:02X}h)");
    match code {
        0x84 => PowerError::Refused(words("the limit is out of its range")),
        0x85 => PowerError::Refused(words("its correction time is out of range")),
        0x89 => PowerError::Refused(words("its sampling period is out of range")),
        0xC0 | 0xC3 | 0xCE | 0xD2 => PowerError::Unreachable(words("the controller is busy")),
        0xC1 => PowerError::Unsupported(words("the controller has no power limits by DCMI")),
        0xD4 => PowerError::Denied(words("the user lacks the privilege")),
        _ => PowerError::Refused(words("the controller says no")),
    }
}

/// What `ipmi-raw` complains of a host: its own path, a colon, and the words.
fn complaint(words: &str) -> PowerError {
    let said = excerpt(words.rsplit(": ").next().unwrap_or(words));
    if said.contains("password invalid")
        || said.contains("username invalid")
        || said.contains("privilege")
    {
        PowerError::Denied(said)
    } else if said.contains("invalid hostname") {
        PowerError::Configuration(said)
    } else {
        PowerError::Unreachable(said)
    }
}

fn no_limits<T>() -> Result<T, PowerError> {
    let because = "the settings name no ipmi-raw, by which power limits are read and set";
    Err(PowerError::Unsupported(because.to_owned()))
}

/// Large limits would wrap: the field has 16 bits.
fn too_large(watts: u32) -> PowerError {
    PowerError::Refused(format!("{watts} W: DCMI's limits end at {} W", u16::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `ipmi-raw` 1.6.10 printed it: 400 W, 1000 ms, 1 s, switched off at the limit.
    #[test]
    fn a_limit_that_is_not_active_is_none_and_keeps_its_times() {
        let data = bytes("rcvd: 03 80 DC 00 00 01 90 01 E8 03 00 00 00 00 01 00").unwrap();
        let read = limit(&data[1..]).unwrap();
        let expected = Limit { is_active: false, watts: 400, correction_ms: 1000, sampling_s: 1 };
        assert_eq!(read, expected);
        // 350 = 15Eh, and nothing is switched off.
        let written = [0x04, 0xDC, 0, 0, 0, 0x00, 0x5E, 0x01, 0xE8, 0x03, 0, 0, 0, 0, 0x01, 0x00];
        assert_eq!(set(read, 350), written);
        assert!(!limit(&[0x80, 0xDC]).unwrap().is_active);
    }

    #[test]
    fn what_is_no_limit_is_an_error_that_says_what_helps() {
        assert_eq!(bytes("rcvd: 03 0G"), None);
        assert_eq!(bytes("03 00"), None);
        assert!(matches!(limit(&[0x00, 0xDC, 0]), Err(PowerError::Unreadable(_))));
        assert!(matches!(limit(&[0xC1]), Err(PowerError::Unsupported(_))));
        assert!(matches!(limit(&[0xD4]), Err(PowerError::Denied(_))));
        assert!(matches!(limit(&[0xC0]), Err(PowerError::Unreachable(_))));
        assert!(matches!(done(&[0x84]), Err(PowerError::Refused(_))));
        assert_eq!(done(&[0x00, 0xDC]), Ok(()));
    }
}
