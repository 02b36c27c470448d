// Which part of the book is looked at, and how it moves.

import { DAY, HOUR } from '../time/words';

export interface View {
  from: number;
  to: number;
}

export const SPANS = [
  [6 * HOUR, '6 hours'],
  [12 * HOUR, '12 hours'],
  [DAY, '1 day'],
  [3 * DAY, '3 days'],
  [7 * DAY, '1 week'],
  [28 * DAY, '4 weeks'],
] as const;

const SHORTEST = HOUR;
const LONGEST = 120 * DAY;

/** A span around now with a tenth of it in the past. */
export function around(now: number, length: number): View {
  const from = Math.floor((now - length / 10) / 900_000) * 900_000;
  return { from, to: from + length };
}

/** Moved by a share of its length. */
export function moved({ from, to }: View, share: number): View {
  const by = Math.round(((to - from) * share) / 1000) * 1000;
  return { from: from + by, to: to + by };
}

/** Longer (above 1) or shorter, with what is under `at` staying where it is. */
export function zoomed({ from, to }: View, factor: number, at = (from + to) / 2): View {
  const length = Math.min(LONGEST, Math.max(SHORTEST, (to - from) * factor));
  const share = (at - from) / (to - from);
  const start = Math.round((at - share * length) / 1000) * 1000;
  return { from: start, to: start + Math.round(length / 1000) * 1000 };
}

/** What to read for a view: on round times with room at both sides, so that small moves need nothing new. */
export function loaded({ from, to }: View): View {
  const length = to - from;
  const grain = length / 4;
  return {
    from: Math.floor((from - length / 2) / grain) * grain,
    to: Math.ceil((to + length / 2) / grain) * grain,
  };
}

/** Whether everything of a view was read. */
export const covers = (read: View, view: View) => read.from <= view.from && read.to >= view.to;
