// The picture of cost against CO2: the Pareto front, the offers, the first start.

import type { DecisionDocument, OfferDocument } from '../api/schema';
import { LETTERS } from '../ui/offers';

export interface Dot {
  cost: number;
  co2: number;
  letter: string;
  offer: OfferDocument;
}

export interface Scatter {
  /** Starts that nothing beats in energy, cost, CO2 and delay. */
  others: Dot[];
  /** Of these, what nothing beats in cost and CO2 alone, from the cheapest to the cleanest. */
  front: Dot[];
  offers: Dot[];
  first: Dot | null;
  cost: [number, number];
  co2: [number, number];
}

const dot = (offer: OfferDocument, letter = ''): Dot => ({
  cost: offer.cost,
  co2: offer.co2_g,
  letter,
  offer,
});

/** What nothing beats in both, by rising cost. */
export function frontOf(dots: readonly Dot[]): Dot[] {
  const sorted = [...dots].sort((a, b) => a.cost - b.cost || a.co2 - b.co2);
  const front: Dot[] = [];
  for (const it of sorted) {
    if (it.co2 < (front.at(-1)?.co2 ?? Infinity)) front.push(it);
  }
  return front;
}

/** Limits with a margin around values. */
function limits(values: readonly number[]): [number, number] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const margin = (high - low) * 0.12 || Math.abs(high) * 0.1 || 1;
  return [low - margin, high + margin];
}

/** Offers whose figures are the same share a dot and its letters. */
function gathered(offers: readonly OfferDocument[]): Dot[] {
  const dots: Dot[] = [];
  offers.forEach((offer, index) => {
    const letter = LETTERS[index] ?? '';
    const same = dots.find((it) => it.cost === offer.cost && it.co2 === offer.co2_g);
    if (same) same.letter += letter;
    else dots.push(dot(offer, letter));
  });
  return dots;
}

export function scatter(decision: DecisionDocument, offers: readonly OfferDocument[]): Scatter {
  const others = decision.pareto.map((start) => dot(start));
  const marked = gathered(offers);
  const first = decision.as_soon_as_possible ? dot(decision.as_soon_as_possible) : null;
  const all = [...others, ...marked, ...(first ? [first] : [])];
  return {
    others,
    front: frontOf([...others, ...marked]),
    offers: marked,
    first,
    cost: limits(all.map((it) => it.cost)),
    co2: limits(all.map((it) => it.co2)),
  };
}
