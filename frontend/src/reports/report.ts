// Months of the site, and the lines of a report as columns of text.

import { format, instantOf } from '../time/zone';
import type { ReportRowDocument } from '../api/schema';

/** What lines may be by, with their headings. */
export const KEYS = [
  { id: 'user', name: 'User' },
  { id: 'project', name: 'Project' },
  { id: 'application', name: 'Application' },
  { id: 'partition', name: 'Partition' },
] as const;
export type Key = (typeof KEYS)[number]['id'];

export interface Month {
  /** Such as `2026-03`. */
  id: string;
  /** Such as `March 2026`. */
  name: string;
  /** RFC 3339. */
  from: string;
  /** The first instant after it, RFC 3339. */
  to: string;
}

/** The month in which an instant lies in a zone, and as many before it as are asked for, the newest first. */
export function months(now: number, zone: string, count: number): Month[] {
  const parts = format(zone, { year: 'numeric', month: 'numeric' }).formatToParts(now);
  const part = (type: string) => Number(parts.find((it) => it.type === type)?.value);
  const [year, month] = [part('year'), part('month') - 1];
  const start = (at: number) => new Date(instantOf(Date.UTC(year, at, 1), zone)).toISOString();
  return Array.from({ length: count }, (_, back) => {
    const first = new Date(Date.UTC(year, month - back, 1));
    return {
      id: first.toISOString().slice(0, 7),
      name: first.toLocaleDateString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }),
      from: start(month - back),
      to: start(month - back + 1),
    };
  });
}

export interface Sums {
  energy_kwh: number;
  /** Of what was measured. */
  measured_share: number;
  co2_location_kg: number | null;
  measured_saving_co2_kg: number | null;
  /** By currency. */
  costs: { currency: string; cost: number | null; saved: number | null }[];
}

/** Both together; what is not known is nothing beside what is known. */
const plus = (one: number | null, other: number | null | undefined) =>
  other === null || other === undefined ? one : (one ?? 0) + other;

/** Everything together. */
export function sums(rows: readonly ReportRowDocument[]): Sums {
  const all: Sums = { energy_kwh: 0, measured_share: 0, co2_location_kg: null, measured_saving_co2_kg: null, costs: [] };
  let measured = 0;
  for (const row of rows) {
    all.energy_kwh += row.energy_kwh;
    measured += row.energy_kwh * (row.measured_share ?? 0);
    all.co2_location_kg = plus(all.co2_location_kg, row.co2_location_kg);
    all.measured_saving_co2_kg = plus(all.measured_saving_co2_kg, row.measured_saving_co2_kg);
    let of = all.costs.find((it) => it.currency === row.currency);
    if (!of) all.costs.push((of = { currency: row.currency, cost: null, saved: null }));
    of.cost = plus(of.cost, row.cost);
    of.saved = plus(of.saved, row.measured_saving_cost);
  }
  all.measured_share = all.energy_kwh > 0 ? measured / all.energy_kwh : 0;
  return all;
}

/** What a line is of: nobody's has no name, nor has what nothing was said of. */
export function named(row: ReportRowDocument, key: Key): string {
  const said = row[key];
  if (said) return said;
  return key === 'user' ? 'nobody: idle nodes, the facility' : 'not said';
}

const AMOUNTS = [
  'node_hours_reserved', 'node_hours_used', 'energy_kwh', 'measured_share', 'cost', 'currency', 'co2_location_kg',
  'co2_market_kg', 'promised_saving_cost', 'promised_saving_co2_kg', 'measured_saving_cost', 'measured_saving_co2_kg',
  'mean_error', 'water_l', 'embodied_co2_kg', 'sci_g_per_node_hour',
] as const satisfies readonly (keyof ReportRowDocument)[];

/** The columns of `wattbook report --format csv`. */
export function csv(rows: readonly ReportRowDocument[], by: readonly Key[]): string {
  const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const columns = [...by, ...AMOUNTS];
  const line = (row: ReportRowDocument) => columns.map((column) => quoted(String(row[column] ?? ''))).join(',');
  return [columns.join(','), ...rows.map(line)].join('\n') + '\n';
}
