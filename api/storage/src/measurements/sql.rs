//! Measurements.

use crate::statements::statements;

statements! {
    /// Counts a write of measurements, which lets writers go one after another.
    COUNT_MEASUREMENT_WRITE = "UPDATE measurement_writes SET writes = writes + 1 WHERE only_row = 1";

    /// From when on samples are kept.
    SAMPLES_FROM = "SELECT samples_from_s FROM measurement_writes WHERE only_row = 1";

    /// Samples before this are not kept any more.
    MOVE_SAMPLES_FROM = "UPDATE measurement_writes SET writes = writes + 1, samples_from_s = $1
        WHERE only_row = 1 AND samples_from_s <= $1";

    /// The oldest block of samples before an instant.
    OLDEST_SAMPLES = "SELECT MIN(start_s) FROM sample_blocks WHERE start_s < $1";

    /// The oldest block of quarter-hours before an instant.
    OLDEST_QUARTERS = "SELECT MIN(start_s) FROM quarter_blocks WHERE start_s < $1";

    /// Forgets blocks of samples by their start.
    DELETE_SAMPLES = "DELETE FROM sample_blocks WHERE start_s = $1";

    /// Forgets blocks of quarter-hours by their start.
    DELETE_QUARTERS = "DELETE FROM quarter_blocks WHERE start_s = $1";

    /// When the newest sample of each meter was measured, in milliseconds.
    NEWEST_SAMPLE_TIMES = "SELECT s.meter, MAX(n.at_ms) FROM newest_samples AS n
        JOIN metered_series AS s ON s.id = n.series_id GROUP BY s.meter";

    /// The series of a node, rack or site.
    SERIES_OF_NODE = "SELECT id FROM metered_series WHERE node = $1";

}

/// Series that have quarter-hours in a block that starts at an instant, which follows.
pub const SERIES_OF_DAY: &str = "SELECT s.id AS one, s.meter AS two, s.value_kind AS three,
    s.node AS four, q.start_s AS five, q.start_s AS six
    FROM quarter_blocks AS q JOIN metered_series AS s ON s.id = q.series_id WHERE q.start_s = ";

/// Between that instant and the id that all are above.
pub const ABOVE: &str = " AND q.series_id > ";

/// Between that id and how many there are at most.
pub const SERIES_PAGE: &str = " ORDER BY q.series_id LIMIT ";

/// The newest samples of series with their series; the id that all are above follows, with the two below after it.
pub const NEWEST_ABOVE: &str = "SELECT s.id AS one, s.meter AS two, s.value_kind AS three,
    s.node AS four, n.at_ms AS five, n.value_milli AS six
    FROM newest_samples AS n JOIN metered_series AS s ON s.id = n.series_id WHERE n.series_id > ";

/// Between that id and the instant that none is older than.
pub const NEWEST_SINCE: &str = " AND n.at_ms >= ";

/// Between that instant and how many there are at most.
pub const NEWEST_PAGE: &str = " ORDER BY n.series_id LIMIT ";

/// Series with their newest samples by the places of names, which follow, with the two below between.
pub const SERIES_WHERE: &str =
    "SELECT given.place AS one, s.id AS two, n.at_ms AS three, n.value_milli AS four FROM ";

/// Between names and meter. SQLite takes the tables of a cross join in their order.
pub const SERIES_METER: &str = " AS given CROSS JOIN metered_series AS s
    LEFT JOIN newest_samples AS n ON n.series_id = s.id WHERE s.node = given.value AND s.meter = ";

/// Between meter and kind.
pub const SERIES_KIND: &str = " AND s.value_kind = ";

/// New series: the meter, its kind and the nodes follow, then [`SERIES_BULK_END`].
pub const SERIES_BULK: &str = "INSERT INTO metered_series (meter, value_kind, node) SELECT ";

/// Those that are there stay as they are.
pub const SERIES_BULK_END: &str =
    " AS given WHERE TRUE ON CONFLICT (meter, value_kind, node) DO NOTHING";

/// The newest samples of series; [`NEWEST_BULK_END`] follows the rows.
pub const NEWEST_BULK: &str = "INSERT INTO newest_samples (series_id, at_ms, value_milli) ";

/// What changes of those that are known.
pub const NEWEST_BULK_END: &str = " ON CONFLICT (series_id) DO UPDATE SET at_ms = excluded.at_ms,
    value_milli = excluded.value_milli";

/// Blocks of samples by their start; the series follow.
pub const SAMPLES_WHERE: &str =
    "SELECT series_id AS number, samples AS bytes FROM sample_blocks WHERE start_s = ";

/// Blocks of quarter-hours by their start; the series follow.
pub const QUARTERS_WHERE: &str =
    "SELECT series_id AS number, quarters AS bytes FROM quarter_blocks WHERE start_s = ";

/// Between the start of blocks and the series.
pub const OF_SERIES: &str = " AND series_id IN ";

/// Between the start of blocks and the first of the series; [`TO_SERIES`] and the last follow.
pub const FROM_SERIES: &str = " AND series_id BETWEEN ";

/// Between the first and the last of the series.
pub const TO_SERIES: &str = " AND ";

/// Blocks of samples; [`SAMPLES_BULK_END`] follows the rows.
pub const SAMPLES_BULK: &str = "INSERT INTO sample_blocks (start_s, series_id, samples) ";

/// What changes of those that are known.
pub const SAMPLES_BULK_END: &str =
    " ON CONFLICT (start_s, series_id) DO UPDATE SET samples = excluded.samples";

/// Blocks of quarter-hours; [`QUARTERS_BULK_END`] follows the rows.
pub const QUARTERS_BULK: &str = "INSERT INTO quarter_blocks (start_s, series_id, quarters) ";

/// What changes of those that are known.
pub const QUARTERS_BULK_END: &str =
    " ON CONFLICT (start_s, series_id) DO UPDATE SET quarters = excluded.quarters";

/// Blocks of quarter-hours by their starts, which follow, and the series, which follow after [`OF_THESE_SERIES`].
pub const MEASURED_WHERE: &str =
    "SELECT q.start_s, q.series_id, s.meter, s.value_kind, s.node, q.quarters
    FROM quarter_blocks AS q JOIN metered_series AS s ON s.id = q.series_id WHERE q.start_s IN ";

/// Between starts and series.
pub const OF_THESE_SERIES: &str = " AND q.series_id IN ";
