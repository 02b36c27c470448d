//! What power and energy cost and emit.

use super::{
    CarbonIntensity, CarbonMass, Currency, Energy, EnergyPrice, Integral, Money, Power, proportion,
};
use crate::time::Seconds;

impl Power {
    /// The cost of drawing this power while the price has this integral.
    pub fn times_price(self, price: Integral<EnergyPrice>, currency: Currency) -> Money {
        Money::from_exact(i128::from(self.as_microwatts()) * price.as_millionth_seconds(), currency)
    }

    /// The CO2 emitted by drawing this power while the intensity has this integral.
    pub fn times_intensity(self, intensity: Integral<CarbonIntensity>) -> CarbonMass {
        CarbonMass::from_exact(i128::from(self.as_microwatts()) * intensity.as_millionth_seconds())
    }
}

impl Energy {
    /// The cost of this energy, drawn evenly over a span of that length while the price has this
    /// integral.
    pub fn times_price(
        self,
        length: Seconds,
        price: Integral<EnergyPrice>,
        currency: Currency,
    ) -> Money {
        let exact =
            proportion(self.as_microjoules(), price.as_millionth_seconds(), length.get().into());
        Money::from_exact(exact, currency)
    }

    /// The CO2 emitted by this energy, drawn evenly over a span of that length while the intensity has
    /// this integral.
    pub fn times_intensity(
        self,
        length: Seconds,
        intensity: Integral<CarbonIntensity>,
    ) -> CarbonMass {
        let exact = proportion(
            self.as_microjoules(),
            intensity.as_millionth_seconds(),
            length.get().into(),
        );
        CarbonMass::from_exact(exact)
    }
}
