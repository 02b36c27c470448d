// What there is to choose from: the offers, the start that is recommended, and the first that is possible.

import type { DecisionDocument, OfferDocument, QuoteRequest, ReservationDocument, ReservationRequest } from '../api/schema';
import { language } from '../texts/language.svelte';
import { length } from '../time/words';
import { sameOffer, saving, titles } from '../ui/offers';
import { carbon, energy, money, percent } from '../units/format';

export interface Choice {
  offer: OfferDocument;
  /** What it is best at. */
  name: string;
  isRecommended: boolean;
  isFirst: boolean;
}

/** In time order; each start once. Of what is held only that is there to choose from. */
export function choicesOf(decision: DecisionDocument | undefined, held: ReservationDocument | undefined): Choice[] {
  const offers: readonly OfferDocument[] = held?.offers ?? decision?.offers ?? [];
  const texts = language.texts.plan.choices;
  const names = titles(offers);
  const best = held ? null : decision?.compromise;
  const first = held ? null : decision?.as_soon_as_possible;
  const is = (one: OfferDocument, other: OfferDocument | null | undefined) => other != null && sameOffer(one, other);
  const choices = offers.map((offer, index): Choice => ({
    offer, name: names[index] ?? '', isRecommended: held ? offer.compromise === true : is(offer, best), isFirst: is(offer, first),
  }));
  if (best && !choices.some((it) => it.isRecommended)) {
    choices.push({ offer: best, name: texts.goodAtEverything, isRecommended: true, isFirst: is(best, first) });
  }
  if (first && !choices.some((it) => it.isFirst)) {
    choices.push({ offer: first, name: texts.asSoonAsPossible, isRecommended: false, isFirst: true });
  }
  return choices.sort((a, b) => Date.parse(a.offer.start) - Date.parse(b.offer.start));
}

const WHAT = [
  ['cost', (value: number) => money(value, '')],
  ['co2_g', carbon],
  ['energy_j', energy],
] as const;

/** Why a start is recommended, in a sentence. */
export function whyRecommended(offer: OfferDocument, decision: DecisionDocument | undefined): string {
  const texts = language.texts.plan.choices;
  const first = decision?.as_soon_as_possible;
  // Waiting counts for what is recommended: it need not be the start that is best in all else.
  if (decision?.decision === 'optimum' && decision.offers.some((it) => sameOffer(it, offer))) return texts.bestInEverything;
  const wait = first ? Date.parse(offer.start) - Date.parse(first.start) : 0;
  if (!first || wait <= 0) return texts.nothingGained;
  const told = (wanted: 'less' | 'more') =>
    WHAT.flatMap(([key, show]) => {
      const [saved, value] = [offer.saves[key], offer[key]];
      const { kind, slight } = saving(saved, value, show);
      const share = saved + value === 0 ? '' : percent(Math.abs(saved / (saved + value)));
      return kind === wanted && !slight ? [texts[wanted][key](share)] : [];
    });
  return texts.waiting(length(wait), told('less'), told('more'));
}

/** The request with the compromise held, too. */
export const withCompromise = (request: QuoteRequest): ReservationRequest => ({ ...request, hold_compromise: true });

/**
 * The request for one start alone, at full speed: offers are held for what wins a ranking, which this one need not do.
 * Where it is the only start that is asked for, it wins all.
 */
export function onlyAt(request: QuoteRequest, offer: OfferDocument): QuoteRequest {
  const { latest_end: _, alternatives: __, slowest_speed: ___, ...rest } = request;
  const seconds = (Date.parse(offer.end) - Date.parse(offer.start)) / 1000 - (offer.later_s ?? 0);
  return { ...rest, nodes: offer.node_count, duration_s: seconds, earliest_start: offer.start, latest_start: offer.start };
}

/** Why a start cannot be booked by itself; empty where it can: one at full speed can be asked for alone. */
export const whyNotAlone = (offer: OfferDocument, isOffered: boolean): string =>
  isOffered || offer.speed == null ? '' : language.texts.plan.choices.notAlone;
