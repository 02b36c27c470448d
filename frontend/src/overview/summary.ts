// What the overview shows at a glance: its figures, and what waits.

import type {
  FeedsDocument, NegotiationDocument, OccupancyDocument, PowerActionDocument, PowerDocument, PowerProfileDocument, ReportDocument,
  ReservationDocument, ScheduleItem, Slurm,
} from '../api/schema';
import { language } from '../texts/language.svelte';
import { when, type Clock } from '../time/words';
import { isAsked } from '../ui/negotiations';
import { percent, power, whole } from '../units/format';
import { asleep, booked, loadOf, savedWords, waitingJobs } from './figures';

/** Null where it may not be read, undefined where it is not there yet. */
export interface Read<T> {
  readonly data: T | null | undefined;
}

/** What was read, as far as the caller may read it. */
export interface Seen {
  slurm: Read<Slurm>;
  feeds: Read<FeedsDocument>;
  power: Read<PowerDocument>;
  profile: Read<PowerProfileDocument>;
  book: Read<{ occupancy: OccupancyDocument; items: readonly ScheduleItem[] | null }>;
  negotiations: Read<readonly NegotiationDocument[]>;
  undecided: Read<{ items: readonly ReservationDocument[]; isAll: boolean }>;
  managed: Read<{ items: readonly ReservationDocument[]; isAll: boolean }>;
  /** Those that are not final, and those that are, the newest first. */
  actions: Read<readonly PowerActionDocument[]>;
  switched: Read<readonly PowerActionDocument[]>;
  report: Read<ReportDocument>;
}

export interface Figure {
  name: string;
  value: string;
  words: string;
}

export interface Wait {
  id: string;
  count: number;
  /** What so many of it do: `requests hold offers`. */
  what: string;
  /** The page that shows it; empty where none does. */
  href: string;
}

/** `2 requests hold offers` */
export const waitWords = ({ count, what }: Wait) => `${whole(count)} ${what}`;

/** What waits for a decision, an answer or nodes; only what there is. */
export function waits({ undecided, negotiations, managed, slurm, actions }: Seen): Wait[] {
  const inState = (state: string) => undecided.data?.items.filter((it) => it.state === state).length ?? 0;
  const texts = language.texts.overview.waits;
  const isSome = undecided.data?.isAll === false;
  const held = inState('proposed');
  const awaiting = inState('awaiting_supplier');
  const asked = negotiations.data?.filter(isAsked).length ?? 0;
  const { jobs, isLeast } = waitingJobs(managed.data?.items ?? [], managed.data?.isAll ?? true);
  const inSlurm = slurm.data && slurm.data.mode !== 'none' ? jobs : 0;
  const proposed = actions.data?.filter((it) => it.state === 'proposed').length ?? 0;
  const all = [
    { id: 'held', count: held, what: texts.held(held, isSome), href: '#/reservations?whose=all' },
    { id: 'awaiting', count: awaiting, what: texts.awaiting(awaiting, isSome), href: '#/reservations?whose=all' },
    { id: 'asked', count: asked, what: texts.asked(asked), href: '#/grid' },
    { id: 'jobs', count: inSlurm, what: texts.jobs(inSlurm, isLeast), href: '' },
    { id: 'actions', count: proposed, what: texts.actions(proposed), href: '#/nodes?tab=switching' },
  ];
  return all.filter((it) => it.count > 0);
}

function capFigure({ power: now, profile }: Seen, at: number): Figure[] {
  const step = profile.data?.steps.find((it) => Date.parse(it.start) <= at && at < Date.parse(it.end));
  const reserved = now.data?.reserved_power_w ?? step?.reserved_power_w;
  const cap = now.data ? now.data.cap_w : step?.cap_w;
  if (reserved === undefined) return [];
  const texts = language.texts.overview.figures;
  if (cap == null) return [{ name: 'cap', value: power(reserved), words: texts.noCap }];
  const left = cap > 0 ? texts.ofCapLeft(percent(1 - reserved / cap)) : texts.ofCap;
  const words = reserved > cap ? texts.aboveCap(power(reserved - cap)) : left;
  return [{ name: 'cap', value: texts.of(power(reserved), power(cap)), words }];
}

function nodesFigure({ book }: Seen, now: number): Figure[] {
  if (!book.data) return [];
  const { occupancy, items } = book.data;
  const texts = language.texts.overview.figures;
  const all = whole(occupancy.count);
  if (items) {
    const runs = booked(items, now).running.reduce((sum, it) => sum + it.nodes, 0);
    return [{ name: 'nodes', value: texts.of(whole(runs), all), words: texts.nodesBooked }];
  }
  return [{ name: 'nodes', value: percent((occupancy.booked[0] ?? 0) / 1000), words: texts.ofNodesBooked(all) }];
}

function asleepFigure({ switched, actions }: Seen, { now, zone }: Clock): Figure[] {
  const isSwitching = (switched.data?.length ?? 0) + (actions.data?.length ?? 0) > 0;
  if (!switched.data || !isSwitching) return [];
  const { nodes, next } = asleep(switched.data);
  const texts = language.texts.overview.figures;
  const words = next !== null && next > now ? texts.asleepUntil(nodes.length, when(next, now, zone)) : texts.asleep(nodes.length);
  return [{ name: 'asleep', value: whole(nodes.length), words }];
}

/** The figures, those that everybody looks at first. */
export function figures(seen: Seen, clock: Clock): Figure[] {
  const texts = language.texts.overview.figures;
  const load = seen.power.data ? loadOf(seen.power.data) : null;
  const waiting = waits(seen);
  const only = waiting.length === 1 ? waiting[0] : undefined;
  const total = waiting.reduce((sum, it) => sum + it.count, 0);
  const saved = seen.report.data ? savedWords(seen.report.data) : [];
  return [
    ...(load ? [{ name: 'load', value: power(load.watts), words: load.words }] : []),
    ...capFigure(seen, clock.now),
    ...nodesFigure(seen, clock.now),
    { name: 'waits', value: whole(total), words: total === 0 ? texts.nothingWaits : (only?.what ?? texts.thingsWait) },
    ...asleepFigure(seen, clock),
    ...(saved.length > 0 ? [{ name: 'saved', value: saved.join(', '), words: texts.saved }] : []),
  ];
}
