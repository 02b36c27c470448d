//! What values mean: the event's own descriptors, else the program's.

use crate::wire::{Descriptor, Event, Part, Program};

/// The descriptors of a program.
pub(super) struct Descriptors<'p> {
    program: &'p [Descriptor],
}

/// The meaning of a payload type.
#[derive(Clone, Debug, Default)]
pub(super) struct Meaning {
    /// In the supplier's spelling.
    pub unit: Option<String>,
    /// ISO 4217.
    pub currency: Option<String>,
}

impl<'p> Descriptors<'p> {
    pub fn of(program: &'p Program) -> Self {
        Self { program: &program.descriptors }
    }

    /// The meaning of a type in an event; of several spellings the first that is described.
    ///
    /// # Errors
    /// A descriptor that cannot be read, and may be the one.
    pub fn meaning(&self, event: &Event, types: &[&str]) -> Part<Meaning> {
        let is_it = |descriptor: &&Descriptor| {
            descriptor.kind.as_ref().is_ok_and(|kind| types.contains(&kind.as_str()))
        };
        let is_unclear = |descriptor: &&Descriptor| descriptor.kind.is_err();
        for descriptors in [&event.descriptors[..], self.program] {
            let found = descriptors.iter().find(is_it);
            let found = found.or_else(|| descriptors.iter().find(is_unclear));
            if let Some(descriptor) = found {
                descriptor.kind.clone()?;
                let (unit, currency) = (descriptor.unit.clone()?, descriptor.currency.clone()?);
                return Ok(Meaning { unit, currency });
            }
        }
        Ok(Meaning::default())
    }
}
