// The picture of cost against CO2: all starts that nothing beats, and letters at those that are offers.

import type { FrontStart } from './front';

/** Letters of offers at one place. */
export interface Mark {
  cost: number;
  co2: number;
  letters: string;
  keys: string[];
}

/** Limits with a margin around values. */
export function limits(values: readonly number[]): [number, number] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const margin = (high - low) * 0.12 || Math.abs(high) * 0.1 || 1;
  return [low - margin, high + margin];
}

type Scale = (value: number) => number;

/** The letters as they are drawn: those that would lie over each other share one mark, where the first is. */
export function letterMarks(starts: readonly FrontStart[], x: Scale, y: Scale): Mark[] {
  const drawn: Mark[] = [];
  const lettered = starts.filter((it) => it.letter !== '').sort((a, b) => (a.letter < b.letter ? -1 : 1));
  for (const { key, letter, offer } of lettered) {
    const near = drawn.find((other) => {
      const wide = 22 + 5 * (other.letters.length - 1);
      return Math.abs(x(other.cost) - x(offer.cost)) < wide && Math.abs(y(other.co2) - y(offer.co2_g)) < 21;
    });
    if (near) {
      near.letters += letter;
      near.keys.push(key);
    } else drawn.push({ cost: offer.cost, co2: offer.co2_g, letters: letter, keys: [key] });
  }
  return drawn;
}

/** The start nearest to a place, within so many pixels; of several at one place the first. */
export function nearestStart(starts: readonly FrontStart[], at: { x: number; y: number }, x: Scale, y: Scale, within: number): FrontStart | null {
  let [found, least]: [FrontStart | null, number] = [null, within];
  for (const it of starts) {
    const away = Math.hypot(x(it.offer.cost) - at.x, y(it.offer.co2_g) - at.y);
    if (away < least) [found, least] = [it, away];
  }
  return found;
}
