// What there is to choose from: the offers, the start that is recommended, and the first that is possible.

import type { DecisionDocument, OfferDocument, QuoteRequest, ReservationDocument, ReservationRequest } from '../api/schema';
import { length } from '../time/words';
import { sameOffer, saving, titles } from '../ui/offers';
import { carbon, energy, money } from '../units/format';

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
  const names = titles(offers);
  const best = held ? null : decision?.compromise;
  const first = held ? null : decision?.as_soon_as_possible;
  const is = (one: OfferDocument, other: OfferDocument | null | undefined) => other != null && sameOffer(one, other);
  const choices = offers.map((offer, index): Choice => ({
    offer, name: names[index] ?? '', isRecommended: held ? offer.compromise === true : is(offer, best), isFirst: is(offer, first),
  }));
  if (best && !choices.some((it) => it.isRecommended)) {
    choices.push({ offer: best, name: 'Good at everything', isRecommended: true, isFirst: is(best, first) });
  }
  if (first && !choices.some((it) => it.isFirst)) {
    choices.push({ offer: first, name: 'As soon as possible', isRecommended: false, isFirst: true });
  }
  return choices.sort((a, b) => Date.parse(a.offer.start) - Date.parse(b.offer.start));
}

const WHAT = [
  ['cost', 'cost', (value: number) => money(value, '')],
  ['co2_g', 'CO₂', carbon],
  ['energy_j', 'energy', energy],
] as const;

/** Why a start is recommended, in a sentence. */
export function whyRecommended(offer: OfferDocument, first: OfferDocument | null | undefined, isOptimum: boolean): string {
  if (isOptimum) return 'It is best in everything: no other start costs less, emits less or needs less energy.';
  const least = 'of all starts it gives up least of what is best in cost, CO₂, energy and waiting';
  const wait = first ? Date.parse(offer.start) - Date.parse(first.start) : 0;
  if (!first || wait <= 0) return `Nothing is gained by waiting that is worth it: ${least}.`;
  const told = (kind: 'less' | 'more', of: string) =>
    WHAT.flatMap(([key, word, show]) => {
      const found = saving(offer.saves[key], offer[key], show);
      return found.kind === kind && !found.slight ? [`${found.text.replace(` ${kind}`, '')} ${of}${word}`] : [];
    });
  const list = (parts: string[]) => parts.join(', ').replace(/, ([^,]*)$/, ' and $1');
  const [less, more] = [list(told('less', 'of the ')), list(told('more', 'more '))];
  const gain = less ? `saves ${less}` : 'saves nothing that counts';
  return `Waiting ${length(wait)} ${gain} against starting at once${more ? `, and takes ${more}` : ''}; ${least}.`;
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
  isOffered || offer.speed == null
    ? ''
    : 'This start runs slower and wins no ranking, so it cannot be booked by itself. Book a start beside it, or ask for full speed.';
