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

/** Half the width of a mark, pixels, and half its height. */
export const halfWidth = (letters: string) => 10 + 5 * (letters.length - 1);
const HALF_HEIGHT = 10;
/** Room between a mark and the label beside it. */
const ROOM = 5;

export interface LabelPlace {
  x: number;
  y: number;
  anchor: 'start' | 'middle' | 'end';
}

/** Where a label of this width, at a dot, lies over no mark and inside of the picture: beside the dot, else above or below it. */
export function labelPlace(
  at: { x: number; y: number },
  marks: readonly { x: number; y: number; letters: string }[],
  label: number,
  picture: { width: number; height: number },
): LabelPlace {
  const own = marks.filter((it) => Math.abs(it.x - at.x) <= halfWidth(it.letters) && Math.abs(it.y - at.y) <= HALF_HEIGHT);
  const right = Math.max(at.x + HALF_HEIGHT, ...own.map((it) => it.x + halfWidth(it.letters))) + ROOM;
  const left = Math.min(at.x - HALF_HEIGHT, ...own.map((it) => it.x - halfWidth(it.letters))) - ROOM;
  const [above, below] = [at.y - 2 * HALF_HEIGHT - ROOM, at.y + 2 * HALF_HEIGHT + ROOM];
  const places: (LabelPlace & { from: number })[] = [
    { x: right, y: at.y, anchor: 'start', from: right },
    { x: left, y: at.y, anchor: 'end', from: left - label },
    { x: at.x, y: above, anchor: 'middle', from: at.x - label / 2 },
    { x: at.x, y: below, anchor: 'middle', from: at.x - label / 2 },
  ];
  const isFree = ({ from, y }: { from: number; y: number }) =>
    from >= 0 && from + label <= picture.width && y >= HALF_HEIGHT && y <= picture.height - HALF_HEIGHT &&
    marks.every((it) => it.x + halfWidth(it.letters) <= from || it.x - halfWidth(it.letters) >= from + label || Math.abs(it.y - y) >= 2 * HALF_HEIGHT);
  const { x, y, anchor } = places.find(isFree) ?? places[0]!;
  return { x, y, anchor };
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
