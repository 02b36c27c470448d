// The starts that nothing beats, in the one order in which people walk them: from cheap over clean to soon.

import type { DecisionDocument, OfferDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { length, when, type Clock } from '../time/words';
import { LETTERS } from '../ui/offers';
import { carbon, money } from '../units/format';
import type { Choice } from './choices';

/** What a start can be best at. */
export type Best = 'recommended' | 'cheapest' | 'cleanest' | 'soonest';

/** A start on the way from cheap to soon. */
export interface FrontStart {
  key: string;
  offer: OfferDocument;
  /** Of an offer; empty where the start has none. */
  letter: string;
  best: Best[];
}

/** What names a start, also in the next answer. */
export const keyOf = (offer: OfferDocument) => `${offer.start} ${offer.end} ${offer.node_count}`;

const startOf = (offer: OfferDocument) => Date.parse(offer.start);

/** What nothing beats in cost and CO2, from the cheapest to the cleanest. */
export function paretoOf(offers: readonly OfferDocument[]): OfferDocument[] {
  const sorted = [...offers].sort((a, b) => a.cost - b.cost || a.co2_g - b.co2_g);
  const front: OfferDocument[] = [];
  for (const it of sorted) {
    if (it.co2_g < (front.at(-1)?.co2_g ?? Infinity)) front.push(it);
  }
  return front;
}

/**
 * From the cheapest to the cleanest each start costs more and emits less. The others are in this order no gain; each of them
 * is sooner than the one before. The soonest is last.
 */
export function ordered(offers: readonly OfferDocument[]): OfferDocument[] {
  const soonest = offers.reduce<OfferDocument | undefined>((best, it) => (!best || startOf(it) < startOf(best) ? it : best), undefined);
  const others = offers.filter((it) => it !== soonest);
  const cheapToClean = paretoOf(others);
  const sooner = others.filter((it) => !cheapToClean.includes(it)).sort((a, b) => startOf(b) - startOf(a));
  return soonest ? [...cheapToClean, ...sooner, soonest] : [];
}

/** The starts to walk: those on the front and all that have letters, each once; of what is held that alone. */
export function frontStarts(decision: DecisionDocument | undefined, choices: readonly Choice[], isHeld: boolean): FrontStart[] {
  const offers = new Map<string, OfferDocument>();
  for (const offer of isHeld ? [] : (decision?.pareto ?? [])) offers.set(keyOf(offer), offer);
  // An offer says more than the same start on the front.
  for (const { offer } of choices) offers.set(keyOf(offer), offer);
  const all = ordered([...offers.values()]);
  /** Of equals the first on the way. */
  const least = (value: (offer: OfferDocument) => number) => all.reduce<OfferDocument | undefined>((best, it) => (!best || value(it) < value(best) ? it : best), undefined);
  const [cheapest, cleanest, soonest] = [least((it) => it.cost), least((it) => it.co2_g), all.at(-1)];
  return all.map((offer) => {
    const index = choices.findIndex((it) => it.offer === offer);
    const is = [
      [choices[index]?.isRecommended === true, 'recommended'],
      [offer === cheapest, 'cheapest'],
      [offer === cleanest, 'cleanest'],
      [offer === soonest, 'soonest'],
    ] as const;
    return { key: keyOf(offer), offer, letter: LETTERS[index] ?? '', best: is.flatMap(([holds, word]) => (holds ? [word] : [])) };
  });
}

/** What a start is best at, as people read it: `cheapest, soonest`. */
export const bestWords = (best: readonly Best[]) => best.map((it) => language.texts.plan.front.best[it]).join(', ');

/** `starts in 4 h` */
export function startsWords(wait: number): string {
  const texts = language.texts.plan.offer;
  return wait < 60_000 ? texts.startsAtOnce : texts.startsIn(length(wait));
}

/** `tomorrow 14:00, 3.2 EUR, 120 g CO₂, starts in 4 h`: what is spoken of a start. */
export function startWords(offer: OfferDocument, { now, zone }: Clock): string {
  const start = startOf(offer);
  return `${when(start, now, zone)}, ${money(offer.cost, offer.currency)}, ${carbon(offer.co2_g)} CO₂, ${startsWords(start - now)}`;
}

/** The same with the letter and what it is best at. */
export const frontStartWords = (it: FrontStart, clock: Clock) =>
  [startWords(it.offer, clock), bestWords(it.best), it.letter ? language.texts.plan.front.offer(it.letter) : ''].filter((it) => it !== '').join(', ');

/** What a tooltip says of a start, line by line. */
export function tipOf({ offer, letter, best }: FrontStart, clock: Clock): string[] {
  const texts = language.texts.plan.front;
  return [
    [letter, bestWords(best)].filter((it) => it !== '').join(', ') || texts.unbeaten,
    texts.whenFor(when(startOf(offer), clock.now, clock.zone), length(Date.parse(offer.end) - startOf(offer))),
    `${texts.nodes(offer.node_count)}, ${money(offer.cost, offer.currency)}, ${carbon(offer.co2_g)} CO₂`,
  ];
}

/** Where a key of the keyboard leads to of so many starts; null where it leads nowhere. */
export function indexAfter(key: string, at: number, starts: number): number | null {
  const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: starts - 1 }[key];
  return to === undefined ? null : Math.min(starts - 1, Math.max(0, to));
}

/** Words below a line, each at its share of the width, on as few rows as keep them apart; those beyond `most` rows are left out. */
export function labelRows(labels: readonly { share: number; text: string }[], width: number, most: number) {
  const rows: number[] = [];
  return labels.flatMap(({ share, text }) => {
    const wide = 7 * text.length + 8;
    const left = share * (width - wide);
    const row = rows.findIndex((until) => until <= left);
    const at = row === -1 ? rows.length : row;
    if (at >= most) return [];
    rows[at] = left + wide;
    return [{ share, text, row: at }];
  });
}
