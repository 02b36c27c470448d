//! What values mean: the event's own descriptors, else the program's.

use openleadr_wire::Unit;
use openleadr_wire::event::{Event, EventPayloadDescriptor, EventType};
use openleadr_wire::program::{PayloadDescriptor, Program};

/// The descriptors of a program.
pub(super) struct Descriptors<'p> {
    program: &'p [PayloadDescriptor],
}

/// The meaning of a payload type.
#[derive(Clone, Debug, Default)]
pub(super) struct Meaning {
    /// In the supplier's spelling.
    pub unit: Option<String>,
    /// ISO 4217.
    pub currency: Option<&'static str>,
}

impl<'p> Descriptors<'p> {
    pub fn of(program: &'p Program) -> Self {
        Self { program: program.content.payload_descriptors.as_deref().unwrap_or_default() }
    }

    /// The meaning of a type in an event; of several spellings the first that is described.
    pub fn meaning(&self, event: &Event, types: &[EventType]) -> Meaning {
        let of_program = self.program.iter().filter_map(|descriptor| match descriptor {
            PayloadDescriptor::EventPayloadDescriptor(descriptor) => Some(descriptor),
            PayloadDescriptor::ReportPayloadDescriptor(_) => None,
        });
        let of_event = event.content.payload_descriptors.iter().flatten();
        let mut all = of_event.chain(of_program);
        let found = all.find(|descriptor| types.contains(&descriptor.payload_type));
        found.map_or_else(Meaning::default, Meaning::of)
    }
}

impl Meaning {
    fn of(descriptor: &EventPayloadDescriptor) -> Self {
        let currency = descriptor.currency.map(|currency| currency.code());
        Self { unit: descriptor.units.as_ref().map(unit_text), currency }
    }
}

fn unit_text(unit: &Unit) -> String {
    match unit {
        Unit::Private(text) => text.clone(),
        known => serde_json::to_value(known)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default(),
    }
}
