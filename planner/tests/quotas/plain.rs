//! Quotas counted second by second, as their definition has it and without any of the planner's ways.

use planner::quota::{
    AcrossRules, QuotaAdjustment, QuotaHolding, QuotaLimit, QuotaMeasure, QuotaPart, QuotaRule,
    QuotaSubject, Quotas,
};

use crate::at;

/// Nothing is held after this second.
pub(crate) const END: i64 = 200;

/// A day from second 0, whose rules change at some of its seconds.
pub(crate) struct Plain<'a> {
    pub quotas: &'a Quotas,
    /// The place of the rules at each second.
    pub in_force: &'a dyn Fn(i64) -> Option<usize>,
    pub subject: &'a QuotaSubject,
    pub held: &'a [QuotaHolding],
    pub all_nodes: u32,
}

impl Plain<'_> {
    /// Which starts from 0 to a last one keep all quotas.
    pub fn fits(&self, nodes: u32, last: i64, duration: i64) -> Vec<bool> {
        let said: Vec<[Option<&QuotaRule>; 3]> =
            (0..END).map(|second| QuotaMeasure::OF_NODES.map(|it| self.said(second, it))).collect();
        (0..=last).map(|start| self.fits_at(nodes, start, duration, &said)).collect()
    }

    fn fits_at(
        &self,
        nodes: u32,
        start: i64,
        duration: i64,
        said: &[[Option<&QuotaRule>; 3]],
    ) -> bool {
        let seconds: Vec<i64> = (start..start + duration).collect();
        let same_calendar = |one: &i64, next: &i64| (self.in_force)(*one) == (self.in_force)(*next);
        if self.quotas.across == AcrossRules::Refuse && seconds.chunk_by(same_calendar).count() > 1
        {
            return false;
        }
        QuotaMeasure::OF_NODES.into_iter().enumerate().all(|(place, measure)| {
            let rule = |second: i64| said[usize::try_from(second).unwrap()][place];
            let name = |second: i64| rule(second).map(|it| (&it.key, it.adjustment));
            let same =
                |one: &i64, next: &i64| same_calendar(one, next) && name(*one) == name(*next);
            seconds.chunk_by(same).all(|run| {
                rule(run[0]).is_none_or(|rule| self.run_fits((rule, measure), nodes, run, &seconds))
            })
        })
    }

    /// Whether a run of seconds in which a rule says keeps its limit.
    fn run_fits(
        &self,
        (rule, measure): (&QuotaRule, QuotaMeasure),
        nodes: u32,
        run: &[i64],
        seconds: &[i64],
    ) -> bool {
        let nodes = i128::from(nodes);
        let limit = rule.limit(measure).unwrap_or(QuotaLimit::Unlimited);
        let Some(most) = limit.of(measure, self.all_nodes) else { return true };
        let at = |second: &i64| self.at(rule, *second, measure);
        match (measure, rule.per) {
            (QuotaMeasure::Nodes, _) => run.iter().all(|it| at(it) + nodes <= most),
            (QuotaMeasure::Reservations, _) => run.iter().all(|it| at(it) < most),
            (QuotaMeasure::NodeHours, None) => {
                self.held_seconds(rule, run) + nodes * run.len() as i128 <= most
            }
            // The one day has all that there is.
            (_, _) => {
                let day: Vec<i64> = (0..END).collect();
                self.held_seconds(rule, &day) + nodes * seconds.len() as i128 <= most
            }
        }
    }

    /// What says of a measure at a second: an adjustment, of those with one key the newest, or the calendar's rules.
    fn said(&self, second: i64, measure: QuotaMeasure) -> Option<&QuotaRule> {
        let there = self.quotas.adjustments.iter().filter(|it| it.is_in_force(at(second)));
        let newest: Vec<&QuotaRule> = there.rev().map(QuotaAdjustment::rule).collect();
        let calendar = || {
            let rules = &self.quotas.sets[(self.in_force)(second)?].rules;
            self.rule(&rules.iter().collect::<Vec<&QuotaRule>>(), measure)
        };
        self.rule(&newest, measure).or_else(calendar)
    }

    /// The most that any alternative of each reservation takes of these seconds.
    fn held_seconds(&self, rule: &QuotaRule, seconds: &[i64]) -> i128 {
        let of = |it: &&QuotaHolding| {
            let each = it.alternatives.iter().map(|(span, nodes)| {
                let inside = seconds.iter().filter(|second| {
                    span.start().as_unix_seconds() <= **second
                        && **second < span.end().as_unix_seconds()
                });
                inside.count() as i128 * i128::from(*nodes)
            });
            each.max().unwrap_or(0)
        };
        self.counted(rule).iter().map(of).sum()
    }

    /// Nodes or reservations at a second.
    fn at(&self, rule: &QuotaRule, second: i64, measure: QuotaMeasure) -> i128 {
        let of = |it: &&QuotaHolding| {
            let there = it.alternatives.iter().filter(|(span, _)| {
                span.start().as_unix_seconds() <= second && second < span.end().as_unix_seconds()
            });
            let most = there.map(|(_, nodes)| i128::from(*nodes)).max();
            match measure {
                QuotaMeasure::Reservations => i128::from(most.is_some()),
                _ => most.unwrap_or(0),
            }
        };
        self.counted(rule).iter().map(of).sum()
    }

    fn counted(&self, rule: &QuotaRule) -> Vec<&QuotaHolding> {
        let same = |part: &QuotaPart, mine: &str, theirs: &str| match part {
            QuotaPart::All => true,
            QuotaPart::Each => mine == theirs,
            QuotaPart::Named(name) => **name == *theirs,
        };
        let counts = |it: &&QuotaHolding| {
            let (mine, theirs, key) = (self.subject, &it.subject, &rule.key);
            same(&key.partition, &mine.partition, &theirs.partition)
                && same(&key.project, &mine.project, &theirs.project)
                && same(&key.job_type, &mine.job_type, &theirs.job_type)
                && same(&key.user, &mine.user, &theirs.user)
        };
        self.held.iter().filter(counts).collect()
    }

    /// The rule that says: tried from the most to the least specific spelling of the key.
    fn rule<'b>(&self, rules: &[&'b QuotaRule], measure: QuotaMeasure) -> Option<&'b QuotaRule> {
        let QuotaSubject { partition, project, job_type, user } = self.subject;
        let spellings = |name: &str, each: bool| -> Vec<String> {
            let mut all = vec![name.to_owned()];
            all.extend(each.then(|| "/".to_owned()));
            all.push("*".to_owned());
            all.retain(|it| !it.is_empty());
            all
        };
        for partition in spellings(partition, !partition.is_empty()) {
            for project in spellings(project, true) {
                for job_type in spellings(job_type, false) {
                    for user in spellings(user, true) {
                        let key = format!("{partition},{project},{job_type},{user}");
                        let said = rules.iter().find(|rule| {
                            rule.key.to_string() == key && rule.limit(measure).is_some()
                        });
                        if said.is_some() {
                            return said.copied();
                        }
                    }
                }
            }
        }
        None
    }
}
