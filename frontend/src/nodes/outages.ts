// Outages: what a form says of one, how one stands, and what it takes from whom.

import type { OutageDocument, OutagePatchRequest, OutageRequest, ScheduleItem } from '../api/schema';
import { language } from '../texts/language.svelte';
import { DAY, iso, span, when, type Clock } from '../time/words';
import { readWall, wallText } from '../time/zone';
import { parseNodes, shared } from './nodeList';

/** What the form of an outage says. Without a start it begins now, without an end it lasts until it is ended. */
export interface Draft {
  nodes: string;
  start: string;
  end: string;
  reason: string;
}

export interface Outage {
  names: string[];
  start: number | null;
  end: number | null;
  reason: string;
}
type Errors = Partial<Record<keyof Draft, string>>;

/** An outage whose end is not known is looked at for so long. */
const OPEN = 60 * DAY;

/** The form for an outage that there is; where it has begun its start stays. */
export function draftOf(outage: OutageDocument, names: readonly string[], { now, zone }: Clock): Draft {
  const start = Date.parse(outage.start);
  return {
    nodes: names.join(','),
    start: start > now ? wallText(start, zone) : '',
    end: outage.end ? wallText(Date.parse(outage.end), zone) : '',
    reason: outage.reason,
  };
}

/** What a form says, or what is wrong with it. */
export function readDraft(draft: Draft, { now, zone }: Clock): { outage: Outage } | { errors: Errors } {
  const texts = language.texts.nodes.outages;
  const errors: Errors = {};
  const list = parseNodes(draft.nodes);
  if ('error' in list) errors.nodes = list.error;
  const instant = (field: 'start' | 'end') => {
    if (draft[field] === '') return null;
    const found = readWall(draft[field], zone);
    if (found === null) errors[field] = texts.dateAndTime;
    return found;
  };
  const [start, end] = [instant('start'), instant('end')];
  if (end !== null && end <= (start ?? now)) errors.end = start === null ? texts.timeToCome : texts.timeAfterStart;
  if (draft.reason.trim() === '') errors.reason = texts.sayWhy;
  if ('error' in list || Object.keys(errors).length > 0) return { errors };
  return { outage: { names: list.names, start, end, reason: draft.reason.trim() } };
}

/** An outage as the API takes it. */
export function requestOf({ names, start, end, reason }: Outage): OutageRequest {
  return { nodes: names, reason, ...(start === null ? {} : { start: iso(start) }), ...(end === null ? {} : { end: iso(end) }) };
}

/** What a form changes of an outage, by the form that it began with: what was not touched stays, also where it is finer than a form shows. */
export function patchOf({ names, start, end, reason }: Outage, draft: Draft, first: Draft): OutagePatchRequest {
  return {
    ...(draft.nodes === first.nodes ? {} : { nodes: names }),
    ...(draft.start === first.start ? {} : { start: start === null ? null : iso(start) }),
    ...(draft.end === first.end ? {} : { end: end === null ? null : iso(end) }),
    ...(draft.reason === first.reason ? {} : { reason }),
  };
}

/** The time in which an outage takes nodes from others. */
export function spanOf({ start, end }: Pick<Outage, 'start' | 'end'>, now: number): { from: number; to: number } {
  const from = Math.max(start ?? now, now);
  return { from, to: Math.max(from + 1000, Math.min(end ?? from + OPEN, from + 366 * DAY)) };
}

/** A reservation that holds some of the nodes meanwhile. */
export interface Displaced {
  reservation: string;
  owner: string;
  state: string;
  start: number;
  end: number;
  /** How many of its nodes are out of service. */
  nodes: number;
}

/** What an outage takes already that is to be changed: from whom it takes more counts only. */
export interface Taken {
  /** The nodes that it did not have. */
  added: readonly (readonly number[])[];
  from: number;
  to: number;
}

/** What of a schedule holds nodes of some ranges; of held offers the one counts that has the most. */
export function displacedOf(
  items: readonly ScheduleItem[], ranges: readonly (readonly number[])[], { from, to }: { from: number; to: number }, taken?: Taken,
): Displaced[] {
  const found = new Map<string, Displaced>();
  for (const item of items) {
    const [start, end] = [Date.parse(item.start), Date.parse(item.end)];
    const isTaken = taken !== undefined && taken.from <= Math.max(start, from) && Math.min(end, to) <= taken.to;
    const nodes = shared(isTaken ? taken.added : ranges, item.node_ranges);
    if (nodes === 0 || start >= to || end <= from || item.state === 'completed') continue;
    const before = found.get(item.reservation_id);
    if (before && before.nodes >= nodes) continue;
    found.set(item.reservation_id, { reservation: item.reservation_id, owner: item.owner, state: item.state, start, end, nodes });
  }
  return [...found.values()].sort((a, b) => a.start - b.start);
}

/** What an outage, or a change of one, takes from others, in a sentence. */
export function displacedWords(displaced: readonly Displaced[], isChange = false): string {
  const texts = language.texts.nodes.outages;
  if (displaced.length === 0) return isChange ? texts.changeDisplacesNone : texts.displacesNone;
  const running = displaced.filter((it) => it.state === 'active').length;
  return (isChange ? texts.changeDisplaces : texts.displaces)(displaced.length, running);
}

/** Whether an outage has yet to begin; the page's clock is up to a second behind. */
export const isToCome = (outage: Pick<OutageDocument, 'start'>, now: number) => Date.parse(outage.start) > now + 1000;

/** When an outage is. */
export function timeWords(outage: Pick<OutageDocument, 'start' | 'end'>, { now, zone }: Clock): string {
  const start = Date.parse(outage.start);
  if (outage.end) return span(start, Date.parse(outage.end), now, zone);
  const { from, since } = language.texts.nodes.outages;
  return (isToCome(outage, now) ? from : since)(when(start, now, zone));
}

