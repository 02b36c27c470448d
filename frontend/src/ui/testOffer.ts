// An offer for unit tests.

import type { OfferDocument } from '../api/schema';

export function offer(values: Partial<OfferDocument>): OfferDocument {
  return {
    start: '2026-11-21T08:15:00Z', end: '2026-11-21T10:15:00Z', node_count: 8, energy_j: 1e7, cost: 0.5,
    currency: 'EUR', co2_g: 168, peak_power_w: 1712, delay_s: 900, rankings: [],
    saves: { energy_j: 0, cost: 0, co2_g: 0 }, ...values,
  };
}
