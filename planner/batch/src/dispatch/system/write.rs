//! Systems as documents, which are read again.

use std::io::{self, Write};

use planner::quantity::Power;

use super::{ComponentDraw, Converter, LossChain, NodeDraw, System};
use crate::time::Time;

/// Writes a system; a comment over each type of nodes where `comments` has one.
pub(super) fn write(system: &System, comments: &[String], out: &mut impl Write) -> io::Result<()> {
    for (place, node_type) in system.types.iter().enumerate() {
        if let Some(comment) = comments.get(place).filter(|it| !it.is_empty()) {
            writeln!(out, "# {}", comment.replace(char::is_control, " "))?;
        }
        writeln!(out, "[[nodes]]\ncount = {}", node_type.count)?;
        for (name, amount) in system.resources.iter().zip(&node_type.amounts) {
            writeln!(out, "{} = {amount}", key(name))?;
        }
        let has = |place: &usize| node_type.properties >> place & 1 == 1;
        let places = (0..system.properties.len()).filter(has);
        let names: Vec<String> = places.map(|place| text(&system.properties[place])).collect();
        if !names.is_empty() {
            writeln!(out, "properties = [{}]", names.join(", "))?;
        }
        if let Some(draw) = &node_type.draw {
            write_draw(system, draw, out)?;
        }
        write_losses(&node_type.losses, out)?;
        writeln!(out)?;
    }
    if !system.shared.is_empty() {
        writeln!(out, "[shared]")?;
        for it in &system.shared {
            writeln!(out, "{} = {}", key(&it.name), it.amount)?;
        }
        writeln!(out)?;
    }
    write_queues(system, out)?;
    write_facility(system, out)
}

/// A name as a key.
fn key(name: &str) -> String {
    let is_bare = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { text(name) }
}

/// A text in quotes.
fn text(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn watts(power: Power) -> f64 {
    power.as_watts()
}

fn write_draw(system: &System, draw: &NodeDraw, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "[nodes.power]\nconstant_w = {}", watts(draw.constant))?;
    let each = system.resources.iter().zip(&draw.each);
    for (name, each) in each.filter(|(_, each)| **each != ComponentDraw::default()) {
        let (idle, full) = (watts(each.idle), watts(each.full));
        writeln!(out, "{} = {{ idle_w = {idle}, full_w = {full} }}", key(name))?;
    }
    Ok(())
}

fn write_losses(losses: &LossChain, out: &mut impl Write) -> io::Result<()> {
    if *losses == LossChain::default() {
        return Ok(());
    }
    let converter =
        |it: &Converter| format!("loss_w = {}, efficiency = {}", watts(it.loss), it.efficiency);
    writeln!(out, "[nodes.losses]\ngroup = {}", losses.group)?;
    if let Some(it) = &losses.converter {
        writeln!(out, "converter = {{ {} }}", converter(it))?;
    }
    if let Some(it) = &losses.rectifiers {
        let sharing = it.sharing.map(|most| format!(", sharing_w = {}", watts(most)));
        let sharing = sharing.unwrap_or_default();
        writeln!(out, "rectifiers = {{ count = {}, {}{sharing} }}", it.count, converter(&it.each))?;
    }
    if let Some(it) = &losses.switches {
        let (count, each, rectified) = (it.count, watts(it.each), it.rectified);
        writeln!(
            out,
            "switches = {{ count = {count}, power_w = {each}, rectified = {rectified} }}"
        )?;
    }
    Ok(())
}

fn write_queues(system: &System, out: &mut impl Write) -> io::Result<()> {
    for queue in &system.queues {
        writeln!(out, "[[queues]]\nname = {}", text(&queue.name))?;
        if queue.expected_wait != Time::from_seconds(1) {
            writeln!(out, "expected_wait_s = {}", queue.expected_wait.as_seconds())?;
        }
        if let Some(most) = queue.max_units {
            writeln!(out, "max_units = {most}")?;
        }
        if let Some(most) = queue.max_time {
            writeln!(out, "max_time_s = {}", most.as_seconds())?;
        }
        let most = system.names().zip(&queue.max_amounts);
        let most: Vec<String> = most
            .filter_map(|(name, most)| most.map(|most| format!("{} = {most}", key(name))))
            .collect();
        if !most.is_empty() {
            writeln!(out, "max = {{ {} }}", most.join(", "))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_facility(system: &System, out: &mut impl Write) -> io::Result<()> {
    let facility = &system.facility;
    if facility.constant == Power::default() && facility.pue.is_empty() {
        return Ok(());
    }
    writeln!(out, "[facility]\nconstant_w = {}", watts(facility.constant))?;
    if !facility.pue.is_empty() {
        let pairs = facility.pue.iter().map(|(at, factor)| format!("[{}, {factor}]", watts(*at)));
        writeln!(out, "pue = [{}]", pairs.collect::<Vec<_>>().join(", "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::jobs::EURORA_SYSTEM;

    fn again(system: &System) -> System {
        let mut text = Vec::new();
        system.write(&mut text).unwrap();
        System::parse(&String::from_utf8(text).unwrap()).unwrap()
    }

    const WHOLE: &str = r#"
[[nodes]]
count = 3
cpu = 64
"gpu:a b" = 2
properties = ["ib", "rack.1"]
[nodes.power]
constant_w = 20.123456
cpu = { idle_w = 0.25, full_w = 3 }
[nodes.losses]
group = 8
converter = { loss_w = 13, efficiency = 0.98 }
rectifiers = { count = 4, loss_w = 17, efficiency = 0.96, sharing_w = 13670 }
switches = { count = 4, power_w = 250, rectified = false }
[[nodes]]
count = 2
mic = 1
properties = ["rack.2", "ib"]
[shared]
"fluent@db" = 30
[[queues]]
name = "a \"b\""
max_time_s = 1.5
max = { "gpu:a b" = 3, "fluent@db" = 2 }
[[queues]]
name = "c"
expected_wait_s = 3600
max_units = 2
[facility]
constant_w = 8473.47
pue = [[0, 1.3], [20e6, 1.05]]
"#;

    #[test]
    fn what_is_written_is_read_again() {
        for text in [WHOLE, EURORA_SYSTEM] {
            let system = System::parse(text).unwrap();
            assert_eq!(again(&system), system);
        }
    }
}
