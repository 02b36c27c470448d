import { expect, test } from 'vitest';

import type { HeldOffer, ReservationDocument } from '../api/schema';
import { planAgain } from '../ui/planAgain';
import { account, changedWords, listed, matches, merged, ordered, pairingOf, viewOf } from './list';

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

test('what was read by itself takes its place among what was read before, and nothing older does', () => {
  const [one, two] = [reservation({ id: 'a' }), reservation({ id: 'b' })];
  const again = new Map([
    ['a', { at: 20, reservation: reservation({ id: 'a', state: 'cancelled' }) }],
    ['b', { at: 20, reservation: null }],
    ['c', { at: 20, reservation: reservation({ id: 'c' }) }],
  ]);
  const shown = (began: number) => merged([one, two], again, began).map((it) => `${it.id} ${it.state}`);
  expect(shown(10)).toEqual(['a cancelled', 'c confirmed']);
  expect(shown(30)).toEqual(['a confirmed', 'b confirmed']);
});

test('a search finds every word in what people know a reservation by', () => {
  const it = reservation({ owner: 'ada', project: 'ocean', request: { earliest_start: offer.start, note: 'for the Review', labels: { application: 'nemo' } } as never, offers: [{ ...offer, nodes: ['aube-7'] }] });
  for (const found of ['', 'review ADA', 'aube-7', 'nemo ocean', 'booked']) expect([found, matches(it, found)]).toEqual([found, true]);
  for (const none of ['bob', 'review bob', 'aube-8']) expect([none, matches(it, none)]).toEqual([none, false]);
});

test('a list is in the order that is chosen', () => {
  const all = [
    reservation({ id: 'a', created_at: '2026-11-21T08:00:00Z' }),
    reservation({ id: 'b', created_at: '2026-11-21T09:00:00Z', offers: [{ ...offer, cost: 2, node_count: 4 }] }),
  ];
  const ids = (order: string) => ordered(all, order).map((it) => it.id).join('');
  expect(['start', 'made', 'cost', 'nodes'].map(ids)).toEqual(['ab', 'ba', 'ba', 'ab']);
});

test('what was cancelled can be planned again', () => {
  const request = { nodes: 8, duration_s: 5400, earliest_start: '2026-11-21T12:00:00Z', latest_end: '2026-11-22T12:00:00Z' };
  expect(planAgain(reservation({ request: request as never }))).toBe(
    '#/plan?nodes=8&for=1:30:00&after=2026-11-21T12:00:00Z&wait=end&until=2026-11-22T12:00:00Z',
  );
});
