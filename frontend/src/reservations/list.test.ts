import { expect, test } from 'vitest';

import type { HeldOffer, ReservationDocument } from '../api/schema';
import { account, changedWords, listed, pairingOf, viewOf } from './list';

const offer: HeldOffer = {
  offer_id: 'o1', start: '2026-11-21T12:00:00Z', end: '2026-11-21T14:00:00Z', node_count: 8, energy_j: 3.6e6, cost: 0.5,
  currency: 'EUR', co2_g: 100, peak_power_w: 1700, delay_s: 0, saves: { energy_j: 0, cost: 0.1, co2_g: 20 },
};
function reservation(values: Partial<ReservationDocument>): ReservationDocument {
  return {
    id: 'r1', owner: 'ada', state: 'confirmed', degraded: false, request: { earliest_start: offer.start },
    created_at: '2026-11-21T08:00:00Z', expires_at: '2026-11-21T08:15:00Z', chosen_offer_id: 'o1', start: offer.start,
    end: offer.end, decision: 'choice', offers: [offer], ...values,
  } as ReservationDocument;
}

test('those to come stand by start, the past with the latest first', () => {
  const all = [
    reservation({ id: 'b', start: '2026-11-22T12:00:00Z' }),
    reservation({ id: 'a' }),
    reservation({ id: 'old', state: 'completed', start: '2026-11-01T12:00:00Z' }),
    reservation({ id: 'gone', state: 'cancelled', start: '2026-11-02T12:00:00Z' }),
  ];
  expect(listed(all, 'coming').map((it) => it.id)).toEqual(['a', 'b']);
  expect(listed(all, 'past').map((it) => it.id)).toEqual(['gone', 'old']);
  expect(all.map(viewOf)).toEqual(['coming', 'coming', 'past', 'past']);
});

test('what was cancelled does not count', () => {
  const sum = account([reservation({}), reservation({ state: 'completed' }), reservation({ state: 'cancelled' })]);
  expect([sum.reservations, sum.cost, sum.saved.co2_g]).toEqual([2, 1, 40]);
});

test('a reservation tells what changed agendas make of it', () => {
  const now = (values: object) => reservation({ now_expected: { offers: [{ offer_id: 'o1', cost: 0.5, co2_g: 100, cap_kept: true, ...values }] } as never });
  expect(changedWords(reservation({}))).toEqual([]);
  expect(changedWords(now({}))).toEqual([]);
  expect(changedWords(now({ cost: 0.6 }))).toEqual(['As agendas stand now: 0.60 EUR, 100 g CO₂.']);
  expect(changedWords(now({ cap_kept: false }))[0]).toMatch(/cap was lowered/);
  expect(changedWords(now({ cost: null }))[0]).toMatch(/no price or CO₂/);
});

test('a replacement and what it replaces know each other while offers are held', () => {
  const [booked, other] = [reservation({ id: 'a', state: 'confirmed' }), reservation({ id: 'b', state: 'proposed', replaces: 'a' })];
  const all = [booked, other];
  expect([pairingOf(all, booked).replacement, pairingOf(all, booked).replaced]).toEqual([other, undefined]);
  expect([pairingOf(all, other).replacement, pairingOf(all, other).replaced]).toEqual([undefined, booked]);
  const late = reservation({ id: 'b', state: 'expired', replaces: 'a' });
  expect(pairingOf([booked, late], booked).replacement).toBeUndefined();
});
