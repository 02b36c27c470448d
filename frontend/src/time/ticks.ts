// Where a time axis has its marks: at round wall times of the zone, whatever clocks do in between.

import { DAY, HOUR, MINUTE, day, timeOfDay } from './words';
import { instantOf, wallOf } from './zone';

export interface Tick {
  at: number;
  label: string;
  /** Whether a day begins here. */
  isDay: boolean;
}

const STEPS = [
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  28 * DAY,
];

/** The smallest round step that gives at most `most` marks. */
export function stepFor(length: number, most: number): number {
  return STEPS.find((step) => length / step <= most) ?? 91 * DAY;
}

export interface Label {
  mark: Tick;
  /** Where its middle is. */
  middle: number;
}

/** About how wide a character of a label is; those of days are bold. */
const CHARACTER = 6.4;
const BOLD = 7.2;

/** Marks whose labels have room, each within the width; days are labelled before hours. */
export function labelled(marks: readonly Tick[], x: (at: number) => number, width: number): Label[] {
  const taken: { left: number; right: number; label: Label }[] = [];
  for (const mark of [...marks.filter((it) => it.isDay), ...marks.filter((it) => !it.isDay)]) {
    const half = (mark.label.length * (mark.isDay ? BOLD : CHARACTER)) / 2;
    const middle = Math.min(Math.max(x(mark.at), half + 1), width - half - 1);
    const [left, right] = [middle - half - 3, middle + half + 3];
    if (taken.every((it) => right <= it.left || left >= it.right)) taken.push({ left, right, label: { mark, middle } });
  }
  return taken.sort((a, b) => a.left - b.left).map((it) => it.label);
}

/** Marks within `[from, to]`, at most about `most`. */
export function ticks(from: number, to: number, zone: string, most: number): Tick[] {
  const step = stepFor(to - from, most);
  const marks: Tick[] = [];
  const last = wallOf(to, zone);
  // One step early: an hour that comes twice begins before its wall time says.
  let wall = Math.floor(wallOf(from, zone) / step) * step - step;
  for (; wall <= last + step; wall += step) {
    const at = instantOf(wall, zone);
    const before = marks.at(-1);
    if (at < from || at > to || (before && at <= before.at)) continue;
    const isDay = wallOf(at, zone) % DAY === 0;
    marks.push({ at, label: isDay ? day(at, zone) : timeOfDay(at, zone), isDay });
  }
  return marks;
}
