//! Parts of policies as arguments.

use batch::dispatch::{UnitBackfillPart, UnitFitPart, UnitOrderPart};
use batch::policy::{
    BackfillPart, Combination, FitPart, GatePart, OrderPart, PartKind, Policy, SaidParts,
    SwitchingPart,
};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A part that is said by its name: of machines, of a system of several resources, or of both.
#[derive(Debug)]
pub struct PartChoice<P: 'static, U: 'static> {
    pub name: &'static str,
    pub of_machines: Option<&'static P>,
    pub of_system: Option<&'static U>,
}

// A derive would ask for parts that are copied.
impl<P, U> Clone for PartChoice<P, U> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, U> Copy for PartChoice<P, U> {}

/// Parts as arguments: those of a system where there is one, else parts of policies.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct PartChoices {
    /// Which waiting job is the first
    #[arg(long, value_name = "ORDER", value_parser = either::<OrderPart, UnitOrderPart>())]
    pub order: Option<PartChoice<OrderPart, UnitOrderPart>>,
    /// Who may start before the first waiting job
    #[arg(long, value_name = "BACKFILLING", value_parser = either::<BackfillPart, UnitBackfillPart>())]
    pub backfill: Option<PartChoice<BackfillPart, UnitBackfillPart>>,
    /// Which machines or nodes a job takes
    #[arg(long, value_name = "FIT", value_parser = either::<FitPart, UnitFitPart>())]
    pub fit: Option<PartChoice<FitPart, UnitFitPart>>,
    /// As --fit, but only where the policy counts machines; one with a fit of its own keeps that
    #[arg(long, value_name = "FIT", value_parser = named::<FitPart>(), conflicts_with = "fit")]
    pub allocation: Option<&'static FitPart>,
    /// What may start as far as power and energy go
    #[arg(long, value_name = "GATE", value_parser = named::<GatePart>())]
    pub gate: Option<&'static GatePart>,
    /// Which machines are switched off and on
    #[arg(long, value_name = "SWITCHING", value_parser = named::<SwitchingPart>())]
    pub switching: Option<&'static SwitchingPart>,
}

impl PartChoices {
    /// The parts of policies.
    pub fn parts(&self) -> PartArguments {
        PartArguments {
            order: self.order.and_then(|it| it.of_machines),
            backfill: self.backfill.and_then(|it| it.of_machines),
            fit: self.fit.and_then(|it| it.of_machines),
            allocation: self.allocation,
            gate: self.gate,
            switching: self.switching,
        }
    }

    /// The names of parts that only a system has.
    pub fn only_of_systems(&self) -> Vec<&'static str> {
        let order = self.order.filter(|it| it.of_machines.is_none()).map(|it| it.name);
        let backfill = self.backfill.filter(|it| it.of_machines.is_none()).map(|it| it.name);
        let fit = self.fit.filter(|it| it.of_machines.is_none()).map(|it| it.name);
        [order, backfill, fit].into_iter().flatten().collect()
    }

    /// The names of parts that systems do not have.
    pub fn not_of_systems(&self) -> Vec<&'static str> {
        let order = self.order.filter(|it| it.of_system.is_none()).map(|it| it.name);
        let backfill = self.backfill.filter(|it| it.of_system.is_none()).map(|it| it.name);
        let fit = self.fit.filter(|it| it.of_system.is_none()).map(|it| it.name);
        [order, backfill, fit].into_iter().flatten().collect()
    }
}

/// Reads the name of a part of either kind.
fn either<P: PartKind + Sync, U: PartKind + Sync>()
-> impl TypedValueParser<Value = PartChoice<P, U>> {
    let mut names: Vec<&'static str> = P::ALL.iter().map(|part| part.about().name).collect();
    let of_systems = U::ALL.iter().map(|part| part.about().name);
    names.extend(of_systems.filter(|name| P::named(name).is_err()));
    let known = names.clone();
    PossibleValuesParser::new(names).try_map(move |said| {
        let (of_machines, of_system) = (P::named(&said).ok(), U::named(&said).ok());
        let name = known.iter().find(|name| **name == said).copied();
        let name = name.ok_or("is no name of a part")?;
        Ok::<_, &'static str>(PartChoice { name, of_machines, of_system })
    })
}

/// Reads the name of a part, which help texts list.
pub fn named<P: PartKind + Sync>() -> impl TypedValueParser<Value = &'static P> {
    let names = P::ALL.iter().map(|part| PossibleValue::new(part.about().name));
    PossibleValuesParser::new(names).try_map(|name| P::named(&name))
}

/// Parts that take the place of the policy's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct PartArguments {
    /// Which waiting job is the first.
    pub order: Option<&'static OrderPart>,
    /// Who may start before the first waiting job.
    pub backfill: Option<&'static BackfillPart>,
    /// Which machines a job takes.
    pub fit: Option<&'static FitPart>,
    /// As the fit, but only where the policy counts machines.
    pub allocation: Option<&'static FitPart>,
    /// What may start as far as power and energy go.
    pub gate: Option<&'static GatePart>,
    /// Which machines are switched off and on.
    pub switching: Option<&'static SwitchingPart>,
}

impl PartArguments {
    /// The parts that are said by their names.
    pub const fn said(&self) -> SaidParts {
        let Self { order, backfill, fit, gate, switching, .. } = *self;
        SaidParts { order, backfill, fit, gate, switching }
    }

    /// A policy, where one is named, with these parts in place of its own.
    pub const fn combined(&self, policy: Option<Policy>) -> Combination {
        Combination { policy, said: self.said(), allocation: self.allocation }
    }
}
