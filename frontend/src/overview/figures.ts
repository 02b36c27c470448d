// The figures of the overview, from answers of the API.

import type { PowerActionDocument, PowerDocument, ReportDocument, ReservationDocument, ScheduleItem } from '../api/schema';
import { language } from '../texts/language.svelte';
import { format, instantOf } from '../time/zone';
import { nodeCount } from '../ui/nodeWords';
import { carbon, money } from '../units/format';

export interface Load {
  watts: number;
  /** Whether it is measured, and of what. */
  words: string;
}

/** What is drawn now: measured where it is measured as a whole, else as planned. */
export function loadOf({ cluster, site_power_w }: PowerDocument): Load {
  const texts = language.texts.overview.figures;
  if (site_power_w != null) return { watts: site_power_w, words: texts.drawnBySite };
  if (cluster.measured_power_w != null && cluster.measured_nodes === cluster.nodes) {
    return { watts: cluster.measured_power_w, words: texts.drawnByNodes };
  }
  return { watts: cluster.planned_power_w, words: texts.planned };
}

export interface Draw {
  watts: number;
  isMeasured: boolean;
}

/** What the nodes of a reservation draw now: measured where all of them are, else as planned; null where neither is known. */
export function drawOf(power: PowerDocument | null | undefined, id: string): Draw | null {
  const own = power?.reservations.find((it) => it.reservation_id === id);
  if (!own) return null;
  const isMeasured = own.measured_power_w != null && own.measured_nodes === own.nodes;
  return { watts: isMeasured ? (own.measured_power_w ?? 0) : own.planned_power_w, isMeasured };
}

export interface Booked {
  id: string;
  owner: string;
  nodes: number;
  start: number;
  end: number;
}

const largestFirst = (a: Booked, b: Booked) => b.nodes - a.nodes || a.end - b.end;
const soonestFirst = (a: Booked, b: Booked) => a.start - b.start || b.nodes - a.nodes;

/** What is booked and runs now, and what begins after now. A reservation may be several items, one for each set of nodes. */
export function booked(items: readonly ScheduleItem[], now: number): { running: Booked[]; coming: Booked[] } {
  const found = new Map<string, Booked>();
  for (const it of items) {
    const [start, end] = [Date.parse(it.start), Date.parse(it.end)];
    if ((it.state !== 'confirmed' && it.state !== 'active') || end <= now) continue;
    // Nodes that come later take the place of others, and are no more of them.
    const key = `${it.reservation_id} ${start <= now}`;
    const nodes = nodeCount(it.node_ranges);
    const before = found.get(key);
    if (!before) found.set(key, { id: it.reservation_id, owner: it.owner, nodes, start, end });
    else if (start <= now) Object.assign(before, { nodes: before.nodes + nodes, end: Math.max(before.end, end) });
  }
  const all = [...found.values()];
  const running = all.filter((it) => it.start <= now).sort(largestFirst);
  const runs = new Set(running.map((it) => it.id));
  return { running, coming: all.filter((it) => it.start > now && !runs.has(it.id)).sort(soonestFirst) };
}

export interface Asleep {
  nodes: string[];
  /** When the first of them is woken; null where that is not planned. */
  next: number | null;
}

/** Nodes that were seen to be off and have not been woken since, by final actions, the newest first. */
export function asleep(actions: readonly PowerActionDocument[]): Asleep {
  const newest = new Map<string, PowerActionDocument>();
  for (const it of actions) {
    const isSwitch = (it.action === 'off' || it.action === 'wake') && it.state === 'done';
    if (isSwitch && !newest.has(it.node)) newest.set(it.node, it);
  }
  const off = [...newest.values()].filter((it) => it.action === 'off');
  const wakes = off.flatMap((it) => (it.wake_at ? [Date.parse(it.wake_at)] : []));
  return { nodes: off.map((it) => it.node).sort(), next: wakes.length > 0 ? Math.min(...wakes) : null };
}

export interface WaitingJobs {
  jobs: number;
  /** Whether there may be more, since of each reservation some jobs only are listed. */
  isLeast: boolean;
}

/** Jobs that wait in Slurm in reservations. */
export function waitingJobs(reservations: readonly ReservationDocument[], isAll: boolean): WaitingJobs {
  const managed = reservations.flatMap((it) => (it.slurm ? [it.slurm] : []));
  const jobs = managed.reduce((sum, it) => sum + it.jobs.filter((job) => job.state.startsWith('PENDING')).length, 0);
  return { jobs, isLeast: !isAll || managed.some((it) => it.jobs_count > it.jobs.length) };
}

/** The first instant of the month in which an instant lies in a zone. */
export function monthStart(now: number, zone: string): number {
  const parts = format(zone, { year: 'numeric', month: 'numeric' }, 'en-GB').formatToParts(now);
  const part = (type: string) => Number(parts.find((it) => it.type === type)?.value);
  return instantOf(Date.UTC(part('year'), part('month') - 1, 1), zone);
}

/** What was saved against starting at once, by what was measured; nothing where that is not known. */
export function savedWords({ rows }: ReportDocument): string[] {
  const words: string[] = [];
  for (const { currency, measured_saving_cost: cost, measured_saving_co2_kg: co2 } of rows) {
    if (cost != null) words.push(money(cost, currency));
    if (co2 != null) words.push(`${carbon(co2 * 1000)} CO₂`);
  }
  return words;
}
