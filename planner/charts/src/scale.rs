//! Units that people read, and round numbers on axes.

/// What values of a unit are divided by, and what it is called then.
pub fn readable(unit: &str, most: f64, currency: &str) -> (f64, String) {
    let steps: &[(f64, &str)] = match unit {
        "J" => &[(3.6e6, "kWh"), (3.6e9, "MWh"), (3.6e12, "GWh")],
        "g" => &[(1.0, "g"), (1e3, "kg"), (1e6, "t")],
        "s" => &[(60.0, "min"), (3600.0, "h")],
        "W" => &[(1.0, "W"), (1e3, "kW"), (1e6, "MW")],
        "" => &[(0.01, "%")],
        "money" => &[(1.0, ""), (1e3, "thousand "), (1e6, "million ")],
        _ => &[(1.0, "")],
    };
    // The greatest unit of which there are some: minutes up to four hours.
    let least = if unit == "s" { 4.0 } else { 2.0 };
    let fits = steps.iter().rev().find(|(by, _)| most.abs() / by >= least);
    let (by, name) = fits.or(steps.first()).copied().unwrap_or((1.0, ""));
    let name = match unit {
        "money" => format!("{name}{currency}"),
        "count" => String::new(),
        "node-h" => unit.to_owned(),
        _ => name.to_owned(),
    };
    (by, name)
}

/// Round numbers from below `least` to above `most`, about `count` of them.
pub fn ticks(least: f64, most: f64, count: f64) -> Vec<f64> {
    let span = if most > least { most - least } else { least.abs().max(1.0) };
    let rough = span / count;
    let magnitude = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|part| part * magnitude)
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(magnitude);
    let first = (least / step).floor();
    let end = (most / step - 1e-9).ceil().max(first + 1.0);
    let mut ticks = vec![first * step];
    while ticks.len() < 50 && first + ticks.len() as f64 <= end {
        ticks.push((first + ticks.len() as f64) * step);
    }
    ticks
}

/// A number as it stands at a tick or in a table: as many decimals as tell it from its neighbours.
pub fn plain(value: f64, step: f64) -> String {
    let decimals = [0_usize, 1, 2, 3, 4]
        .into_iter()
        .find(|&decimals| {
            let unit = 10_f64.powi(-i32::try_from(decimals).unwrap_or(0));
            (step / unit - (step / unit).round()).abs() < 1e-6
        })
        .unwrap_or(4);
    let text = format!("{value:.decimals$}");
    if text.trim_start_matches(['-', '0', '.']).is_empty() {
        return text.trim_start_matches('-').to_owned();
    }
    grouped(&text)
}

/// Thousands apart, by a thin space that does not break.
pub fn grouped(text: &str) -> String {
    let (whole, decimals) = text.split_once('.').map_or((text, None), |(w, d)| (w, Some(d)));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("\u{2212}", digits));
    let mut out = String::from(sign);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && digits.len() > 4 && (digits.len() - place).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    if let Some(decimals) = decimals {
        out.push('.');
        out.push_str(decimals);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_reach_around_the_values() {
        assert_eq!(ticks(0.0, 9.3, 5.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks(-0.7, 24.0, 5.0), [-5.0, 0.0, 5.0, 10.0, 15.0, 20.0, 25.0]);
        assert_eq!(ticks(3.0, 3.0, 4.0), [3.0, 4.0]);
        assert_eq!(ticks(0.0, 0.0, 4.0).first(), Some(&0.0));
    }

    #[test]
    fn numbers_read_easily() {
        assert_eq!(plain(12_345.0, 5.0), "12\u{202f}345");
        assert_eq!(plain(-0.5, 0.5), "\u{2212}0.5");
        assert_eq!(plain(-0.0, 1.0), "0");
        assert_eq!(grouped("1234"), "1234");
        let unit = |unit, most| readable(unit, most, "EUR");
        assert_eq!(unit("J", 3e11), (3.6e9, "MWh".to_owned()));
        assert_eq!(unit("s", 1800.0), (60.0, "min".to_owned()));
        assert_eq!(unit("s", 40_000.0), (3600.0, "h".to_owned()));
        assert_eq!(unit("money", 15_000.0), (1e3, "thousand EUR".to_owned()));
        assert_eq!(unit("", 0.2), (0.01, "%".to_owned()));
    }
}
