import { expect, test } from 'vitest';

import type { OccurrenceDocument, SeriesDocument } from '../api/schema';
import { canSkip, occurrenceState, occurrenceTime, repeatOf, seriesPatch, totalWords, wantedSeries } from './series';

const occurrence: OccurrenceDocument = {
  occurrence: '2026-12-07T08:00:00', state: 'waiting', exception: false, earliest_start: '2026-12-07T07:00:00Z',
  latest_start: '2026-12-07T13:00:00Z', reservation_id: null, reservation_state: null, start: null, end: null, node_count: null,
  energy_j: null, cost: null, co2_g: null, currency: null, next_try_at: null, reason: null,
};
const series: SeriesDocument = {
  id: '1', owner: 'ada', project: null, state: 'running',
  request: { nodes: 4, duration_s: 7200, earliest_start: '2026-12-07T07:00:00Z', latest_start: '2026-12-07T13:00:00Z' },
  recur: 'FREQ=WEEKLY;BYDAY=MO,TH', until: '2027-02-28T23:00:00Z', except: [], also: [], time_zone: 'Europe/Berlin',
  choose: 'cost', where_impossible: 'leave_out', created_at: '2026-11-26T10:00:00Z', ended_at: null,
  totals: { occurrences: 27, booked: 2, waiting: 23, impossible: 1, left_out: 1, ended: 0, energy_j: 1, cost: 1, co2_g: 1, currency: 'EUR' },
};
const clock = { now: Date.parse('2026-12-07T06:00:00Z'), zone: 'UTC' };

test('an occurrence is told by its reservation once it has one', () => {
  expect(occurrenceState(occurrence)).toBe('To be planned');
  expect(occurrenceTime(occurrence, clock)).toBe('to start today 07:00 to 13:00');
  const booked: OccurrenceDocument = {
    ...occurrence, state: 'booked', reservation_id: 'r', reservation_state: 'active',
    start: '2026-12-07T09:00:00Z', end: '2026-12-07T11:00:00Z',
  };
  expect(occurrenceState(booked)).toBe('Running');
  expect(occurrenceTime(booked, clock)).toBe('today 09:00 to 11:00');
});

test('what runs or is over is not left out', () => {
  expect(canSkip(occurrence)).toBe(true);
  expect(canSkip({ ...occurrence, state: 'booked', reservation_state: 'confirmed' })).toBe(true);
  expect(canSkip({ ...occurrence, state: 'booked', reservation_state: 'active' })).toBe(false);
  expect(canSkip({ ...occurrence, state: 'left_out' })).toBe(false);
});

test('sums name only what there is', () => {
  expect(totalWords(series)).toBe('27 times: 2 booked, 23 to be planned, 1 does not fit yet, 1 left out');
});

test('a rule is shown as the choices that make it, or as itself', () => {
  // The end is the midnight after the last day in Berlin.
  expect(repeatOf(series.recur, series.until, 'Europe/Berlin')).toEqual({ every: 'week', days: ['MO', 'TH'], until: '2027-02-28', rule: '' });
  expect(repeatOf('FREQ=DAILY;COUNT=3', null, 'UTC')).toEqual({ every: 'rule', days: [], until: '', rule: 'FREQ=DAILY;COUNT=3' });
});

test('a change has only what was changed', () => {
  const before = wantedSeries(series);
  expect(seriesPatch(before, before, series.time_zone)).toEqual({ patch: {} });
  const wanted = { ...before, nodes: '6', choose: 'co2', repeat: { ...before.repeat, days: ['FR'] } };
  expect(seriesPatch(before, wanted, series.time_zone)).toEqual({
    patch: { request: { nodes: 6 }, choose: 'co2', recur: 'FREQ=WEEKLY;BYDAY=FR' },
  });
  const later = { ...before, repeat: { ...before.repeat, until: '2027-03-07' } };
  expect(seriesPatch(before, later, series.time_zone)).toEqual({ patch: { until: '2027-03-07T23:00:00Z' } });
  expect(seriesPatch(before, { ...before, nodes: '0' }, series.time_zone)).toHaveProperty('errors.nodes');
});
