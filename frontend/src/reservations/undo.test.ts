import { expect, test } from 'vitest';

import type { ReservationDocument } from '../api/schema';
import { sameAgain } from './undo';

const NOW = Date.parse('2026-11-21T11:00:00Z');
const offer = {
  offer_id: 'o1', start: '2026-11-21T12:00:00Z', end: '2026-11-21T14:00:00Z', node_count: 8, energy_j: 3.6e6, cost: 0.5,
  currency: 'EUR', co2_g: 100, peak_power_w: 1700, delay_s: 0, saves: { energy_j: 0, cost: 0.1, co2_g: 20 },
};
const request = { nodes: 8, duration_s: 7200, earliest_start: '2026-11-21T10:00:00Z', latest_start: '2026-11-22T10:00:00Z', note: 'for the review' };
function reservation(values: object = {}): ReservationDocument {
  return { owner: 'ada', state: 'confirmed', shared_with: [], series: null, project: 'ocean', request, chosen_offer_id: 'o1', offers: [offer], ...values } as unknown as ReservationDocument;
}

test('the same start is asked for again, with all that the request says', () => {
  expect(sameAgain(reservation(), 'ada', NOW)).toEqual({
    request: { ...request, project: 'ocean', earliest_start: offer.start, latest_start: offer.start },
    offer,
  });
});

test('what would not be the same cannot be undone', () => {
  const others = [
    { owner: 'bob' }, { state: 'active' }, { series: 's1' }, { shared_with: [{ user: 'bob' }] }, { chosen_offer_id: null },
    { request: { ...request, duration_s: 3600 } }, { request: { ...request, alternatives: [{ nodes: 4, duration_s: 9000 }] } },
    { offers: [{ ...offer, power_state: 'slow' }] }, { offers: [{ ...offer, extra_power_fee: 2 }] },
  ];
  for (const other of others) expect(sameAgain(reservation(other), 'ada', NOW)).toBeNull();
  expect(sameAgain(reservation(), 'ada', Date.parse(offer.start))).toBeNull();
});
