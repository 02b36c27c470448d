// What is told of one node.

import type { ScheduleItem } from '../api/schema';

interface NodeSet {
  nodes?: string[] | null;
  node_ranges?: number[][] | null;
}

/** Whether a set of nodes has a node: by its name, or where there are too many for names by its position. */
export function has({ nodes, node_ranges: ranges }: NodeSet, name: string, ordinal: number): boolean {
  if (nodes && nodes.length > 0) return nodes.includes(name);
  return (ranges ?? []).some(([first = 0, last = -1]) => first <= ordinal && ordinal <= last);
}

/** Those of a node that have not ended: outages, or what others occupy it by. */
export function lasting<T extends NodeSet & { end?: string | null }>(all: readonly T[], name: string, ordinal: number, now: number): T[] {
  return all.filter((it) => has(it, name, ordinal) && (it.end == null || Date.parse(it.end) > now));
}

/** Reservations once each, as offers that are held take nodes several times; by start. */
export function onePerReservation(items: readonly ScheduleItem[]): ScheduleItem[] {
  const found = new Map<string, ScheduleItem>();
  for (const it of items) {
    const key = it.state === 'proposed' ? it.offer_id : it.reservation_id;
    if (!found.has(key)) found.set(key, it);
  }
  return [...found.values()].sort((a, b) => Date.parse(a.start) - Date.parse(b.start));
}
