// Which part of the book is looked at, and how it moves.

import { DAY, HOUR, iso } from '../time/words';

export interface View {
  from: number;
  to: number;
}

/** How long views are that can be chosen, hours. */
export const SPANS = [6, 12, 24, 72, 168, 672] as const;

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

/** The view that an address names: a span around now, or from one instant to another. */
export function viewOf(query: Readonly<Record<string, string>>, now: number): View {
  const [from, to] = [Date.parse(query.from ?? ''), Date.parse(query.to ?? '')];
  if (to - from >= SHORTEST && to - from <= LONGEST) return { from, to };
  const hours = Number(query.hours ?? 24);
  return around(now, hours >= 1 && hours <= LONGEST / HOUR ? hours * HOUR : DAY);
}

/** What an address says of a view. */
export function queryOf(view: View, now: number): Record<'hours' | 'from' | 'to', string> {
  const length = view.to - view.from;
  const isNow = SPANS.some((hours) => hours * HOUR === length) && Math.abs(around(now, length).from - view.from) <= 900_000;
  if (!isNow) return { hours: '', from: iso(view.from), to: iso(view.to) };
  return { hours: length === DAY ? '' : String(length / HOUR), from: '', to: '' };
}

type Pair = readonly [number, number];

/** What was under two fingers stays under them. `before` and `after` are shares of the width. */
export function pinched(view: View, before: Pair, after: Pair): View {
  const length = view.to - view.from;
  const apart = Math.max(0.02, Math.abs(after[1] - after[0])) / Math.max(0.02, Math.abs(before[1] - before[0]));
  const wanted = Math.min(LONGEST, Math.max(SHORTEST, length / apart));
  const at = view.from + ((before[0] + before[1]) / 2) * length;
  const start = Math.round((at - ((after[0] + after[1]) / 2) * wanted) / 1000) * 1000;
  return { from: start, to: start + Math.round(wanted / 1000) * 1000 };
}

/** How wide the names of rows are, pixels, beside the chart; the power's scale has room there, too. */
export function gutterOf(names: readonly string[]): number {
  const longest = Math.max(0, ...names.map((name) => name.length));
  return Math.min(120, Math.max(56, 12 + Math.ceil(6.4 * longest)));
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
