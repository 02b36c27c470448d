// What a node did in a span: who had it, when it was out of service, how it was switched, what it drew.

import type {
  OccupancyDocument, OutageDocument, PowerActionDocument, PowerLogEntryDocument, QuarterDocument, ScheduleItem,
} from '../api/schema';
import { language } from '../texts/language.svelte';
import { MINUTE } from '../time/words';
import type { Span, Step } from '../ui/steps';
import { stateWord } from '../ui/reservationWords';
import { sourceWords } from './slurm';

/** Something that happened to a node, or lasts. */
export interface Entry {
  key: string;
  start: number;
  /** Null for what has no length, and for what has no end yet. */
  end: number | null;
  /** Whether it has no end yet. */
  lasts: boolean;
  what: string;
  who: string;
  why: string;
  /** The reservation that it is about; empty where it is about none. */
  reservation: string;
  /** Whose that reservation is; empty where that is not known. */
  owner: string;
}

export interface Happened {
  held: readonly ScheduleItem[];
  outages: readonly OutageDocument[];
  log: readonly PowerLogEntryDocument[];
  actions: readonly PowerActionDocument[];
}

function logEntry(it: PowerLogEntryDocument, actions: ReadonlyMap<number, PowerActionDocument>, owners: ReadonlyMap<string, string>): Entry {
  const action = it.action_id == null ? undefined : actions.get(it.action_id);
  const texts = language.texts.nodes.activity;
  const actionNames: Record<string, string> = texts.actions;
  const deeds: Record<string, string> = texts.deeds;
  const deed = deeds[it.what] ?? it.what;
  return {
    key: `log ${it.id}`,
    start: Date.parse(it.at),
    end: null,
    lasts: false,
    what: action ? texts.about(deed, actionNames[action.action] ?? action.action) : deed,
    who: it.by ?? texts.service,
    why: it.because ?? '',
    reservation: action?.reservation_id ?? '',
    owner: owners.get(action?.reservation_id ?? '') ?? '',
  };
}

/** What happened to a node, the latest first. */
export function entriesOf({ held, outages, log, actions }: Happened): Entry[] {
  const texts = language.texts.nodes.activity;
  const byId = new Map(actions.map((it) => [it.id, it]));
  const owners = new Map(held.map((it) => [it.reservation_id, it.owner]));
  const reservations = held.map((it) => ({
    key: `offer ${it.offer_id}`,
    start: Date.parse(it.start),
    end: Date.parse(it.end),
    lasts: false,
    what: texts.reservation((stateWord(it.state)).toLowerCase()),
    who: it.owner,
    why: '',
    reservation: it.reservation_id,
    owner: it.owner,
  }));
  const out = outages.map((it) => ({
    key: `outage ${it.id}`,
    start: Date.parse(it.start),
    end: it.end ? Date.parse(it.end) : null,
    lasts: !it.end,
    what: texts.outOfService,
    who: sourceWords(it),
    why: it.reason,
    reservation: '',
    owner: '',
  }));
  return [...reservations, ...out, ...log.map((it) => logEntry(it, byId, owners))].sort((a, b) => b.start - a.start);
}

/** The columns of a picture of one node in which something is so, neighbours as one span. */
export function spansOf({ from, column_s, columns }: OccupancyDocument, cells: readonly number[]): Span[] {
  const found: Span[] = [];
  const begin = Date.parse(from);
  for (let column = 0; column < columns; column += 1) {
    if ((cells[column] ?? 0) === 0) continue;
    const [start, end] = [begin + column * column_s * 1000, begin + (column + 1) * column_s * 1000];
    const last = found.at(-1);
    if (last?.end === start) last.end = end;
    else found.push({ start, end });
  }
  return found;
}

/** The power of quarter-hours as steps, watts; those of which less than half was measured are gaps. */
export function measuredSteps(quarters: readonly QuarterDocument[]): Step[] {
  return quarters.flatMap(({ start, measured_j, measured_s }) => {
    const at = Date.parse(start);
    return measured_s < 450 ? [] : [{ start: at, end: at + 15 * MINUTE, value: measured_j / measured_s }];
  });
}
