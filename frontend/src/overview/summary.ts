// What the overview shows at a glance: its figures, and what waits.

import type {
  FeedsDocument, NegotiationDocument, OccupancyDocument, PowerActionDocument, PowerDocument, PowerProfileDocument, ReportDocument,
  ReservationDocument, ScheduleItem, Slurm,
} from '../api/schema';
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
  count: number;
  /** What so many of it do: `requests hold offers`. */
  what: string;
  /** The page that shows it; empty where none does. */
  href: string;
}

const forms = (count: number, one: string, many: string) => (count === 1 ? one : many);

/** `2 requests hold offers` */
export const waitWords = ({ count, what }: Wait) => `${whole(count)} ${what}`;

/** What waits for a decision, an answer or nodes; only what there is. */
export function waits({ undecided, negotiations, managed, slurm, actions }: Seen): Wait[] {
  const inState = (state: string) => undecided.data?.items.filter((it) => it.state === state).length ?? 0;
  const orMore = (isAll: boolean) => (isAll ? '' : ', or more');
  const more = orMore(undecided.data?.isAll ?? true);
  const held = inState('proposed');
  const awaiting = inState('awaiting_supplier');
  const asked = negotiations.data?.filter(isAsked).length ?? 0;
  const { jobs, isLeast } = waitingJobs(managed.data?.items ?? [], managed.data?.isAll ?? true);
  const inSlurm = slurm.data && slurm.data.mode !== 'none' ? jobs : 0;
  const proposed = actions.data?.filter((it) => it.state === 'proposed').length ?? 0;
  const all = [
    { count: held, what: forms(held, 'request holds offers', 'requests hold offers') + more, href: '#/reservations?whose=all' },
    { count: awaiting, what: forms(awaiting, 'request waits for the supplier', 'requests wait for the supplier') + more, href: '#/reservations?whose=all' },
    { count: asked, what: forms(asked, 'question to the supplier is open', 'questions to the supplier are open'), href: '#/grid' },
    { count: inSlurm, what: forms(inSlurm, 'job waits in Slurm', 'jobs wait in Slurm') + orMore(!isLeast), href: '' },
    { count: proposed, what: forms(proposed, 'power action waits for approval', 'power actions wait for approval'), href: '#/nodes?tab=switching' },
  ];
  return all.filter((it) => it.count > 0);
}

function capFigure({ power: now, profile }: Seen, at: number): Figure[] {
  const step = profile.data?.steps.find((it) => Date.parse(it.start) <= at && at < Date.parse(it.end));
  const reserved = now.data?.reserved_power_w ?? step?.reserved_power_w;
  const cap = now.data ? now.data.cap_w : step?.cap_w;
  if (reserved === undefined) return [];
  if (cap == null) return [{ name: 'cap', value: power(reserved), words: 'reserved; no cap is known' }];
  const left = reserved > cap ? `${power(reserved - cap)} above the cap` : cap > 0 ? `reserved of the cap, ${percent(1 - reserved / cap)} left` : 'reserved of the cap';
  return [{ name: 'cap', value: `${power(reserved)} of ${power(cap)}`, words: left }];
}

function nodesFigure({ book }: Seen, now: number): Figure[] {
  if (!book.data) return [];
  const { occupancy, items } = book.data;
  const all = whole(occupancy.count);
  if (items) {
    const runs = booked(items, now).running.reduce((sum, it) => sum + it.nodes, 0);
    return [{ name: 'nodes', value: `${whole(runs)} of ${all}`, words: 'nodes booked now' }];
  }
  return [{ name: 'nodes', value: percent((occupancy.booked[0] ?? 0) / 1000), words: `of ${all} nodes booked now` }];
}

function asleepFigure({ switched, actions }: Seen, { now, zone }: Clock): Figure[] {
  const isSwitching = (switched.data?.length ?? 0) + (actions.data?.length ?? 0) > 0;
  if (!switched.data || !isSwitching) return [];
  const { nodes, next } = asleep(switched.data);
  const wakes = next !== null && next > now ? `, the first is woken ${when(next, now, zone)}` : '';
  return [{ name: 'asleep', value: whole(nodes.length), words: `${nodes.length === 1 ? 'node sleeps' : 'nodes sleep'}${wakes}` }];
}

/** The figures, those that everybody looks at first. */
export function figures(seen: Seen, clock: Clock): Figure[] {
  const load = seen.power.data ? loadOf(seen.power.data) : null;
  const waiting = waits(seen);
  const only = waiting.length === 1 ? waiting[0] : undefined;
  const total = waiting.reduce((sum, it) => sum + it.count, 0);
  const saved = seen.report.data ? savedWords(seen.report.data) : [];
  return [
    ...(load ? [{ name: 'load', value: power(load.watts), words: load.words }] : []),
    ...capFigure(seen, clock.now),
    ...nodesFigure(seen, clock.now),
    { name: 'waits', value: whole(total), words: total === 0 ? 'nothing waits' : (only?.what ?? 'things wait') },
    ...asleepFigure(seen, clock),
    ...(saved.length > 0 ? [{ name: 'saved', value: saved.join(', '), words: 'saved this month against starting at once' }] : []),
  ];
}
