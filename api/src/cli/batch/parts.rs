//! Parts of policies as arguments.

use batch::policy::{
    BackfillPart, Combination, FitPart, GatePart, OrderPart, PartKind, Policy, SaidParts,
    SwitchingPart,
};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Parts that take the place of the policy's own.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct PartArguments {
    /// Which waiting job is the first
    #[arg(long, value_name = "ORDER", value_parser = named::<OrderPart>())]
    pub order: Option<&'static OrderPart>,
    /// Who may start before the first waiting job
    #[arg(long, value_name = "BACKFILLING", value_parser = named::<BackfillPart>())]
    pub backfill: Option<&'static BackfillPart>,
    /// Which machines a job takes
    #[arg(long, value_name = "FIT", value_parser = named::<FitPart>())]
    pub fit: Option<&'static FitPart>,
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

/// Reads the name of a part, which help texts list.
fn named<P: PartKind + Sync>() -> impl TypedValueParser<Value = &'static P> {
    let names = P::ALL.iter().map(|part| PossibleValue::new(part.about().name));
    PossibleValuesParser::new(names).try_map(|name| P::named(&name))
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
