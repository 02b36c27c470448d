// Reads nodes, and what is known of them now.

import { api, unwrap } from '../api/client';
import type { FindingDocument, NodesPage, OutageDocument, ShownNode, SlurmOccupant } from '../api/schema';
import { iso } from '../time/words';
import { allOf } from '../ui/lookUp';
import type { Known } from './table';

/** Nodes that are searched, filtered and ordered; of larger clusters these are the first. */
export const MOST = 100_000;
/** Nodes of one answer, and other things of one answer. */
const [NODES, THINGS] = [10_000, 1000];
/** Occupants beyond so many answers are not looked through. */
const MOST_PAGES = 5;
/** A cluster that is no larger is judged in one answer. */
const FEW = THINGS;

/** So many nodes from an ordinal on. */
export const readNodesFrom = (cursor: number, limit: number, signal: AbortSignal): Promise<NodesPage> =>
  unwrap(api.GET('/api/v1/nodes', { params: { query: { cursor, limit } }, signal }));

export interface AllNodes {
  nodes: ShownNode[];
  /** Of the whole cluster. */
  count: number;
}

/** Every node, `MOST` at the most; `told` hears how far it is. */
export async function readAllNodes(signal: AbortSignal, told?: (read: number, count: number) => void): Promise<AllNodes> {
  const nodes: ShownNode[] = [];
  for (let cursor: number | null = 0; ;) {
    const page: NodesPage = await readNodesFrom(cursor, NODES, signal);
    nodes.push(...page.nodes);
    told?.(nodes.length, page.count);
    cursor = page.next_cursor ?? null;
    if (cursor === null || nodes.length >= MOST) return { nodes, count: page.count };
  }
}

/** Every outage that has yet to end. */
export async function readOutages(signal: AbortSignal): Promise<OutageDocument[]> {
  const page = (cursor: string | undefined) =>
    unwrap(api.GET('/api/v1/outages', { params: { query: { limit: THINGS, ...(cursor ? { cursor } : {}) } }, signal }));
  return (await allOf(page, Infinity)).items;
}

/** Who holds which nodes from one instant to another, of the nodes from one ordinal to another. */
export const readSchedule = (from: number, to: number, first: number, last: number, signal: AbortSignal) =>
  unwrap(api.GET('/api/v1/schedule', { params: { query: { from: iso(from), to: iso(to), first_node: first, last_node: last } }, signal }));

/** What meters say of nodes: of all where there are few, else of those that stand out. */
async function readFindings(count: number, signal: AbortSignal): Promise<FindingDocument[]> {
  const read = (standing?: 'drifted' | 'outlying' | 'failing') =>
    unwrap(api.GET('/api/v1/calibrations/findings', { params: { query: { limit: THINGS, ...(standing ? { standing } : {}) } }, signal }));
  if (count <= FEW) return (await read()).items;
  const pages = await Promise.all((['drifted', 'outlying', 'failing'] as const).map((it) => read(it)));
  return pages.flatMap((page) => page.items);
}

const readPowerActions = (state: 'open' | 'final', signal: AbortSignal) =>
  unwrap(api.GET('/api/v1/power-actions', { params: { query: { state, limit: THINGS } }, signal }));

/** Jobs and reservations of others, the first of them; operators alone are told. */
export async function readOccupants(signal: AbortSignal): Promise<SlurmOccupant[]> {
  const page = (cursor: string | undefined) =>
    unwrap(api.GET('/api/v1/slurm/occupied', { params: { query: { limit: THINGS, ...(cursor ? { cursor } : {}) } }, signal }));
  return (await allOf(page, MOST_PAGES)).items;
}

/** What is known now of the nodes from one ordinal to another. */
export async function readKnown(first: number, last: number, count: number, isTold: boolean, signal: AbortSignal): Promise<Known> {
  const at = Math.floor(Date.now() / 1000) * 1000;
  const [outages, schedule, open, final, power, findings, occupied] = await Promise.all([
    readOutages(signal),
    readSchedule(at, at + 1000, first, last, signal),
    readPowerActions('open', signal),
    readPowerActions('final', signal),
    unwrap(api.GET('/api/v1/power', { signal })),
    readFindings(count, signal),
    isTold ? readOccupants(signal) : Promise.resolve([]),
  ]);
  return { at, outages, held: schedule.items, open: open.actions, final: final.actions, power, findings, occupied };
}
