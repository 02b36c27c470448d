//! From numbered quarter-hours to an agenda.

use jiff::civil::{Date, DateTime};
use quick_xml::Reader;
use quick_xml::events::Event;
use rust_decimal::Decimal;

use super::periods::NumberedDay;
use super::wire::{DayList, MixCurve, MixDay, PeriodValue};
use crate::feed::{
    Accounting, Factors, FeedError, Identity, Kind, Quality, Reading, Series, assemble, decimal,
    nearest_millionths,
};
use crate::local_time::LocalTime;

/// The name of the intensity.
const INTENSITY: &str = "Taux de Co2";

/// Reads an answer.
///
/// # Errors
/// Truncated or other XML, other texts.
pub fn read(text: &str) -> Result<DayList, FeedError> {
    let xml = |error: &dyn std::fmt::Display| FeedError::payload("the XML", error);
    let mut reader = Reader::from_str(text);
    let root = loop {
        match reader.read_event().map_err(|error| xml(&error))? {
            Event::Start(tag) => break tag.local_name().as_ref().to_owned(),
            Event::Eof => return Err(FeedError::payload("the answer", "is empty or no XML")),
            _ => {}
        }
    };
    if root != "liste" {
        return Err(FeedError::payload(format!("<{root}>"), "is no list of days"));
    }
    quick_xml::de::from_str(text).map_err(|error| xml(&error))
}

/// The intensities of the days of a list. Quarter-hours without a value, such as those to come, are gaps.
///
/// # Errors
/// Another quantity or perimeter, days and numbers that are none, words for values.
pub fn intensities(list: &DayList) -> Result<Series, FeedError> {
    let local = LocalTime::paris().map_err(FeedError::calendar)?;
    let answered = list.answered.as_deref().and_then(date_of_time);
    let consolidated: Option<Date> =
        list.consolidated.as_deref().and_then(|text| text.trim().parse().ok());
    let mut readings = Vec::new();
    let mut notes = vec!["production in France; imports are not traced".to_owned()];
    let mut half_hours = 0;
    for day in &list.days {
        let date: Date = day.date.trim().parse().map_err(|_| {
            FeedError::payload("/liste/mixtr/date", format!("{:?} is no day", day.date))
        })?;
        // Shortly after midnight a day has none yet.
        if day.curves.is_empty() {
            continue;
        }
        let curve = intensity_of(day)?;
        if consolidated.is_some_and(|consolidated| date <= consolidated) {
            half_hours += 1;
            continue;
        }
        let is_over = answered.is_some_and(|answered| date < answered);
        let unsure = day_readings(&local, (date, is_over), &curve.values, &mut readings)?;
        if unsure > 0 {
            notes.push(format!(
                "{date}: the clock changes, and {unsure} values are left out whose time is not sure"
            ));
        }
    }
    if half_hours > 0 {
        notes.push(format!(
            "{half_hours} consolidated days are left out, whose values may be of half-hours; `odre` has them"
        ));
    }
    if readings.is_empty() {
        return Err(FeedError::not_published("no quarter-hour has an intensity"));
    }
    let kind = Kind::Co2 { accounting: Accounting::Average, factors: Factors::Direct };
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at: None, agenda, notes })
}

/// The day of a time such as `2024-05-17 09:21:09`.
fn date_of_time(text: &str) -> Option<Date> {
    let time: DateTime = text.trim().parse().ok()?;
    Some(time.date())
}

/// The curve of the intensity of all of France.
fn intensity_of(day: &MixDay) -> Result<&MixCurve, FeedError> {
    let place = format!("/liste/mixtr[{}]/type", day.date);
    let is_intensity = |curve: &&MixCurve| {
        curve.quantity.as_deref().is_some_and(|name| name.trim().eq_ignore_ascii_case(INTENSITY))
    };
    let curve = day.curves.iter().find(is_intensity).ok_or_else(|| {
        let came: Vec<&str> =
            day.curves.iter().filter_map(|curve| curve.quantity.as_deref()).collect();
        let asked = format!("quantity {INTENSITY:?}");
        FeedError::mismatch(&place, asked, &came.join(", "), "`address`")
    })?;
    let setting = "`address`";
    for (what, asked, came) in
        [("perimeter", "France", &curve.perimeter), ("granularity", "Global", &curve.granularity)]
    {
        Identity { what, asked, setting }.told(&place, came.as_deref())?;
    }
    Ok(curve)
}

/// Adds the values of a day; how many of them have no sure time.
fn day_readings(
    local: &LocalTime,
    (date, is_over): (Date, bool),
    values: &[PeriodValue],
    readings: &mut Vec<Reading>,
) -> Result<usize, FeedError> {
    let number = |value: &PeriodValue| {
        let wrong = || FeedError::payload(date, format!("{:?} is no period", value.period));
        value.period.trim().parse::<i64>().map_err(|_| wrong())
    };
    let periods = values.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    let Some(&highest) = periods.iter().max() else { return Ok(0) };
    let day = NumberedDay::new(local, date, highest, is_over)?;
    let mut unsure = 0;
    for (&period, value) in periods.iter().zip(values) {
        if period < 0 {
            return Err(FeedError::payload(date, format!("{period} is no period")));
        }
        let text = value.text.as_deref().unwrap_or_default();
        if matches!(text, "" | "-" | "ND") {
            continue;
        }
        let value = decimal(text).map(|value| nearest_millionths(value, Decimal::ONE)).ok_or_else(
            || FeedError::payload(format!("{date}/{period}"), format!("{text:?} is not a number")),
        )?;
        match day.span(period) {
            Some(span) => readings.push(Reading { span, value, quality: Quality::Measured }),
            None => unsure += 1,
        }
    }
    Ok(unsure)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list as it is recorded, answered on `answered`, with the values of days by number.
    fn list(answered: &str, days: &[(&str, Vec<String>)]) -> String {
        let day = |(date, values): &(&str, Vec<String>)| {
            let value = |(period, value): (usize, &String)| {
                format!("<valeur periode='{period}'>{value}</valeur>\n")
            };
            let values = values.iter().enumerate().map(value).collect::<Vec<_>>().concat();
            format!(
                "<mixtr date='{date}'>\n<type v='Taux de Co2' perimetre='France' granularite='Global' \
                 qual='1'>\n{values}</type>\n</mixtr>\n"
            )
        };
        let days = days.iter().map(day).collect::<Vec<_>>().concat();
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<liste>\n<date_actuelle>{answered}</date_actuelle>\n\
             <date_debut>2024-05-16</date_debut>\n<date_fin>2024-05-17</date_fin>\n\
             <date_consolidee>2023-01-31</date_consolidee>\n<date_definitive>2022-10-31</date_definitive>\n\
             <date_minimale_calendrier>2012-01-01</date_minimale_calendrier>\n<echantillon>1</echantillon>\n\
             {days}</liste>"
        )
    }

    /// 12, 13, 14 ... g/kWh.
    fn rising(count: usize) -> Vec<String> {
        (0..count).map(|period| (12 + period).to_string()).collect()
    }

    fn values(text: &str) -> Result<Vec<(String, i64)>, FeedError> {
        let series = intensities(&read(text)?)?;
        let pieces = series.agenda.pieces().iter();
        Ok(pieces.map(|piece| (piece.span.start().to_string(), piece.value.value)).collect())
    }

    /// Days of 96, 92 and 100 quarter-hours, each against the text cut at its numbers.
    #[test]
    fn a_day_is_what_another_reading_of_it_says() {
        for (date, first, quarters) in [
            ("2024-05-16", "2024-05-15T22:00:00Z", 96),
            ("2024-03-31", "2024-03-30T23:00:00Z", 92),
            ("2024-10-27", "2024-10-26T22:00:00Z", 100),
        ] {
            let text = list("2024-12-01 09:21:09", &[(date, rising(quarters))]);
            let first: jiff::Timestamp = first.parse().unwrap();
            let mut expected = Vec::new();
            for part in text.split("<valeur periode='").skip(1) {
                let (period, rest) = part.split_once("'>").unwrap();
                let minutes = 15 * period.parse::<i64>().unwrap();
                let start = first + jiff::SignedDuration::from_mins(minutes);
                let grams: i64 = rest.split('<').next().unwrap().parse().unwrap();
                expected.push((start.to_string(), grams * 1_000_000));
            }
            assert_eq!(expected.len(), quarters);
            assert_eq!(values(&text).unwrap(), expected, "{date}");
        }
    }

    #[test]
    fn what_is_not_known_is_a_gap_and_never_zero() {
        let mut day = rising(4);
        day[1] = "ND".to_owned();
        day[2] = "-".to_owned();
        day.push(String::new());
        let text = list("2024-05-16 01:21:09", &[("2024-05-16", day)]);
        let expected = [("2024-05-15T22:00:00Z", 12), ("2024-05-15T22:45:00Z", 15)];
        let expected = expected.map(|(start, grams)| (start.to_owned(), grams * 1_000_000));
        assert_eq!(values(&text).unwrap(), expected);
        let nothing = list("2024-05-16 01:21:09", &[("2024-05-16", vec!["ND".to_owned()])]);
        assert!(matches!(values(&nothing), Err(FeedError::NotPublished { .. })));
        assert!(matches!(values(&list("", &[])), Err(FeedError::NotPublished { .. })));
        let words = text.replacen(">12<", ">12g<", 1);
        assert!(matches!(values(&words), Err(FeedError::Payload { .. })));
    }

    /// On the morning of 2024-03-31 the numbers from 02:00 on may be either hour; the next day they are sure.
    #[test]
    fn on_the_day_of_the_change_of_the_clock_what_is_not_sure_is_left_out_and_noted() {
        let today = list("2024-03-31 15:00:00", &[("2024-03-31", rising(56))]);
        let series = intensities(&read(&today).unwrap()).unwrap();
        assert_eq!(series.agenda.pieces().len(), 8);
        let note =
            "2024-03-31: the clock changes, and 48 values are left out whose time is not sure";
        assert_eq!(series.notes[1], note);
        let next = list("2024-04-01 00:10:00", &[("2024-03-31", rising(92))]);
        assert_eq!(values(&next).unwrap().len(), 92);
        let by_the_clock = list("2024-04-01 00:10:00", &[("2024-03-31", rising(96))]);
        assert_eq!(values(&by_the_clock).unwrap().len(), 92);
    }

    #[test]
    fn consolidated_days_are_left_out_and_noted() {
        let days = [("2023-01-31", rising(48)), ("2023-02-01", rising(96))];
        let series = intensities(&read(&list("2024-05-17 09:21:09", &days)).unwrap()).unwrap();
        assert_eq!(series.agenda.pieces().len(), 96);
        assert!(
            series.notes[1].starts_with("1 consolidated days are left out"),
            "{:?}",
            series.notes
        );
    }

    #[test]
    fn another_quantity_perimeter_or_document_is_refused() {
        let text = list("2024-05-17 09:21:09", &[("2024-05-16", rising(96))]);
        for (from, to, asked) in [
            ("Taux de Co2", "Consommation", "quantity \"Taux de Co2\""),
            ("'France'", "'Bretagne'", "perimeter \"France\""),
            ("'Global'", "'FEE'", "granularity \"Global\""),
            ("liste>", "erreur>", "<erreur>"),
            ("'2024-05-16'", "'16/05/2024'", "is no day"),
            ("periode='95'", "periode='96'", "period 96 is beyond the day"),
            ("periode='95'", "periode='x'", "is no period"),
        ] {
            let changed = text.replace(from, to);
            assert_ne!(changed, text, "{from}");
            let error = values(&changed).unwrap_err();
            assert!(matches!(error, FeedError::Payload { .. }), "{error}");
            assert!(error.to_string().contains(asked), "{error}");
        }
        assert!(values(&text[..text.len() / 2]).is_err());
        assert!(values(&text.replace("Taux de Co2", "Taux de CO2")).is_ok());
    }
}
