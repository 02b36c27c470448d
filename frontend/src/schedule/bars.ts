// The schedule's items as bars over rows of nodes.

import type { ScheduleItem } from '../api/schema';
import { language } from '../texts/language.svelte';
import { span, type Clock } from '../time/words';
import { nodeCount } from '../ui/nodeWords';
import { stateWord } from '../ui/reservationWords';
import type { View } from './view';

export interface Bar {
  /** Of the reservation. */
  id: string;
  offer: string;
  /** Of all its runs of nodes. */
  nodes: number;
  owner: string;
  state: string;
  start: number;
  end: number;
  /** Ordinals, both inclusive. */
  first: number;
  last: number;
}

/** An item with what is worked out once, however often the view moves. */
export interface Timed {
  item: ScheduleItem;
  start: number;
  end: number;
}

export const timed = (items: readonly ScheduleItem[]): Timed[] =>
  items.map((item) => ({ item, start: Date.parse(item.start), end: Date.parse(item.end) }));

/** One bar for each run of neighbouring nodes of each item. */
export function barsOf(items: readonly Timed[]): Bar[] {
  const bars: Bar[] = [];
  for (const { item, start, end } of items) {
    const { reservation_id: id, offer_id: offer, owner, state } = item;
    const nodes = nodeCount(item.node_ranges);
    for (const [first = 0, last = 0] of item.node_ranges) bars.push({ id, offer, nodes, owner, state, start, end, first, last });
  }
  return bars;
}

/** What of the items a view shows: the first `most`, how many there are, and of how many reservations. */
export function inView(items: readonly Timed[], { from, to }: View, most: number) {
  const reservations = new Set<string>();
  const shown: Timed[] = [];
  let count = 0;
  for (const it of items) {
    if (it.end <= from || it.start >= to) continue;
    if (count < most) shown.push(it);
    count += 1;
    reservations.add(it.item.reservation_id);
  }
  return { shown, count, reservations: reservations.size };
}

/** A hue for each name: the same every day, and neighbours in the list far apart (golden angle). */
export function hueOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return Math.round((hash * 137.508) % 360);
}

/** The bar at a node and an instant; of several the last drawn. */
export function barAt(bars: readonly Bar[], ordinal: number, at: number): Bar | null {
  return (
    bars.findLast((it) => it.first <= ordinal && ordinal <= it.last && it.start <= at && at < it.end) ?? null
  );
}

/** What a tooltip says of a bar: whose it is, when, on how many nodes, and its cost where that is known. */
export const tipOf = (bar: Bar, cost: string, { now, zone }: Clock): string[] => [
  `${bar.owner}, ${(stateWord(bar.state)).toLowerCase()}`,
  span(bar.start, bar.end, now, zone),
  language.texts.schedule.gantt.nodes(bar.nodes),
  ...(cost ? [cost] : []),
];
