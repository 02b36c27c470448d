// What the chosen offer promised, beside what came of it by the ledger.

import type { OfferDocument, ReportRowDocument } from '../api/schema';
import { when, type Clock } from '../time/words';
import { carbon, energy, money, percent } from '../units/format';

export interface Compared {
  name: string;
  promised: string;
  /** Empty while it is not known. */
  came: string;
  difference: string;
}

type Amount = number | null | undefined;
type Show = (value: number) => string;

/** By how much something is not what was promised: `0.2 kWh less (12 %)`. */
export function differenceWords(promised: Amount, came: Amount, show: Show): string {
  if (promised == null || came == null) return '';
  const more = came - promised;
  if (Math.abs(more) < 0.005 * Math.abs(promised) || more === 0) return 'as promised';
  const share = promised === 0 ? '' : ` (${percent(Math.abs(more / promised))})`;
  return `${show(Math.abs(more))} ${more > 0 ? 'more' : 'less'}${share}`;
}

/** Each amount beside what came. Before all of it is known, parts are not compared with the whole. */
export function compared(offer: OfferDocument, came: ReportRowDocument | null, isWhole: boolean): Compared[] {
  const cost: Show = (value) => money(value, offer.currency);
  const grams = (kilograms: Amount) => (kilograms == null ? null : kilograms * 1000);
  const rows: [string, Show, Amount, Amount][] = [
    ['Energy', energy, offer.energy_j, came?.energy_j],
    ['Cost', cost, offer.cost, came?.cost],
    ['CO₂', carbon, offer.co2_g, grams(came?.co2_location_kg)],
    ['Cost saved', cost, offer.saves.cost, isWhole ? came?.measured_saving_cost : null],
    ['CO₂ saved', carbon, offer.saves.co2_g, isWhole ? grams(came?.measured_saving_co2_kg) : null],
  ];
  return rows.map(([name, show, promised, really]) => ({
    name,
    promised: promised == null ? '–' : show(promised),
    came: really == null ? '' : show(really),
    difference: isWhole ? differenceWords(promised, really, show) : '',
  }));
}

/** How far what came is known, and how much of it was measured. */
export function knownWords(came: ReportRowDocument | null, statedTo: string | null, end: number, { now, zone }: Clock): string {
  const until = statedTo === null ? null : Date.parse(statedTo);
  if (came === null || until === null) return 'The ledger has nothing of it yet: it states an hour some time after its end.';
  const share = came.measured_share ?? 0;
  const measured = [
    share <= 0 ? 'nothing was measured: it is estimated' : '',
    share >= 1 ? 'all of the energy was measured' : '',
  ].find((it) => it !== '') ?? `${percent(share)} of the energy was measured, the rest is estimated`;
  const reach = until < end ? `Stated until ${when(until, now, zone)}` : 'By the ledger';
  return `${reach}; ${measured}.`;
}
