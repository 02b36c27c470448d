// The lines of a report: summed up, named, and as columns of text.

import type { ReportRowDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { csvOf, type Cell } from '../ui/csv';
import { carbon, money, percent } from '../units/format';

/** What lines may be by, in the order of their columns. */
export const KEYS = ['user', 'project', 'application', 'partition'] as const;
export type Key = (typeof KEYS)[number];

export interface Savings {
  currency: string;
  cost: number | null;
  /** What the chosen offers save against starting as soon as possible. */
  promised: number | null;
  /** The same for the energy that was really consumed. */
  measured: number | null;
}

export interface Sums {
  energy_kwh: number;
  /** Of what was measured. */
  measured_share: number;
  /** The same of the energy of lines whose savings are known; null where none are. */
  saving_measured_share: number | null;
  co2_location_kg: number | null;
  promised_saving_co2_kg: number | null;
  measured_saving_co2_kg: number | null;
  /** By currency. */
  costs: Savings[];
}

/** Both together; what is not known is nothing beside what is known. */
const plus = (one: number | null, other: number | null | undefined) =>
  other === null || other === undefined ? one : (one ?? 0) + other;

const SAVINGS = ['promised_saving_cost', 'promised_saving_co2_kg', 'measured_saving_cost', 'measured_saving_co2_kg'] as const;

/** Whether anything is known of starting as soon as possible. */
export const isCompared = (row: ReportRowDocument) => SAVINGS.some((key) => row[key] !== null && row[key] !== undefined);

/** How much of the energy of lines was measured. */
function measuredShare(rows: readonly ReportRowDocument[]): number | null {
  const whole = rows.reduce((sum, row) => sum + row.energy_kwh, 0);
  return whole > 0 ? rows.reduce((sum, row) => sum + row.energy_kwh * (row.measured_share ?? 0), 0) / whole : null;
}

/** Everything together. */
export function sums(rows: readonly ReportRowDocument[]): Sums {
  const all: Sums = {
    energy_kwh: 0,
    measured_share: measuredShare(rows) ?? 0,
    saving_measured_share: measuredShare(rows.filter(isCompared)),
    co2_location_kg: null,
    promised_saving_co2_kg: null,
    measured_saving_co2_kg: null,
    costs: [],
  };
  for (const row of rows) {
    all.energy_kwh += row.energy_kwh;
    all.co2_location_kg = plus(all.co2_location_kg, row.co2_location_kg);
    all.promised_saving_co2_kg = plus(all.promised_saving_co2_kg, row.promised_saving_co2_kg);
    all.measured_saving_co2_kg = plus(all.measured_saving_co2_kg, row.measured_saving_co2_kg);
    let of = all.costs.find((it) => it.currency === row.currency);
    if (!of) all.costs.push((of = { currency: row.currency, cost: null, promised: null, measured: null }));
    of.cost = plus(of.cost, row.cost);
    of.promised = plus(of.promised, row.promised_saving_cost);
    of.measured = plus(of.measured, row.measured_saving_cost);
  }
  return all;
}

/** What is less than as soon as possible and what is more, such as `12.30 EUR` and `4.5 kg of CO₂`. */
function amounts(all: Sums, which: 'promised' | 'measured'): { less: string[]; more: string[] } {
  const texts = language.texts.reports.sentence;
  const co2 = which === 'promised' ? all.promised_saving_co2_kg : all.measured_saving_co2_kg;
  const known = [
    ...all.costs.map((it) => ({ saved: it[which], text: (size: number) => money(size, it.currency) })),
    { saved: co2, text: (kg: number) => texts.co2(carbon(kg * 1000)) },
  ].flatMap(({ saved, text }) => (saved === null ? [] : [{ saved, text: text(Math.abs(saved)) }]));
  const listed = (those: typeof known) => those.map(({ text }) => text);
  return { less: listed(known.filter(({ saved }) => saved >= 0)), more: listed(known.filter(({ saved }) => saved < 0)) };
}

/** What was saved in a month, in words; `at` says when, such as `In March 2026`. */
export function savedWords(all: Sums, at: string): string {
  const texts = language.texts.reports.sentence;
  const [measured, promised] = [amounts(all, 'measured'), amounts(all, 'promised')];
  const offers = texts.promised(promised.less, promised.more);
  const really = texts.really(measured.less, measured.more);
  if (!really) return offers ? texts.promisedAlone(at, offers) : texts.nothingKnown(at);
  const share = all.saving_measured_share ?? 0;
  const meters = share === 0 ? texts.noneMeasured
    : share > 0.9995 ? texts.allMeasured
    : texts.shareMeasured(percent(share));
  return `${offers ? texts.reallyAndPromised(at, really, offers) : texts.reallyAlone(at, really)} ${meters}`;
}

/** What a line is of: nobody's has no name, nor has what names no project. */
export const named = (row: ReportRowDocument, key: Key): string => row[key] || language.texts.reports.unnamed[key];

const AMOUNTS = [
  'node_hours_reserved', 'node_hours_used', 'energy_kwh', 'energy_j', 'measured_j', 'measured_share', 'cost', 'co2_location_kg',
  'co2_market_kg', 'promised_saving_cost', 'promised_saving_co2_kg', 'measured_saving_cost', 'measured_saving_co2_kg',
  'mean_error', 'water_l', 'embodied_co2_kg', 'sci_g_per_node_hour', 'other_co2_kg',
] as const satisfies readonly (keyof ReportRowDocument)[];

/** Lines as CSV, with units in the names of columns: amounts of money have one for each currency, such as `cost_EUR`. */
export function csv(rows: readonly ReportRowDocument[], by: readonly Key[]): string {
  const currencies = [...new Set(rows.map((row) => row.currency))].sort();
  interface Column {
    name: string;
    of: (row: ReportRowDocument) => Cell;
  }
  const columns: Column[] = [...by, ...AMOUNTS].flatMap((key) => {
    if (!key.endsWith('cost')) return [{ name: key, of: (row) => row[key] ?? null }];
    return currencies.map((currency) => ({ name: `${key}_${currency}`, of: (row) => (row.currency === currency ? (row[key] ?? null) : null) }));
  });
  return csvOf([columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ of }) => of(row)))]);
}
