// What the chosen offer promised, beside what came of it by the ledger.

import type { Co2AccountingDocument, OfferDocument, ReportRowDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { when, type Clock } from '../time/words';
import { accountingWords, countedName } from '../ui/accounting';
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
/** Its name, how it is shown, what was promised and what came. */
type Row = [string, Show, Amount, Amount];

/** By how much something is not what was promised: `0.2 kWh less (12 %)`. */
export function differenceWords(promised: Amount, came: Amount, show: Show): string {
  if (promised == null || came == null) return '';
  const texts = language.texts.reservations.comparison;
  const more = came - promised;
  if (Math.abs(more) < 0.005 * Math.abs(promised) || more === 0) return texts.asPromised;
  const share = promised === 0 ? '' : percent(Math.abs(more / promised));
  return (more > 0 ? texts.more : texts.less)(show(Math.abs(more)), share);
}

const grams = (kilograms: Amount) => (kilograms == null ? null : kilograms * 1000);

/** How CO₂ that nobody plans by is counted: in the offer, and in the ledger's hours. */
export interface OtherCounted {
  promised?: Co2AccountingDocument | null;
  came?: Co2AccountingDocument | null;
}

/** CO₂ as nobody plans by it, where it was promised; what came is told where it is counted in the same way and known of all the energy. */
function otherRow(offer: OfferDocument, came: ReportRowDocument | null, counted: OtherCounted): Row[] {
  if (offer.other_co2_g == null) return [];
  const promised = accountingWords(counted.promised);
  const isAlike = promised !== '' && promised === accountingWords(counted.came);
  const really = came && isAlike && came.other_unrated_j === 0 ? grams(came.other_co2_kg) : null;
  return [[countedName(language.texts.reservations.comparison.co2, counted.promised), carbon, offer.other_co2_g, really]];
}

/** Each amount beside what came. Before all of it is known, parts are not compared with the whole. */
export function compared(
  offer: OfferDocument,
  came: ReportRowDocument | null,
  isWhole: boolean,
  counted?: Co2AccountingDocument | null,
  other: OtherCounted = {},
): Compared[] {
  const texts = language.texts.reservations.comparison;
  const cost: Show = (value) => money(value, offer.currency);
  const rows: Row[] = [
    [texts.energy, energy, offer.energy_j, came?.energy_j],
    [texts.cost, cost, offer.cost, came?.cost],
    [countedName(texts.co2, counted), carbon, offer.co2_g, grams(came?.co2_location_kg)],
    ...otherRow(offer, came, other),
    [texts.costSaved, cost, offer.saves.cost, isWhole ? came?.measured_saving_cost : null],
    [texts.co2Saved, carbon, offer.saves.co2_g, isWhole ? grams(came?.measured_saving_co2_kg) : null],
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
  const texts = language.texts.reservations.comparison;
  const until = statedTo === null ? null : Date.parse(statedTo);
  if (came === null || until === null) return texts.nothingStated;
  const share = came.measured_share ?? 0;
  const measured = [
    share <= 0 ? texts.nothingMeasured : '',
    share >= 1 ? texts.allMeasured : '',
  ].find((it) => it !== '') ?? texts.partMeasured(percent(share));
  const reach = until < end ? texts.statedUntil(when(until, now, zone)) : texts.byLedger;
  return texts.known(reach, measured);
}
