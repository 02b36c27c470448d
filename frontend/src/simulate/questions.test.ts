import { expect, test } from 'vitest';

import { said } from '../api/said';
import type { AgendaDocument, ReservationDocument } from '../api/schema';
import { covered, priceTable } from './prices';
import { betterKnown, monthBody, policiesBody, pricesBody } from './questions';
import { played, reach, without, type PlayedRequest } from './replay';

const MARCH = { id: '2026-03', name: 'March 2026', from: '2026-02-28T23:00:00.000Z', to: '2026-03-31T22:00:00.000Z' };

function reservation(request: object, more: object = {}): ReservationDocument {
  return { owner: 'ada', project: 'ocean', request, ...more } as unknown as ReservationDocument;
}

test('a reservation is played without who asked, and as its offer was reckoned', () => {
  const request = {
    nodes: 2, duration_s: 3600, earliest_start: '2026-03-02T10:00:10Z', latest_start: '2026-03-02T12:00:00Z', partition: 'gpu',
    features: null, note: 'for ada', labels: { application: 'nemo' }, priority: 3, on_cap: 'negotiate', project: 'ocean', search: { mode: 'exact' },
  };
  expect(played(reservation(request))).toEqual({
    nodes: 2, duration_s: 3600, earliest_start: '2026-03-02T10:00:10Z', latest_start: '2026-03-02T12:00:00Z', partition: 'gpu', utilisation: 1,
  });
  expect(played(reservation(request, { learnt_utilisation: { utilisation: 0.4 } })).utilisation).toBe(0.4);
  expect(played(reservation({ ...request, utilisation: 0.7 }, { learnt_utilisation: { utilisation: 0.4 } })).utilisation).toBe(0.7);
});

test('a window without a quarter-hour begins at the one before, and one by its end has a latest start', () => {
  const at = { earliest_start: '2026-03-02T10:01:00Z', latest_start: '2026-03-02T10:14:00Z' };
  expect(played(reservation({ nodes: 1, duration_s: 60, ...at })).earliest_start).toBe('2026-03-02T10:00:00Z');
  const until = { nodes: 1, duration_s: 7200, earliest_start: '2026-03-02T10:00:00Z', latest_end: '2026-03-02T13:00:00Z', alternatives: [{ nodes: 2, duration_s: 3600 }] };
  expect(played(reservation(until)).latest_start).toBe('2026-03-02T12:00:00Z');
});

test('a month reaches back to the first possible start and on to the last possible end', () => {
  const request = played(reservation({ nodes: 1, duration_s: 86_400, earliest_start: '2026-02-27T22:50:00Z', latest_start: '2026-03-31T00:00:00Z' }));
  expect(reach([request], MARCH)).toEqual({ start: Date.parse('2026-02-27T22:45:00Z'), days: 32, end: Date.parse('2026-04-01T00:00:00Z') });
  expect(reach([], MARCH).days).toBe(31);
});

test('experiments are those of the questions', () => {
  const requests = [{ nodes: 1, duration_s: 60, earliest_start: '2026-03-02T10:00:00Z', latest_start: '2026-03-02T10:00:00Z' }] as PlayedRequest[];
  expect(monthBody(MARCH, requests)).toMatchObject({
    name: 'What March 2026 would have cost', parameters: { start: '2026-02-28T23:00:00Z', days: 31, runs: 1 }, nodes: 'site', agendas: 'site', requests,
  });
  expect(pricesBody(MARCH, requests, { a: 'one', b: 'two' })).toMatchObject({ vary: { price_file: ['a', 'b'] }, tables: { a: 'one', b: 'two' }, requests });
  expect(policiesBody(0, 200, 12)).toMatchObject({ parameters: { requests: 200, max_delay_h: 12, start: '1970-01-01T00:00:00Z' }, agendas: 'site' });
});

test('a price of CO2 comes on top of the energy’s, where both are known', () => {
  const price = (start: string, end: string, price_per_mwh: number) => ({ start: `2026-03-01T${start}Z`, end: `2026-03-01T${end}Z`, price_per_mwh });
  const co2 = (start: string, end: string, intensity_g_per_kwh: number) => ({ start: `2026-03-01T${start}Z`, end: `2026-03-01T${end}Z`, intensity_g_per_kwh });
  const prices = [price('00:00:00', '02:00:00', 100), price('02:00:00', '03:00:00', 80.5)];
  const intensities = [co2('00:30:00', '01:00:00', 50), co2('01:00:00', '04:00:00', 300)];
  expect(priceTable(prices, intensities, 100).trim().split('\n')).toEqual([
    'start,end,price_per_mwh',
    '2026-03-01T00:30:00Z,2026-03-01T01:00:00Z,105',
    '2026-03-01T01:00:00Z,2026-03-01T02:00:00Z,130',
    '2026-03-01T02:00:00Z,2026-03-01T03:00:00Z,110.5',
  ]);
  expect(priceTable(prices, [], 100)).toBe('start,end,price_per_mwh\n');
  expect(covered(prices, Date.parse('2026-03-01T01:00:00Z'), Date.parse('2026-03-01T05:00:00Z'))).toBe(0.5);
});

test('random requests are played on the weeks that are better known, the past of equals', () => {
  const today = Date.parse('2026-03-31T00:00:00Z');
  const known = (...spans: [string, string][]) => ({ pieces: spans.map(([start, end]) => ({ start: `${start}T00:00:00Z`, end: `${end}T00:00:00Z` })) }) as unknown as AgendaDocument;
  const past = Date.parse('2026-03-01T00:00:00Z');
  expect(betterKnown(today, [known(['2026-02-01', '2026-06-01'])])).toBe(past);
  // One that is not known spoils the other.
  expect(betterKnown(today, [known(['2026-02-01', '2026-06-01']), known(['2026-03-30', '2026-06-01'])])).toBe(today);
});

test('requests that the service refuses are left out, which the name says; anything else is not', () => {
  const body = { name: 'March', requests: ['a', 'b', 'c'] };
  const gone = (index: number) => ({ pointer: `/requests/${index}/only`, detail: `request ${index + 1}: no node is named "n9"` });
  expect(without(body, [gone(0), gone(0), gone(2)])).toEqual({
    body: { name: 'March, without 2 requests that cannot be played', requests: ['b'] },
    why: `Left out, because this site’s nodes as they are now cannot serve them: 2 requests of 3. The first: ${said(gone(0).detail)}.`,
  });
  expect(without(body, [gone(0), { pointer: '/policies', detail: 'wrong' }])).toBeNull();
  expect(without(body, [gone(0), gone(1), gone(2)])).toBeNull();
  expect(without(body, [])).toBeNull();
  expect(without({ name: 'March' }, [gone(0)])).toBeNull();
});
