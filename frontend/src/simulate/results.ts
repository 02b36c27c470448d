// The results of a simulation: in words, as a table and as lines.

import { said } from '../api/said';
import { language } from '../texts/language.svelte';
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
  experiment: { policies?: string[]; parameters?: Record<string, unknown>; requests?: string | null };
  summary?: Summary | Summary[] | null;
}

type Share = number | null;
type Ends = [number, number] | null;

interface Savings {
  energy_j: Share;
  cost: Share;
  co2_g: Share;
}

interface Amounts {
  energy_j: number;
  cost: number;
  co2_g: number;
}

/** A policy beside starting as soon as possible, on the requests that both served. */
export interface SameRequests {
  requests: number;
  saved: Savings;
  saved_ci95: { energy_j: Ends; cost: Ends; co2_g: Ends };
}
interface Figures extends Amounts {
  start_lag_s: number;
  unsuccessful_nodes: number;
  unsuccessful_power_cap: number;
  unsuccessful_agenda_gap: number;
  occupancy: number;
  scheduled: number;
  total_energy_j: number;
  total_cost: number;
  total_co2_g: number;
}
export interface PolicySummary extends Figures {
  /** In total, of what was served. */
  month?: Amounts & { requests: number; served: number; covered_share?: number };
  same_requests?: SameRequests | null;
  ci95?: Figures;
}
export interface Summary {
  policies: Record<string, PolicySummary>;
  intervals?: { method: 't_over_runs'; runs: number } | { method: 'bootstrap_over_requests'; resamples: number; seed: number };
  parameters: { currency?: string } & Record<string, unknown>;
}

/** The policy's name for people. */
export function policyName(policy: string): string {
  const [base = policy, tolerance] = policy.split('~');
  const texts = language.texts.simulate;
  const known = POLICIES.find((id) => id === base);
  const name = known ? texts.policies[known].name : texts.ranking(base.split('_'));
  return tolerance ? texts.withTolerance(name, tolerance) : name;
}

export const isOver = (state: string) => ['finished', 'failed', 'cancelled'].includes(state);

/** The state of a simulation, in words. */
export function stateWords(it: Simulation): string {
  const texts = language.texts.simulate.states;
  switch (it.state) {
    case 'queued':
    case 'finished':
    case 'cancelled':
      return texts[it.state];
    case 'running':
      return texts.running(it.runs_done, it.runs, it.time_left_s ? length(it.time_left_s * 1000) : '');
    case 'failed':
      return texts.failed(it.error ? said(it.error) : texts.unknownWhy);
    default:
      return it.state;
  }
}

const requestsOf = (number: number) => rounded(number, 4);

/** What the table says, and how intervals were found. */
export function tableWords(summary: Summary): string {
  const texts = language.texts.simulate.result;
  const totals = texts.totals(Number(summary.parameters.runs ?? 1));
  const intervals = summary.intervals;
  if (!intervals) return totals;
  const method =
    intervals.method === 't_over_runs'
      ? texts.tOverRuns(intervals.runs)
      : texts.bootstrap(intervals.resamples, intervals.seed);
  return `${totals} ${texts.intervals(method)}`;
}

/** What the given agendas do not cover; empty where they cover all, or none is given. */
export function coverageWords(summary: Summary): string {
  const share = Object.values(summary.policies)[0]?.month?.covered_share ?? 1;
  if (share >= 1) return '';
  return language.texts.simulate.result.covered(percent(share));
}

export interface Cell {
  value: string;
  /** Half the width of the 95 % confidence interval; empty where one run says it all. */
  spread: string;
}

export const COLUMNS = ['served', 'cost', 'co2', 'energy', 'wait', 'occupancy'] as const;

/** A policy's row of the table, by `COLUMNS`: the month in total, means over the runs. */
export function row(found: PolicySummary, summary: Summary): Cell[] {
  const spread = found.ci95;
  const currency = summary.parameters.currency ?? 'EUR';
  const asked = found.month?.requests ?? Number(summary.parameters.requests ?? found.scheduled);
  const cell = (value: string, half: number | undefined, show: (value: number) => string): Cell => ({
    value,
    spread: half ? `± ${show(half)}` : '',
  });
  const euros = (it: number) => money(it, currency);
  const wait = (it: number) => length(it * 1000);
  return [
    cell(language.texts.simulate.result.servedOf(requestsOf(found.scheduled), requestsOf(asked)), spread?.scheduled, requestsOf),
    cell(euros(found.total_cost), spread?.total_cost, euros),
    cell(carbon(found.total_co2_g), spread?.total_co2_g, carbon),
    cell(energy(found.total_energy_j), spread?.total_energy_j, energy),
    cell(wait(found.start_lag_s), spread?.start_lag_s, wait),
    cell(percent(found.occupancy), spread?.occupancy, percent),
  ];
}

export interface Panel {
  key: 'energy_j' | 'cost' | 'co2_g' | 'start_lag_s';
  /** What a unit of the picture is in the table's. */
  unit: number;
  show: (value: number, currency: string) => string;
}

export const PANELS: Panel[] = [
  { key: 'energy_j', unit: 3.6e6, show: (kwh) => `${rounded(kwh)} kWh` },
  { key: 'cost', unit: 1, show: money },
  { key: 'co2_g', unit: 1, show: carbon },
  { key: 'start_lag_s', unit: 3600, show: (hours) => `${rounded(hours)} h` },
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
