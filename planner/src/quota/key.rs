//! Whom a quota is about, and who counts against it.

use std::fmt;

/// One part of a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QuotaPart {
    /// `*`: all together.
    All,
    /// `/`: each by itself.
    Each,
    /// This one.
    Named(Box<str>),
}

/// Whom a quota is about: OAR's `queue,project,job_type,user`, where a queue is a partition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QuotaKey {
    /// The partition that is asked for.
    pub partition: QuotaPart,
    /// The project.
    pub project: QuotaPart,
    /// The label `job_type`; never [`QuotaPart::Each`].
    pub job_type: QuotaPart,
    /// Whose it is.
    pub user: QuotaPart,
}

/// Whose a reservation is, as quotas see it; a part that nobody named is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuotaSubject {
    /// The partition that the request asks for.
    pub partition: Box<str>,
    /// The project.
    pub project: Box<str>,
    /// The label `job_type`.
    pub job_type: Box<str>,
    /// The user.
    pub user: Box<str>,
}

impl QuotaPart {
    /// Reads a part: `*`, `/` or a name.
    pub fn of(text: &str) -> Self {
        match text {
            "*" => Self::All,
            "/" => Self::Each,
            name => Self::Named(name.into()),
        }
    }

    fn matches(&self, one: &str) -> bool {
        match self {
            Self::All | Self::Each => true,
            Self::Named(name) => **name == *one,
        }
    }

    /// Whether `other` counts where `one` asks.
    fn counts(&self, one: &str, other: &str) -> bool {
        match self {
            Self::All => true,
            Self::Each => one == other,
            Self::Named(name) => **name == *other,
        }
    }

    const fn rank(&self) -> u8 {
        match self {
            Self::All => 0,
            Self::Each => 1,
            Self::Named(_) => 2,
        }
    }
}

impl QuotaKey {
    /// The key that concerns everybody, all together.
    pub const EVERYBODY: Self = Self {
        partition: QuotaPart::All,
        project: QuotaPart::All,
        job_type: QuotaPart::All,
        user: QuotaPart::All,
    };

    /// Reads `queue,project,job_type,user`.
    ///
    /// # Errors
    /// Not four parts, an empty part, or `/` as the job type; in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let &[partition, project, job_type, user] = parts.as_slice() else {
            return Err(format!(
                "the key {text:?} must have four parts, queue,project,job_type,user, and has {}",
                parts.len()
            ));
        };
        Self::of(partition, project, job_type, user)
    }

    /// A key of these parts.
    ///
    /// # Errors
    /// An empty part, or `/` as the job type; in words.
    pub fn of(partition: &str, project: &str, job_type: &str, user: &str) -> Result<Self, String> {
        if [partition, project, job_type, user].contains(&"") {
            return Err("a part of the key is empty; write * for all".to_owned());
        }
        if job_type == "/" {
            return Err("the job type must be * or a name, and is /".to_owned());
        }
        Ok(Self {
            partition: QuotaPart::of(partition),
            project: QuotaPart::of(project),
            job_type: QuotaPart::of(job_type),
            user: QuotaPart::of(user),
        })
    }

    /// Whether the quota concerns a subject. Who asks for no partition is concerned by `*` alone.
    pub fn concerns(&self, subject: &QuotaSubject) -> bool {
        let no_partition = subject.partition.is_empty() && self.partition != QuotaPart::All;
        !no_partition
            && self.partition.matches(&subject.partition)
            && self.project.matches(&subject.project)
            && self.job_type.matches(&subject.job_type)
            && self.user.matches(&subject.user)
    }

    /// Whether what `other` holds counts against the quota where `subject` asks.
    pub fn counts(&self, subject: &QuotaSubject, other: &QuotaSubject) -> bool {
        self.partition.counts(&subject.partition, &other.partition)
            && self.project.counts(&subject.project, &other.project)
            && self.job_type.counts(&subject.job_type, &other.job_type)
            && self.user.counts(&subject.user, &other.user)
    }

    /// The higher, the more specific: part by part in the order of the key a name goes before `/`, and `/` before `*`.
    pub const fn specificity(&self) -> [u8; 4] {
        [self.partition.rank(), self.project.rank(), self.job_type.rank(), self.user.rank()]
    }

    /// This key where `/` stands for the subject's: a count of its own.
    #[must_use]
    pub fn resolved(&self, subject: &QuotaSubject) -> Self {
        let part = |part: &QuotaPart, of: &str| match part {
            QuotaPart::Each => QuotaPart::Named(of.into()),
            other => other.clone(),
        };
        Self {
            partition: part(&self.partition, &subject.partition),
            project: part(&self.project, &subject.project),
            job_type: self.job_type.clone(),
            user: part(&self.user, &subject.user),
        }
    }
}

impl fmt::Display for QuotaPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("*"),
            Self::Each => f.write_str("/"),
            Self::Named(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for QuotaKey {
    /// As in OAR's file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { partition, project, job_type, user } = self;
        write!(f, "{partition},{project},{job_type},{user}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(partition: &str, project: &str, job_type: &str, user: &str) -> QuotaSubject {
        QuotaSubject {
            partition: partition.into(),
            project: project.into(),
            job_type: job_type.into(),
            user: user.into(),
        }
    }

    #[test]
    fn a_key_is_read_and_written() {
        let key = QuotaKey::parse("gpu,/,*,ada").unwrap();
        assert_eq!(key.to_string(), "gpu,/,*,ada");
        assert!(QuotaKey::parse("*,*,*").unwrap_err().contains("four parts"));
        assert!(QuotaKey::parse("*,*,/,*").unwrap_err().contains("job type"));
        assert!(QuotaKey::parse("*,,*,*").unwrap_err().contains("empty"));
    }

    #[test]
    fn each_counts_by_itself_and_all_together() {
        let (ada, bob) = (subject("", "ocean", "", "ada"), subject("", "ocean", "", "bob"));
        let counts = |key: &str| QuotaKey::parse(key).unwrap().counts(&ada, &bob);
        assert!(counts("*,*,*,*") && counts("*,/,*,*") && counts("*,ocean,*,*"));
        assert!(!counts("*,*,*,/") && !counts("*,*,*,ada") && counts("*,*,*,bob"));
    }

    #[test]
    fn who_names_no_partition_is_concerned_by_quotas_of_all_partitions_alone() {
        let key = |key: &str| QuotaKey::parse(key).unwrap();
        let (nowhere, gpu) = (subject("", "", "", "ada"), subject("gpu", "", "", "ada"));
        assert!(!key("/,*,*,*").concerns(&nowhere) && key("/,*,*,*").concerns(&gpu));
        assert!(!key("gpu,*,*,*").concerns(&nowhere) && key("gpu,*,*,*").concerns(&gpu));
        assert!(key("*,/,*,/").concerns(&nowhere));
        assert!(!key("*,*,besteffort,*").concerns(&nowhere));
    }
}
