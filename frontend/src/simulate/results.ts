// What a simulation found, in words and as lines.

import type { Line } from '../ui/lines';
import { carbon, energy, money, percent, rounded } from '../units/format';
import { length } from '../time/words';
import { POLICIES } from './experiment';

export interface Simulation {
  id: string;
  owner: string;
  name: string;
  state: string;
  created_at: string;
  started_at?: string | null;
  ended_at?: string | null;
  runs: number;
  runs_done: number;
  time_left_s?: number | null;
  error?: string | null;
  notes: string[];
  cells: { cell: number; name: string }[];
  results: string[];
  experiment: { policies?: string[]; parameters?: Record<string, unknown> };
  summary?: Summary | Summary[] | null;
}

interface Savings {
  energy_j: number;
  cost: number;
  co2_g: number;
}
interface Figures {
  energy_j: number;
  cost: number;
  co2_g: number;
  start_lag_s: number;
  unsuccessful_nodes: number;
  unsuccessful_power_cap: number;
  unsuccessful_agenda_gap: number;
  occupancy: number;
}
export interface PolicySummary extends Figures {
  savings_vs_asap_first?: Savings | null;
  ci95?: Figures & { savings_vs_asap_first?: Savings | null };
}
export interface Summary {
  policies: Record<string, PolicySummary>;
  parameters: { currency?: string } & Record<string, unknown>;
}

/** The policy's name for people. */
export function policyName(policy: string): string {
  const [base = policy, tolerance] = policy.split('~');
  const known = POLICIES.find(([id]) => id === base)?.[1] ?? base.replaceAll('_', ', then ');
  return tolerance ? `${known}, giving way by ${tolerance} %` : known;
}

export const isOver = (state: string) => ['finished', 'failed', 'cancelled'].includes(state);

/** How a simulation stands, in words. */
export function standing(it: Simulation): string {
  switch (it.state) {
    case 'queued':
      return 'Waiting for its turn';
    case 'running': {
      const left = it.time_left_s ? `, about ${length(it.time_left_s * 1000)} left` : '';
      return `${it.runs_done} of ${it.runs} runs played${left}`;
    }
    case 'finished':
      return 'Finished';
    case 'cancelled':
      return 'Cancelled';
    case 'failed':
      return `Failed: ${it.error ?? 'nobody knows why'}`;
    default:
      return it.state;
  }
}

/** One sentence for each policy against starting as soon as possible. */
export function savingsWords(summary: Summary): string[] {
  return Object.entries(summary.policies).flatMap(([policy, found]) => {
    const saved = found.savings_vs_asap_first;
    if (!saved || policy === 'asap_first') return [];
    const part = (share: number, what: string) =>
      `${percent(Math.abs(share))} ${share >= 0 ? 'less' : 'more'} ${what}`;
    const wait = length(found.start_lag_s * 1000);
    return [
      `${policyName(policy)}: ${part(saved.cost, 'cost')}, ${part(saved.co2_g, 'CO₂')} and ${part(saved.energy_j, 'energy')} for each reservation than as soon as possible; people wait ${wait} on average.`,
    ];
  });
}

export interface Cell {
  value: string;
  /** Half the width of the 95 % confidence interval; empty where one run says it all. */
  spread: string;
}

export const COLUMNS = ['Cost', 'CO₂', 'Energy', 'Wait', 'Not fitted', 'Occupancy'] as const;

/** A policy's row of the table: means over the runs. */
export function row(found: PolicySummary, currency: string): Cell[] {
  const spread = found.ci95;
  const failed = (it: Figures) => it.unsuccessful_nodes + it.unsuccessful_power_cap + it.unsuccessful_agenda_gap;
  const cell = (value: string, half: number | undefined, show: (value: number) => string): Cell => ({
    value,
    spread: half ? `± ${show(half)}` : '',
  });
  const euros = (it: number) => money(it, currency);
  const wait = (it: number) => length(it * 1000);
  return [
    cell(euros(found.cost), spread?.cost, euros),
    cell(carbon(found.co2_g), spread?.co2_g, carbon),
    cell(energy(found.energy_j), spread?.energy_j, energy),
    cell(wait(found.start_lag_s), spread?.start_lag_s, wait),
    { value: percent(failed(found)), spread: '' },
    cell(percent(found.occupancy), spread?.occupancy, percent),
  ];
}

export interface Panel {
  key: string;
  title: string;
  /** What a unit of the picture is in the table's. */
  unit: number;
  show: (value: number, currency: string) => string;
}

export const PANELS: Panel[] = [
  { key: 'energy_j', title: 'Mean energy of a reservation', unit: 3.6e6, show: (kwh) => `${rounded(kwh)} kWh` },
  { key: 'cost', title: 'Mean cost of a reservation', unit: 1, show: money },
  { key: 'co2_g', title: 'Mean CO₂ of a reservation', unit: 1, show: carbon },
  { key: 'start_lag_s', title: 'Mean wait of a reservation', unit: 3600, show: (hours) => `${rounded(hours)} h` },
];

/** The four panels of the paper's figure 5 from `curves.csv`: lines by panel. */
export function panels(csv: string): Record<string, Line[]> {
  const [head = '', ...rows] = csv.trim().split('\n');
  const columns = head.split(',');
  const place = (name: string) => columns.indexOf(name);
  const found: Record<string, Line[]> = {};
  for (const { key, unit } of PANELS) {
    const lines = new Map<string, Line>();
    for (const text of rows) {
      const values = text.split(',');
      const name = policyName(values[place('policy')] ?? '');
      const [x, y] = [Number(values[place('requests')]), Number(values[place(key)] || NaN)];
      if (Number.isNaN(x) || Number.isNaN(y)) continue;
      const line = lines.get(name) ?? { name, points: [] };
      line.points.push({ x, y: y / unit });
      lines.set(name, line);
    }
    found[key] = [...lines.values()];
  }
  return found;
}
