// Nodes as lines of a table: what each does now, and what it draws.

import type {
  FindingDocument, OutageDocument, PowerActionDocument, PowerDocument, ScheduleItem, ShownNode, SlurmOccupant,
} from '../api/schema';
import { en } from '../texts/en';
import { language } from '../texts/language.svelte';
import { rounded } from '../units/format';

/** What a node does now. */
export const STATES = ['out', 'asleep', 'waking', 'sleeping', 'used', 'held', 'occupied', 'free'] as const;
export type NodeState = (typeof STATES)[number];

/** What was read of nodes beside themselves. */
export interface Known {
  /** When, in milliseconds. */
  at: number;
  outages: readonly OutageDocument[];
  /** Who holds nodes at that instant. */
  held: readonly ScheduleItem[];
  /** Power actions that are not final, and the newest that are. */
  open: readonly PowerActionDocument[];
  final: readonly PowerActionDocument[];
  power: PowerDocument;
  findings: readonly FindingDocument[];
  occupied: readonly SlurmOccupant[];
}

export interface Holder {
  owner: string;
  /** Empty for what others than this service let run. */
  reservation: string;
}

export interface Draw {
  watts: number;
  /** `measured`: the mean of its reservation's nodes; `planned`: likewise; `idle`: what it draws when idle. */
  by: 'measured' | 'planned' | 'idle';
}

export interface Line {
  ordinal: number;
  name: string;
  partitions: readonly string[];
  features: readonly string[];
  idle: number;
  max: number;
  alpha: number | null;
  state: NodeState;
  /** Why it is out of service, or what occupies it. */
  because: string;
  holder: Holder | null;
  /** Null where nothing is known of it. */
  draw: Draw | null;
  /** A power limit in force, watts. */
  limit: number | null;
  finding: FindingDocument | null;
}

/** What a node's nearest facts are, by its place in the window that is looked at. */
interface Facts {
  out?: OutageDocument;
  item?: ScheduleItem;
  occupant?: SlurmOccupant;
}

/** The facts of nodes from one ordinal to another. */
function factsOf(known: Known, first: number, last: number): Map<number, Facts> {
  const found = new Map<number, Facts>();
  const note = (ranges: readonly number[][], fact: Facts) => {
    for (const [from = 0, to = -1] of ranges) {
      for (let at = Math.max(from, first); at <= Math.min(to, last); at += 1) found.set(at, { ...found.get(at), ...fact });
    }
  };
  const isNow = ({ start, end }: { start: string; end?: string | null }) => Date.parse(start) <= known.at && (!end || known.at < Date.parse(end));
  for (const occupant of known.occupied) if (isNow(occupant)) note(occupant.node_ranges, { occupant });
  for (const item of known.held) if (item.state === 'proposed' && isNow(item)) note(item.node_ranges, { item });
  for (const item of known.held) if (item.state !== 'proposed' && isNow(item)) note(item.node_ranges, { item });
  for (const out of known.outages) if (isNow(out)) note(out.node_ranges, { out });
  return found;
}

/** The newest power action of each node that says how it stands, and the limit in force. */
function switchedBy(known: Known): { power: Map<string, NodeState>; limit: Map<string, number> } {
  const [power, limit, seen] = [new Map<string, NodeState>(), new Map<string, number>(), new Set<string>()];
  for (const it of known.open) {
    if (it.state !== 'ordered' && it.state !== 'failed') continue;
    if (it.action === 'off') power.set(it.node, 'sleeping');
    if (it.action === 'wake') power.set(it.node, 'waking');
  }
  // The newest come first.
  for (const it of known.final) {
    const kind = it.action === 'off' || it.action === 'wake' ? 'power' : 'limit';
    if (it.state !== 'done' || seen.has(`${kind} ${it.node}`)) continue;
    seen.add(`${kind} ${it.node}`);
    if (it.action === 'off' && !power.has(it.node)) power.set(it.node, 'asleep');
    if (kind === 'limit' && it.limit_w != null) limit.set(it.node, it.limit_w);
  }
  return { power, limit };
}

function drawOf(node: ShownNode, state: NodeState, holder: Holder | null, { power }: Known): Draw | null {
  if (state === 'free' || state === 'held') return { watts: node.idle_power_w, by: 'idle' };
  const its = state === 'used' && holder ? power.reservations.find((it) => it.reservation_id === holder.reservation) : undefined;
  if (!its || its.nodes === 0) return null;
  if (its.measured_power_w != null && its.measured_nodes > 0) return { watts: its.measured_power_w / its.measured_nodes, by: 'measured' };
  return { watts: its.planned_power_w / its.nodes, by: 'planned' };
}

/** Nodes that follow each other, as lines of the table. */
export function linesOf(nodes: readonly ShownNode[], known: Known): Line[] {
  const facts = factsOf(known, nodes[0]?.ordinal ?? 0, nodes.at(-1)?.ordinal ?? -1);
  const switched = switchedBy(known);
  const findings = new Map(known.findings.map((it) => [it.node, it]));
  return nodes.map((node) => {
    const { out, item, occupant } = facts.get(node.ordinal) ?? {};
    const used = item ? (item.state === 'proposed' ? 'held' : 'used') : occupant ? 'occupied' : 'free';
    const state = out ? 'out' : (switched.power.get(node.name) ?? used);
    const holder = item && item.state !== 'proposed' ? { owner: item.owner, reservation: item.reservation_id } : null;
    return {
      ordinal: node.ordinal,
      name: node.name,
      partitions: node.partitions ?? [],
      features: node.features ?? [],
      idle: node.idle_power_w,
      max: node.max_power_w,
      alpha: node.alpha ?? null,
      state,
      because: out?.reason ?? occupant?.by ?? '',
      holder,
      draw: drawOf(node, state, holder, known),
      limit: switched.limit.get(node.name) ?? null,
      finding: findings.get(node.name) ?? null,
    };
  });
}

/** What a node draws by its meter, of what its calibration says, such as 1.05; null where that is not known. */
export function factorOf({ finding }: Pick<Line, 'finding'>): number | null {
  const { measured_max: max, max_power_w: inForce, measured_idle: idle, idle_power_w: idleInForce } = finding ?? {};
  if (max && inForce) return max.power_w / inForce;
  return idle && idleInForce ? idle.power_w / idleInForce : null;
}

/** `× 1.05`, and the node's own coefficient where it has one. */
export function factorWords(line: Pick<Line, 'finding' | 'alpha'>): string {
  const factor = factorOf(line);
  const words = [factor === null ? '' : `× ${rounded(factor)}`, line.alpha === null ? '' : `alpha ${rounded(line.alpha)}`];
  return words.filter((it) => it !== '').join(', ') || '–';
}

/** What a table of nodes is asked for. */
export interface Wanted {
  search: string;
  /** A state; all unless given. */
  state: string;
  partition: string;
  order: string;
}

/** Whether all nodes must be read for what is wanted; else those of a page are enough. */
export const needsAll = ({ search, state, partition, order }: Wanted) => search.trim() !== '' || state !== '' || partition !== '' || order !== '';

type Value = number | string;
const COLUMNS: Record<string, (line: Line) => Value> = {
  name: (it) => it.name,
  partition: (it) => it.partitions.join(', '),
  state: (it) => STATES.indexOf(it.state),
  power: (it) => it.draw?.watts ?? -1,
  who: (it) => it.holder?.owner ?? '\uffff',
  calibration: (it) => factorOf(it) ?? -1,
};

const names = new Intl.Collator('en', { numeric: true });

/** The lines that are wanted, in the order that is wanted: a column's name, with `-` before it from the greatest on. */
export function wantedOf(lines: readonly Line[], { search, state, partition, order }: Wanted): Line[] {
  const terms = search.toLowerCase().split(/\s+/).filter((it) => it !== '');
  const states = language.texts.nodes.table.states;
  const found = lines.filter((it) => {
    if (state !== '' && it.state !== state) return false;
    if (partition !== '' && !it.partitions.includes(partition)) return false;
    const text = [it.name, states[it.state], it.because, it.holder?.owner, ...it.partitions, ...it.features].join(' ').toLowerCase();
    return terms.every((term) => text.includes(term));
  });
  const [column, sign] = order.startsWith('-') ? [order.slice(1), -1] : [order, 1];
  const of = COLUMNS[column];
  if (!of) return found;
  const compare = (a: Value, b: Value) => (typeof a === 'number' && typeof b === 'number' ? a - b : names.compare(String(a), String(b)));
  return found.sort((a, b) => sign * compare(of(a), of(b)));
}

/** The order that a press on a column's head leads to: by it, then the other way round, then as listed. */
export function nextOrder(order: string, column: string): string {
  if (order === column) return `-${column}`;
  return order === `-${column}` ? '' : column;
}

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The lines as a table for other programs, which is the same in every language. */
export function csvOf(lines: readonly Line[]): string {
  const head = 'name,partitions,features,state,because,owner,reservation,power_w,power_by,idle_power_w,max_power_w,alpha,measured_of_calibrated';
  const rows = lines.map((it) => {
    const { name, partitions, features, state, because, holder, draw, idle, max, alpha } = it;
    const cells = [name, partitions.join(';'), features.join(';'), en.nodes.table.states[state], because, holder?.owner, holder?.reservation,
      draw?.watts, draw?.by, idle, max, alpha, factorOf(it)];
    return cells.map((cell) => quoted(String(cell ?? ''))).join(',');
  });
  return `${[head, ...rows].join('\n')}\n`;
}
