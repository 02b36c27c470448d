import { expect, test } from 'vitest';

import { Failure, fieldErrors } from '../api/failure';
import { said } from '../api/said';
import type { ReservationDocument } from '../api/schema';
import { actionsFor, labelLines, labelPatch, longestExtension, namesIn, patchOf, priorityOf, replans, wantedOf } from './changes';

const ZONE = 'Europe/Paris';
const reservation = {
  state: 'confirmed',
  request: {
    nodes: 4, duration_s: 5400, earliest_start: '2026-11-26T08:00:00Z', latest_start: '2026-11-26T20:00:00Z',
    utilisation: 0.5, labels: { application: 'nemo', run: '3' },
  },
} as unknown as ReservationDocument;
const before = wantedOf(reservation, ZONE);

test('a form shows what was asked for, in the zone of the page', () => {
  // 08:00 UTC is 09:00 in Paris in November.
  expect(before).toMatchObject({
    nodes: '4', duration: '1 h 30 min', earliest: '2026-11-26T09:00', limit: 'start', latest: '2026-11-26T21:00',
    application: 'nemo', utilisation: '50', partition: '',
  });
});

test('a patch has only what was changed', () => {
  expect(patchOf(before, before, ZONE)).toEqual({ patch: {} });
  const wanted = { ...before, nodes: '6', duration: '2h', utilisation: '75', application: '' };
  expect(patchOf(before, wanted, ZONE)).toEqual({
    patch: { nodes: 6, duration_s: 7200, utilisation: 0.75, labels: { application: null } },
  });
});

test('another kind of window takes the place of the one before', () => {
  const wanted = { ...before, limit: 'end' as const, latest: '2026-11-27T09:00' };
  expect(patchOf(before, wanted, ZONE)).toEqual({ patch: { latest_end: '2026-11-27T08:00:00Z', latest_start: null } });
});

test('what is wrong is told by field, and nothing is sent', () => {
  const wanted = { ...before, nodes: 'many', duration: 'long', latest: '', utilisation: '0' };
  const reading = patchOf(before, wanted, ZONE);
  expect('errors' in reading && Object.keys(reading.errors).sort()).toEqual(['duration_s', 'latest_start', 'nodes', 'utilisation']);
});

test('labels alone need no new plan', () => {
  expect(replans({ labels: { application: 'nemo' } })).toBe(false);
  expect(replans({ nodes: 2 })).toBe(true);
});

test('actions follow the state', () => {
  expect(actionsFor(reservation)).not.toContain('release');
  expect(actionsFor({ ...reservation, state: 'active' })).toContain('release');
  expect(actionsFor({ ...reservation, state: 'active' })).not.toContain('modify');
  expect(actionsFor({ ...reservation, state: 'completed' })).toEqual([]);
});

test('errors stand at the field that their pointer names', () => {
  const failure = new Failure('invalid_body', 'The body has errors.', [
    { pointer: '/nodes', detail: 'must be at least 1' },
    { pointer: '/alternatives/0/nodes', detail: 'must be at least 1' },
    { detail: 'no pointer' },
  ]);
  expect(fieldErrors(failure)).toEqual({ nodes: said('must be at least 1'), alternatives: said('must be at least 1') });
  expect(fieldErrors(new Error('else'))).toEqual({});
});

test('the longest extension is told where one fits', () => {
  const problem = { code: 'impossible', detail: '', title: '', type: '', status: 422 };
  expect(longestExtension(new Failure('impossible', '', [], { ...problem, longest_s: 18_000 }))).toBe(18_000_000);
  expect(longestExtension(new Failure('impossible', '', [], { ...problem, longest_s: 0 }))).toBeNull();
  expect(longestExtension(new Failure('quota', '', [], { ...problem, longest_s: 9 }))).toBeNull();
});

test('labels are lines, and what is gone from them is null', () => {
  const labels = { application: 'nemo', run: '3' };
  expect(labelLines(labels)).toBe('application = nemo\nrun = 3');
  expect(labelPatch(labels, labelLines(labels))).toEqual({});
  expect(labelPatch(labels, 'application=wrf\n\ncase = a=b')).toEqual({ run: null, application: 'wrf', case: 'a=b' });
  expect(labelPatch(labels, 'nonsense')).toBeNull();
});

test('names stand apart by commas or blanks', () => {
  expect(namesIn(' n1, n2;n3 n4 ')).toEqual(['n1', 'n2', 'n3', 'n4']);
});

test('only operators give priorities, and only to what can be planned anew', () => {
  const of = (state: string, operates: boolean) => actionsFor({ ...reservation, state }, operates).includes('priority');
  expect([of('confirmed', true), of('proposed', true), of('active', true), of('confirmed', false)]).toEqual([true, true, false, false]);
  expect(['0', ' 1000 ', '', '1001', '-1', '1.5', 'high'].map(priorityOf)).toEqual([0, 1000, null, null, null, null, null]);
});
