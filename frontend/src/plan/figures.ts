// What of an offer people compare: cost, CO2 and energy, each against starting as soon as possible.

import type { OfferDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { saving, type Saving } from '../ui/offers';
import { carbon, energy, exactCarbon, exactEnergy, exactMoney, money } from '../units/format';

export interface Figure {
  name: string;
  value: string;
  /** Nothing rounded, and between what it will lie where it rests on an estimate. */
  exact: string;
  saving: Saving;
}

function likely(text: string, low: number | null | undefined, high: number | null | undefined, show: (value: number) => string) {
  return low == null || high == null ? text : language.texts.plan.figures.likely(text, show(low), show(high));
}

export function figuresOf(offer: OfferDocument): Figure[] {
  const euros = (amount: number) => money(amount, offer.currency);
  const texts = language.texts.plan.figures;
  return [
    {
      name: texts.cost,
      value: euros(offer.cost),
      exact: likely(exactMoney(offer.cost, offer.currency), offer.cost_low, offer.cost_high, euros),
      saving: saving(offer.saves.cost, offer.cost, euros),
    },
    {
      name: texts.co2,
      value: carbon(offer.co2_g),
      exact: likely(exactCarbon(offer.co2_g), offer.co2_low_g, offer.co2_high_g, carbon),
      saving: saving(offer.saves.co2_g, offer.co2_g, carbon),
    },
    {
      name: texts.energy,
      value: energy(offer.energy_j),
      exact: exactEnergy(offer.energy_j),
      saving: saving(offer.saves.energy_j, offer.energy_j, energy),
    },
  ];
}

/** What one start saves against another, by figure. */
export function against(offer: OfferDocument, other: OfferDocument): Saving[] {
  const euros = (amount: number) => money(amount, offer.currency);
  return [
    saving(other.cost - offer.cost, offer.cost, euros),
    saving(other.co2_g - offer.co2_g, offer.co2_g, carbon),
    saving(other.energy_j - offer.energy_j, offer.energy_j, energy),
  ];
}
