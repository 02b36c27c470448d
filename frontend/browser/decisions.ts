// What the service could answer to a request: made up, so that it does not depend on the hour.

import type { BasisDocument, BindingDocument, DecisionDocument, OfferDocument, ReasonDocument } from '../src/api/schema';
import { hours } from './tour';

export const range = <T>(many: number, of: (index: number) => T): T[] => Array.from({ length: many }, (_, index) => of(index));

/** A name that cannot be broken between words. */
export const LONG = 'computational_fluid_dynamics_of_turbines_in_rivers_of_the_north';

/** What starting at once takes. */
const FIRST = { cost: 1.2, co2_g: 520, energy_j: 1.4e7 };

/** A start so many hours ahead. */
export function offer(ahead: number, more: Partial<OfferDocument> = {}): OfferDocument {
  const of = { ...FIRST, ...more };
  const saves = { cost: FIRST.cost - of.cost, co2_g: FIRST.co2_g - of.co2_g, energy_j: FIRST.energy_j - of.energy_j };
  return {
    start: hours(ahead), end: hours(ahead + 2), node_count: 8, currency: 'EUR', peak_power_w: 1712, delay_s: ahead * 3600, rankings: [], saves, ...of,
  };
}

export const SOONEST = offer(0.02);
export const FRUGAL = offer(3, { cost: 1.05, co2_g: 470, energy_j: 1.36e7, rankings: ['energy_cost_co2', 'energy_co2_cost'] });
export const CHEAPEST = offer(9, { cost: 0.61, co2_g: 410, rankings: ['cost_co2_energy', 'cost_energy_co2'] });
export const GOOD = offer(11, { cost: 0.68, co2_g: 230 });
export const CLEANEST = offer(14, { cost: 0.83, co2_g: 196, rankings: ['co2_cost_energy', 'co2_energy_cost'] });
/** Starts between the cheapest and the cleanest that nothing beats. */
const BETWEEN = range(30, (index) => offer(9.1 + index / 8, { cost: 0.615 + index * 0.007, co2_g: 400 - index * 6.7 }));

const basis = (quantity: string, more: Partial<BasisDocument> = {}): BasisDocument => ({
  quantity, source: 'demo', standing: 'fresh', quality: 'forecast', issued_at: hours(-2), received_at: hours(-1), ...more,
});
const CHOICE: DecisionDocument = {
  decision: 'choice', candidate_starts: 97, offers: [FRUGAL, CHEAPEST, CLEANEST], pareto: [CHEAPEST, ...BETWEEN, CLEANEST], compromise: GOOD,
  as_soon_as_possible: SOONEST, reasons: [], basis: ['price', 'co2', 'power_cap'].map((it) => basis(it)), explanation: { rankings: [] },
};

/** An answer to whatever is asked. */
export const choice = (more: Partial<DecisionDocument> = {}) => (): DecisionDocument => ({ ...CHOICE, ...more });
/** The same with all of its starts changed. */
export function changed(change: (one: OfferDocument, index: number) => Partial<OfferDocument>, more: Partial<DecisionDocument> = {}) {
  const made = { ...CHOICE, ...more };
  const all = [...made.offers, ...made.pareto, made.compromise, made.as_soon_as_possible].filter((it) => it != null);
  const to = new Map([...new Set(all)].map((it, index) => [it, { ...it, ...change(it, index) }]));
  const of = (it: OfferDocument) => to.get(it) ?? it;
  const [best, first] = [made.compromise, made.as_soon_as_possible];
  return (): DecisionDocument => ({
    ...made, offers: made.offers.map(of), pareto: made.pareto.map(of), compromise: best && of(best), as_soon_as_possible: first && of(first),
  });
}
/** One start is best in everything. */
export const only = (one: OfferDocument, first = one, recommended = one) =>
  choice({ decision: 'optimum', offers: [one], pareto: [one], compromise: recommended, as_soon_as_possible: first });

export const reason = (code: string, binding: Partial<BindingDocument>, detail = ''): ReasonDocument => ({
  code, detail, excluded_starts: 97, binding: { at_start: hours(3), start: hours(3), end: hours(5), ...binding },
});
const QUOTA =
  `the quota ${LONG},*,*,/ of the rules "default" allows 20 nodes; 4 are used, 16 are left, and 18 more are asked for; ` +
  `the next start that keeps the quotas is ${hours(40)}`;
/** Everything that can keep a request from starting, each once. */
export const REASONS = [
  reason('no_slot', { slot_s: 900, slot_before: hours(-1), slot_after: hours(1) }),
  reason('agenda_gap', { missing_agenda: 'co2' }),
  reason('nodes', { missing_nodes: 1234 }),
  reason('power_cap', { missing_power_w: 123_456 }),
  reason('quota', {}, QUOTA),
];
export const impossible = (reasons: ReasonDocument[]) =>
  choice({ decision: 'impossible', offers: [], pareto: [], compromise: null, as_soon_as_possible: null, reasons });
