// Offers as people compare them: their names, and what they save against starting as soon as possible.

import type { HeldOffer, OfferDocument, ReservationDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { length } from '../time/words';
import { money, percent } from '../units/format';

/** Offers are called by letters, in their order. */
export const LETTERS = 'ABCDEFGH';

const CRITERIA = ['energy', 'cost', 'co2'] as const;

/** `cost, then CO₂, then energy` of `cost_co2_energy`. */
export function rankingWords(ranking: string): string {
  const texts = language.texts.ui.offers;
  const names: Record<string, string> = texts.criteria;
  return texts.ranking(ranking.split('_').map((criterion) => names[criterion] ?? criterion));
}

/** The criteria that stand at a place of the rankings by which an offer is the best. */
function wonAt(offer: OfferDocument, place: number) {
  const won = new Set((offer.rankings ?? []).map((ranking) => ranking.split('_')[place] ?? ''));
  return CRITERIA.filter((criterion) => won.has(criterion));
}

/** What an offer is best at: `Cheapest`, `Cheapest and cleanest`, `Best in everything`. */
export function title(offer: OfferDocument): string {
  const texts = language.texts.ui.offers;
  const won = wonAt(offer, 0);
  if (won.length > 0) return texts.best(won);
  return offer.compromise ? texts.compromise : texts.soonest;
}

/** A name with what else the offer is best at, where another has the same name: `Cheapest, then cleanest`. */
function longTitle(name: string, offer: OfferDocument): string {
  const next = wonAt(offer, 1);
  return next.length > 0 ? language.texts.ui.offers.alsoBest(name, next) : name;
}

/** What each of several offers is best at, so that no two of them have the same name. */
export function titles(offers: readonly OfferDocument[]): string[] {
  const plain = offers.map(title);
  const isShared = (name: string, all: readonly string[]) => all.filter((it) => it === name).length > 1;
  const longer = offers.map((offer, index) => {
    const name = plain[index] ?? '';
    return isShared(name, plain) ? longTitle(name, offer) : name;
  });
  return longer.map((name, index) => {
    const before = longer.slice(0, index).filter((it) => it === name).length;
    return before > 0 ? `${name} (${before + 1})` : name;
  });
}

export interface Saving {
  kind: 'less' | 'more' | 'same';
  text: string;
  /** Whether it is too little to choose by. */
  slight: boolean;
}

/**
 * What a value saves against another, such as the one of starting as soon as possible. This is the one rule for what is
 * too little to be coloured: below a hundredth, or nothing where both read the same (`show`).
 */
export function saving(saved: number, value: number, show?: (value: number) => string): Saving {
  const texts = language.texts.ui.offers;
  const reference = saved + value;
  const readsSame = show !== undefined && show(value) === show(reference);
  if (readsSame || Math.abs(saved) <= Math.abs(reference) * 5e-4) return { kind: 'same', text: texts.same, slight: true };
  const kind = saved > 0 ? 'less' : 'more';
  const share = reference === 0 ? '' : percent(Math.abs(saved / reference));
  return { kind, text: texts[kind](share), slight: Math.abs(saved) < Math.abs(reference) * 0.01 };
}

/** The offer of a reservation that was chosen, if any. */
export function chosenOffer(reservation: ReservationDocument): HeldOffer | null {
  return reservation.offers.find((it) => it.offer_id === reservation.chosen_offer_id) ?? null;
}

/** What of an offer's cost goes to the supplier for extra power; empty where nothing does. */
export function feeWords(offer: OfferDocument): string {
  const fee = offer.extra_power_fee;
  return fee ? language.texts.ui.offers.fee(money(fee, offer.currency)) : '';
}

/** How slowly an offer's nodes compute, and what that costs in time; empty at full speed. */
export function speedWords(offer: OfferDocument): string {
  if (offer.speed == null) return '';
  return language.texts.ui.offers.speed(percent(offer.speed), offer.power_state ?? '', length((offer.later_s ?? 0) * 1000));
}

/** Whether two offers are the same start on as many nodes at the same energy, cost and CO2. */
export function sameOffer(one: OfferDocument, other: OfferDocument): boolean {
  const close = (a: number, b: number) => Math.abs(a - b) <= Math.abs(a) * 1e-9;
  return (
    one.start === other.start &&
    one.end === other.end &&
    one.node_count === other.node_count &&
    close(one.energy_j, other.energy_j) &&
    close(one.cost, other.cost) &&
    close(one.co2_g, other.co2_g)
  );
}
