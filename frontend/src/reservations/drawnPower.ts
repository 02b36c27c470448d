// The power that a reservation drew, by the hours of the ledger.

import type { LedgerRowDocument, ReservationPowerDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { HOUR } from '../time/words';
import type { Span, Step } from '../ui/steps';
import { power, whole } from '../units/format';

export interface Drawn {
  /** Watts on average, hour by hour. */
  steps: Step[];
  /** The hours of whose energy less than nine tenths were measured. */
  estimated: Span[];
}

const MEASURED = 0.9;

/** What rows of the ledger say of a reservation between two instants, which need not be full hours. */
export function drawn(rows: readonly LedgerRowDocument[], id: string, start: number, end: number): Drawn {
  const hours = new Map<number, { energy: number; measured: number }>();
  for (const row of rows) {
    if (row.reservation_id !== id) continue;
    const hour = Date.parse(row.correction_of ?? row.hour_start);
    const sum = hours.get(hour) ?? { energy: 0, measured: 0 };
    hours.set(hour, { energy: sum.energy + row.energy_j, measured: sum.measured + row.measured_j });
  }
  const found: Drawn = { steps: [], estimated: [] };
  for (const [hour, { energy, measured }] of [...hours].sort(([a], [b]) => a - b)) {
    const span = { start: Math.max(hour, start), end: Math.min(hour + HOUR, end) };
    if (span.end <= span.start) continue;
    found.steps.push({ ...span, value: energy / ((span.end - span.start) / 1000) });
    if (measured < MEASURED * energy) found.estimated.push(span);
  }
  return found;
}

/** What its nodes draw now, against what was planned of them. */
export function nowWords({ nodes, measured_nodes, measured_power_w, planned_of_measured_w, planned_power_w }: ReservationPowerDocument): string {
  const texts = language.texts.reservations.drawnPower;
  if (measured_power_w == null) return texts.nothingMeasured(power(planned_power_w));
  const [drawn, planned] = [power(measured_power_w), power(planned_of_measured_w)];
  return measured_nodes < nodes ? texts.some(whole(measured_nodes), nodes, drawn, planned) : texts.all(nodes, drawn, planned);
}
