//! Measurements: written a batch at a time, beside the book.

use std::collections::{BTreeMap, BTreeSet};

use planner::metering::packed::{DAY_MS, SAMPLES_MS};
use planner::metering::{Meter, QuarterHour, Sample, SampleTime, ValueKind};
use planner::time::{Seconds, Span, Timestamp};
use sqlx::QueryBuilder;

use super::sql;
use crate::changed_hours::repository::{ChangedHours, hour_s};
use crate::database::repository;
use crate::engine::blocking::blocking;
use crate::engine::connections::Connection;
use crate::engine::dialect::Dialect;
use crate::engine::rows::{BytesRow, NumbersRow, TextsRow};
use crate::error::StorageError;
use crate::measurements::row::{MeasuredSeries, read_newest, read_samples};
use crate::measurements::update::{
    PartMerged, PartUpdate, SeriesUpdate, blocks_before, changed_quarters,
};
use crate::measurements::{MeasuredQuarters, NewSamples, NewestSample, SampleFates};

/// Rows that one statement writes, or names that it looks for.
const ROWS: usize = 1024;

/// Series whose blocks are at hand at once: so many fit in SQLite's cache of pages, and in little memory.
const SERIES: usize = 2048;

/// Newest samples that are read at once.
const NEWEST: i64 = 4096;

/// Blocks of quarter-hours that are read at once.
const PAGE: i64 = 16_384;

pub(crate) const DAY_S: i64 = DAY_MS / 1000;
pub(crate) const SAMPLES_S: i64 = SAMPLES_MS / 1000;

repository!(
    /// What meters measured.
    impl Database for Measurements {
        /// Keeps new samples of a meter, and what follows from them for quarter-hours, all of them or none. They were
        /// judged one by one before.
        ///
        /// # Errors
        /// Storage failed, or what is kept cannot be read.
        pub async fn keep_samples(
            &self,
            meter: &Meter,
            new: Vec<NewSamples>,
        ) -> Result<SampleFates, StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            // Whoever is first lets the others wait, so that what is read is what is changed.
            sqlx::query(sql::COUNT_MEASUREMENT_WRITE).execute(&mut *transaction).await?;
            if let Some(statement) = Engine::LONG_PAUSE {
                Engine::run(&mut transaction, statement).await?;
            }
            let mut kept = SampleFates { fates: vec![Vec::new(); new.len()], resets: 0 };
            let mut series = Self::series_of(&mut transaction, meter, new).await?;
            // In the order of the tables' keys, so that each page of them is written once.
            series.sort_unstable_by_key(|it| it.id);
            let (mut series, mut hours) = (series.into_iter(), BTreeSet::new());
            loop {
                let part: Vec<SeriesUpdate> = series.by_ref().take(SERIES).collect();
                if part.is_empty() {
                    break;
                }
                let part = PartUpdate::new(meter.clone(), part);
                let merged = Self::keep_part(&mut transaction, part, &mut hours).await?;
                kept.resets += merged.resets;
                for (position, fates) in merged.fates {
                    kept.fates[position] = fates;
                }
            }
            ChangedHours::<Engine>::note(&mut transaction, hours).await?;
            transaction.commit().await?;
            Ok(kept)
        }

        /// What meters measured in the quarter-hours of a span, whatever they measure; of one node, rack or site where
        /// that is named. All of a site for a long time is large: ask day by day.
        ///
        /// # Errors
        /// Storage failed, or what is kept cannot be read.
        pub async fn measured_quarters(
            &self,
            span: Span,
            node: Option<&str>,
        ) -> Result<Vec<MeasuredQuarters>, StorageError> {
            let start_s = span.start().as_unix_seconds().div_euclid(DAY_S) * DAY_S;
            let days = (start_s..span.end().as_unix_seconds()).step_by(86_400);
            let last = QuarterHour::of(span.end() - Seconds::ONE);
            let mut found = MeasuredSeries::of(QuarterHour::of(span.start())..=last);
            let mut transaction = self.begin_read().await?;
            if let Some(node) = node {
                let query = sqlx::query_scalar(sql::SERIES_OF_NODE).bind(node);
                let series: Vec<i64> = query.fetch_all(&mut *transaction).await?;
                let mut query = QueryBuilder::<Engine>::new(sql::MEASURED_WHERE);
                Engine::push_numbers(&mut query, days.collect());
                query.push(sql::OF_THESE_SERIES);
                Engine::push_numbers(&mut query, series);
                let rows = query.build_query_as().fetch_all(&mut *transaction).await?;
                found = blocking(move || found.with(rows)).await?;
            } else {
                // Of all of a site no more is at hand than a page, beside what was found.
                for day_s in days {
                    let mut above = Some(0);
                    while let Some(last) = above {
                        let series = Self::series_of_day(&mut transaction, day_s, last).await?;
                        above = series.iter().map(|row| row.0).max();
                        let ids: Vec<i64> = series.iter().map(|row| row.0).collect();
                        let select = sql::QUARTERS_WHERE;
                        let blocks = Self::blocks(&mut transaction, select, day_s, &ids).await?;
                        found = blocking(move || found.with_blocks(day_s, series, blocks)).await?;
                    }
                }
            }
            transaction.commit().await?;
            Ok(found.found())
        }

        /// When the newest sample of each meter was measured, as milliseconds since 1970.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn newest_sample_times(&self) -> Result<Vec<(String, i64)>, StorageError> {
            Ok(sqlx::query_as(sql::NEWEST_SAMPLE_TIMES).fetch_all(&self.reader).await?)
        }

        /// The newest sample of each series that is no older than `since`, by the age of series.
        ///
        /// # Errors
        /// Storage failed, or what is kept cannot be read.
        pub async fn newest_samples(
            &self,
            since: Timestamp,
        ) -> Result<Vec<NewestSample>, StorageError> {
            let since_ms = SampleTime::of(since).as_unix_milliseconds();
            let mut newest: BTreeMap<i64, NewestSample> = BTreeMap::new();
            let mut wanted: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
            let (mut connection, mut above) = (self.reader.acquire().await?, Some(0));
            while let Some(last) = above {
                let rows = Self::newest_above(&mut connection, last, since_ms).await?;
                above = rows.iter().map(|row| row.0).max();
                for row in rows {
                    let it = read_newest(&row)?;
                    if it.values != ValueKind::Gauge {
                        for start_s in blocks_before(it.sample) {
                            wanted.entry(start_s).or_default().push(row.0);
                        }
                    }
                    newest.insert(row.0, it);
                }
            }
            for (start_s, series) in wanted {
                let blocks = Self::blocks(&mut connection, sql::SAMPLES_WHERE, start_s, &series);
                let blocks = blocks.await?;
                newest = blocking(move || with_before(newest, start_s, &blocks)).await?;
            }
            Ok(newest.into_values().collect())
        }

        /// From when on samples are kept: what came before is known by quarter-hours alone, which cannot change any
        /// more.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn samples_kept_from(&self) -> Result<Timestamp, StorageError> {
            let from_s: i64 = sqlx::query_scalar(sql::SAMPLES_FROM).fetch_one(&self.reader).await?;
            // A sample is bridged to those of the block before its own.
            let first_s = if from_s == 0 { 0 } else { from_s + SAMPLES_S };
            Ok(Timestamp::from_unix_seconds(first_s))
        }

        /// Forgets the oldest blocks of samples that end before `samples_from`, and the oldest of quarter-hours that
        /// end before `quarters_from`: one start of each, so that others wait for no longer than that. How many,
        /// `None` once there are none.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn thin_measurements(
            &self,
            samples_from: Timestamp,
            quarters_from: Timestamp,
        ) -> Result<Option<u64>, StorageError> {
            let (mut transaction, mut blocks) = (self.begin_beside_the_book().await?, 0);
            let before = |from: Timestamp, length_s| from.as_unix_seconds() - length_s + 1;
            let oldest: Option<i64> = sqlx::query_scalar(sql::OLDEST_SAMPLES)
                .bind(before(samples_from, SAMPLES_S))
                .fetch_one(&mut *transaction)
                .await?;
            if let Some(start_s) = oldest {
                let moved = sqlx::query(sql::MOVE_SAMPLES_FROM).bind(start_s + SAMPLES_S);
                moved.execute(&mut *transaction).await?;
                let deleted = sqlx::query(sql::DELETE_SAMPLES).bind(start_s);
                blocks += deleted.execute(&mut *transaction).await?.rows_affected();
            }
            let oldest_day: Option<i64> = sqlx::query_scalar(sql::OLDEST_QUARTERS)
                .bind(before(quarters_from, DAY_S))
                .fetch_one(&mut *transaction)
                .await?;
            if let Some(start_s) = oldest_day {
                let deleted = sqlx::query(sql::DELETE_QUARTERS).bind(start_s);
                blocks += deleted.execute(&mut *transaction).await?.rows_affected();
            }
            transaction.commit().await?;
            Ok(Some(blocks).filter(|count| *count > 0))
        }
    }

    /// Parts of transactions.
    impl Measurements {
        /// The next series above an id that have quarter-hours in a block that starts at an instant.
        async fn series_of_day(
            connection: &mut Connection<Engine>,
            start_s: i64,
            above: i64,
        ) -> Result<Vec<TextsRow>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new(sql::SERIES_OF_DAY);
            query.push_bind(start_s).push(sql::ABOVE).push_bind(above);
            query.push(sql::SERIES_PAGE).push_bind(PAGE);
            Ok(Engine::fetch_texts(connection, query).await?)
        }

        /// The newest samples of the next series above an id that are no older than an instant.
        async fn newest_above(
            connection: &mut Connection<Engine>,
            id: i64,
            since_ms: i64,
        ) -> Result<Vec<TextsRow>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new(sql::NEWEST_ABOVE);
            query.push_bind(id).push(sql::NEWEST_SINCE).push_bind(since_ms);
            query.push(sql::NEWEST_PAGE).push_bind(NEWEST);
            Ok(Engine::fetch_texts(connection, query).await?)
        }

        /// Keeps a part of a batch, and what follows from it for quarter-hours; in which hours these lie is noted. What
        /// is written is no part of the answer any more.
        async fn keep_part(
            connection: &mut Connection<Engine>,
            mut part: PartUpdate,
            hours: &mut BTreeSet<i64>,
        ) -> Result<PartMerged, StorageError> {
            for (start_s, series) in part.wanted() {
                let kept = Self::blocks(connection, sql::SAMPLES_WHERE, start_s, &series).await?;
                part.put_blocks(start_s, kept);
            }
            // Many samples take a while.
            let mut merged = blocking(move || part.merged()).await?;
            for (start_s, blocks) in std::mem::take(&mut merged.samples) {
                let (insert, end) = (sql::SAMPLES_BULK, sql::SAMPLES_BULK_END);
                Self::write_blocks(connection, (insert, end), start_s, blocks).await?;
            }
            for (day_s, changes) in std::mem::take(&mut merged.changes) {
                let quarters = changes.iter().flat_map(|(_, of_series)| of_series);
                hours.extend(quarters.map(|(quarter, _)| hour_s(quarter.start())));
                let series: Vec<i64> = changes.iter().map(|(id, _)| *id).collect();
                let kept = Self::blocks(connection, sql::QUARTERS_WHERE, day_s, &series).await?;
                let blocks = blocking(move || changed_quarters(day_s, changes, kept)).await?;
                let (insert, end) = (sql::QUARTERS_BULK, sql::QUARTERS_BULK_END);
                Self::write_blocks(connection, (insert, end), day_s, blocks).await?;
            }
            for rows in merged.newest.chunks(ROWS) {
                let mut query = Engine::with_triples(sql::NEWEST_BULK, rows);
                query.push(sql::NEWEST_BULK_END);
                let query = query.build().persistent(rows.len() == ROWS);
                query.execute(&mut *connection).await?;
            }
            Ok(merged)
        }

        /// The series that new samples belong to; those that are missing are made.
        async fn series_of(
            connection: &mut Connection<Engine>,
            meter: &Meter,
            new: Vec<NewSamples>,
        ) -> Result<Vec<SeriesUpdate>, StorageError> {
            let mut known: Vec<Option<(i64, Option<Sample>)>> = vec![None; new.len()];
            for (page, known) in new.chunks(ROWS).zip(known.chunks_mut(ROWS)) {
                let names: Vec<&str> = page.iter().map(|it| &*it.node).collect();
                let mut rows = Self::series(connection, meter, &names).await?;
                if rows.len() < names.len() {
                    let mut query = QueryBuilder::<Engine>::new(sql::SERIES_BULK);
                    query.push_bind(meter.name.to_string()).push(", ");
                    query.push_bind(meter.values.word()).push(", value FROM ");
                    Engine::push_texts(&mut query, &names);
                    query.push(sql::SERIES_BULK_END);
                    query.build().execute(&mut *connection).await?;
                    rows = Self::series(connection, meter, &names).await?;
                }
                for (place, id, at_ms, value_milli) in rows {
                    let known = usize::try_from(place).ok().and_then(|place| known.get_mut(place));
                    if let Some(known) = known {
                        *known = Some((id, sample(at_ms, value_milli)));
                    }
                }
            }
            let update = |(position, (it, known)): (usize, (NewSamples, Option<_>))| {
                let (id, newest) = known?;
                Some(SeriesUpdate::new(position, id, newest, it.samples))
            };
            Ok(new.into_iter().zip(known).enumerate().filter_map(update).collect())
        }

        /// The series of names, each with its place among these, its id and its newest sample.
        async fn series(
            connection: &mut Connection<Engine>,
            meter: &Meter,
            names: &[&str],
        ) -> Result<Vec<NumbersRow>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new(sql::SERIES_WHERE);
            Engine::push_places(&mut query, names);
            query.push(sql::SERIES_METER).push_bind(meter.name.to_string());
            query.push(sql::SERIES_KIND).push_bind(meter.values.word());
            Ok(Engine::fetch_numbers(connection, query).await?)
        }

        /// The blocks of some series, in order, that start at an instant. There may be some of others among them.
        async fn blocks(
            connection: &mut Connection<Engine>,
            select: &'static str,
            start_s: i64,
            series: &[i64],
        ) -> Result<Vec<BytesRow>, StorageError> {
            let mut blocks = Vec::with_capacity(series.len());
            for page in series.chunks(SERIES) {
                let (Some(first), Some(last)) = (page.first(), page.last()) else { break };
                let mut query = QueryBuilder::<Engine>::new(select);
                query.push_bind(start_s);
                // Neighbours are read one after the other, without looking for each.
                if usize::try_from(last - first).is_ok_and(|others| others < 2 * page.len()) {
                    query.push(sql::FROM_SERIES).push_bind(*first);
                    query.push(sql::TO_SERIES).push_bind(*last);
                } else {
                    query.push(sql::OF_SERIES);
                    Engine::push_numbers(&mut query, page.to_vec());
                }
                blocks.append(&mut Engine::fetch_bytes(connection, query).await?);
            }
            Ok(blocks)
        }

        /// Writes blocks that start at an instant, new ones or known ones as they are now.
        async fn write_blocks(
            connection: &mut Connection<Engine>,
            (insert, end): (&'static str, &'static str),
            start_s: i64,
            blocks: Vec<BytesRow>,
        ) -> Result<(), StorageError> {
            let mut blocks = blocks.into_iter().peekable();
            while blocks.peek().is_some() {
                let rows: Vec<BytesRow> = blocks.by_ref().take(ROWS).collect();
                let full = rows.len() == ROWS;
                let mut query = Engine::with_bytes(insert, start_s, rows);
                query.push(end);
                query.build().persistent(full).execute(&mut *connection).await?;
            }
            Ok(())
        }
    }
);

/// A sample, where there is one.
fn sample(at_ms: Option<i64>, value_milli: Option<i64>) -> Option<Sample> {
    let at = SampleTime::from_unix_milliseconds(at_ms?);
    Some(Sample { at, value_milli: value_milli? })
}

/// The newest samples of series, with those before them as far as they are in these blocks.
fn with_before(
    mut newest: BTreeMap<i64, NewestSample>,
    start_s: i64,
    blocks: &[BytesRow],
) -> Result<BTreeMap<i64, NewestSample>, StorageError> {
    for (series_id, packed) in blocks {
        if let Some(it) = newest.get_mut(series_id) {
            let samples = read_samples(start_s, *series_id, packed)?;
            let earlier = samples.iter().rfind(|sample| sample.at < it.sample.at);
            it.before = earlier.copied().or(it.before);
        }
    }
    Ok(newest)
}
