//! Measurements: written a batch at a time, beside the book.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use planner::metering::packed::{DAY_MS, SAMPLES_MS};
use planner::metering::{Meter, QuarterHour, SampleTime, ValueKind};
use planner::time::{Seconds, Span, Timestamp};
use sqlx::QueryBuilder;

use super::sql;
use crate::blocking::blocking;
use crate::changed_hours::repository::{ChangedHours, hour_s};
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::Dialect;
use crate::error::StorageError;
use crate::measurements::row::{BlockRow, MeasuredRow, NewestRow, SeriesRow, read_samples};
use crate::measurements::update::{BatchUpdate, SeriesUpdate, blocks_before, changed_quarters};
use crate::measurements::{MeasuredQuarters, NewSamples, NewestSample, SampleFates};

/// Rows that one statement writes, or names that it looks for.
const ROWS: usize = 1000;

const DAY_S: i64 = DAY_MS / 1000;
const SAMPLES_S: i64 = SAMPLES_MS / 1000;

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
            let series = Self::series_of(&mut transaction, meter, new).await?;
            let mut batch = BatchUpdate::new(meter.clone(), series);
            for (start_s, series) in batch.wanted() {
                let kept =
                    Self::blocks(&mut transaction, sql::SAMPLES_WHERE, start_s, &series).await?;
                batch.put_blocks(start_s, kept);
            }
            if let Some(statement) = Engine::LONG_PAUSE {
                Engine::run(&mut transaction, statement).await?;
            }
            // A million samples take a while.
            let merged = blocking(move || batch.merged()).await?;
            for (start_s, blocks) in merged.samples {
                let (insert, end) = (sql::SAMPLES_BULK, sql::SAMPLES_BULK_END);
                Self::write_blocks(&mut transaction, (insert, end), start_s, blocks).await?;
            }
            let mut hours: BTreeSet<i64> = BTreeSet::new();
            for (day_s, changes) in merged.changes {
                let quarters = changes.iter().flat_map(|(_, of_series)| of_series);
                hours.extend(quarters.map(|(quarter, _)| hour_s(quarter.start())));
                let series: Vec<i64> = changes.iter().map(|(id, _)| *id).collect();
                let kept =
                    Self::blocks(&mut transaction, sql::QUARTERS_WHERE, day_s, &series).await?;
                let blocks = blocking(move || changed_quarters(day_s, changes, kept)).await?;
                let (insert, end) = (sql::QUARTERS_BULK, sql::QUARTERS_BULK_END);
                Self::write_blocks(&mut transaction, (insert, end), day_s, blocks).await?;
            }
            ChangedHours::<Engine>::note(&mut transaction, hours).await?;
            for rows in merged.newest.chunks(ROWS) {
                let mut query = QueryBuilder::<Engine>::new(sql::NEWEST_BULK);
                Engine::push_triples(&mut query, rows);
                query.push(sql::NEWEST_BULK_END);
                let query = query.build().persistent(rows.len() == ROWS);
                query.execute(&mut *transaction).await?;
            }
            transaction.commit().await?;
            Ok(merged.fates)
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
            let end_s = span.end().as_unix_seconds();
            let rows: Vec<MeasuredRow> = match node {
                None => {
                    let query = sqlx::query_as(sql::MEASURED_QUARTERS).bind(start_s).bind(end_s);
                    query.fetch_all(&self.reader).await?
                }
                Some(node) => {
                    let query = sqlx::query_scalar(sql::SERIES_OF_NODE).bind(node);
                    let series: Vec<i64> = query.fetch_all(&self.reader).await?;
                    let days = (start_s..end_s).step_by(86_400).collect();
                    let mut query = QueryBuilder::<Engine>::new(sql::MEASURED_WHERE);
                    Engine::push_numbers(&mut query, days);
                    query.push(sql::OF_THESE_SERIES);
                    Engine::push_numbers(&mut query, series);
                    query.build_query_as().fetch_all(&self.reader).await?
                }
            };
            blocking(move || quarters_within(span, &rows)).await
        }

        /// The newest sample of each series that is no older than `since`, by the age of series.
        ///
        /// # Errors
        /// Storage failed, or what is kept cannot be read.
        pub async fn newest_samples(
            &self,
            since: Timestamp,
        ) -> Result<Vec<NewestSample>, StorageError> {
            let rows: Vec<NewestRow> = sqlx::query_as(sql::NEWEST_SAMPLES)
                .bind(SampleTime::of(since).as_unix_milliseconds())
                .fetch_all(&self.reader)
                .await?;
            let mut newest: BTreeMap<i64, NewestSample> = BTreeMap::new();
            let mut wanted: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
            for row in rows {
                let it = row.newest()?;
                if it.values != ValueKind::Gauge {
                    for start_s in blocks_before(it.sample) {
                        wanted.entry(start_s).or_default().push(row.id);
                    }
                }
                newest.insert(row.id, it);
            }
            let mut connection = self.reader.acquire().await?;
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
        /// end before `quarters_from`: one start of each, so that others wait for no longer than that. Whether there
        /// are more.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn thin_measurements(
            &self,
            samples_from: Timestamp,
            quarters_from: Timestamp,
        ) -> Result<bool, StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let before = |from: Timestamp, length_s| from.as_unix_seconds() - length_s + 1;
            let oldest: Option<i64> = sqlx::query_scalar(sql::OLDEST_SAMPLES)
                .bind(before(samples_from, SAMPLES_S))
                .fetch_one(&mut *transaction)
                .await?;
            if let Some(start_s) = oldest {
                let moved = sqlx::query(sql::MOVE_SAMPLES_FROM).bind(start_s + SAMPLES_S);
                moved.execute(&mut *transaction).await?;
                let deleted = sqlx::query(sql::DELETE_SAMPLES).bind(start_s);
                deleted.execute(&mut *transaction).await?;
            }
            let oldest_day: Option<i64> = sqlx::query_scalar(sql::OLDEST_QUARTERS)
                .bind(before(quarters_from, DAY_S))
                .fetch_one(&mut *transaction)
                .await?;
            if let Some(start_s) = oldest_day {
                let deleted = sqlx::query(sql::DELETE_QUARTERS).bind(start_s);
                deleted.execute(&mut *transaction).await?;
            }
            transaction.commit().await?;
            Ok(oldest.is_some() || oldest_day.is_some())
        }
    }

    /// Parts of transactions.
    impl Measurements {
        /// The series that new samples belong to, in their order; those that are missing are made.
        async fn series_of(
            connection: &mut Connection<Engine>,
            meter: &Meter,
            new: Vec<NewSamples>,
        ) -> Result<Vec<SeriesUpdate>, StorageError> {
            let mut known: HashMap<String, SeriesRow> = HashMap::with_capacity(new.len());
            for page in new.chunks(ROWS) {
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
                known.extend(rows.into_iter().map(|row| (row.node.clone(), row)));
            }
            let update = |it: NewSamples| {
                let row = known.get(&*it.node)?;
                Some(SeriesUpdate::new(row.id, row.newest(), it.samples))
            };
            Ok(new.into_iter().filter_map(update).collect())
        }

        async fn series(
            connection: &mut Connection<Engine>,
            meter: &Meter,
            names: &[&str],
        ) -> Result<Vec<SeriesRow>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new(sql::SERIES_WHERE);
            query.push_bind(meter.name.to_string()).push(sql::SERIES_KIND);
            query.push_bind(meter.values.word()).push(sql::SERIES_NODES);
            Engine::push_texts(&mut query, names);
            Ok(query.build_query_as().fetch_all(&mut *connection).await?)
        }

        /// The blocks of some series that start at an instant.
        async fn blocks(
            connection: &mut Connection<Engine>,
            select: &'static str,
            start_s: i64,
            series: &[i64],
        ) -> Result<Vec<BlockRow>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new(select);
            query.push_bind(start_s).push(sql::OF_SERIES);
            Engine::push_numbers(&mut query, series.to_vec());
            Ok(query.build_query_as().fetch_all(&mut *connection).await?)
        }

        /// Writes blocks that start at an instant, new ones or known ones as they are now.
        async fn write_blocks(
            connection: &mut Connection<Engine>,
            (insert, end): (&'static str, &'static str),
            start_s: i64,
            blocks: Vec<(i64, Vec<u8>)>,
        ) -> Result<(), StorageError> {
            let mut blocks = blocks.into_iter().peekable();
            while blocks.peek().is_some() {
                let rows: Vec<(i64, Vec<u8>)> = blocks.by_ref().take(ROWS).collect();
                let full = rows.len() == ROWS;
                let mut query = QueryBuilder::<Engine>::new(insert);
                Engine::push_blocks(&mut query, start_s, rows);
                query.push(end);
                query.build().persistent(full).execute(&mut *connection).await?;
            }
            Ok(())
        }
    }
);

/// The newest samples of series, with those before them as far as they are in these blocks.
fn with_before(
    mut newest: BTreeMap<i64, NewestSample>,
    start_s: i64,
    blocks: &[BlockRow],
) -> Result<BTreeMap<i64, NewestSample>, StorageError> {
    for block in blocks {
        let samples = read_samples(start_s, block.series_id, &block.packed)?;
        if let Some(it) = newest.get_mut(&block.series_id) {
            let earlier = samples.iter().rfind(|sample| sample.at < it.sample.at);
            it.before = earlier.copied().or(it.before);
        }
    }
    Ok(newest)
}

/// The quarter-hours of a span that are in blocks, by series.
fn quarters_within(
    span: Span,
    rows: &[MeasuredRow],
) -> Result<Vec<MeasuredQuarters>, StorageError> {
    let touched = QuarterHour::of(span.start())..=QuarterHour::of(span.end() - Seconds::ONE);
    let mut found: Vec<MeasuredQuarters> = Vec::new();
    let mut positions: HashMap<i64, usize> = HashMap::new();
    for row in rows {
        let mut quarters = row.quarters()?;
        quarters.retain(|quarter, _| touched.contains(quarter));
        if quarters.is_empty() {
            continue;
        }
        let at = *positions.entry(row.series_id).or_insert(found.len());
        if at == found.len() {
            found.push(row.series()?);
        }
        found[at].quarters.append(&mut quarters);
    }
    Ok(found)
}
