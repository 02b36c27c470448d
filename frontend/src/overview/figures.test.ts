import { expect, test } from 'vitest';

import type { PowerActionDocument, PowerDocument, ReportDocument, ReservationDocument, ScheduleItem } from '../api/schema';
import { asleep, booked, drawOf, loadOf, monthStart, savedWords, waitingJobs } from './figures';

const NOW = Date.parse('2026-03-01T12:00:00Z');

test('the load is what is measured as a whole, else what is planned', () => {
  const cluster = { nodes: 8, measured_nodes: 2, measured_power_w: 240, planned_of_measured_w: 300, planned_power_w: 1000 };
  const power = { cluster, site_power_w: null } as unknown as PowerDocument;
  expect(loadOf(power)).toEqual({ watts: 1000, words: 'planned load now' });
  expect(loadOf({ ...power, cluster: { ...cluster, measured_nodes: 8 } })).toMatchObject({ watts: 240, words: 'drawn by all nodes now' });
  expect(loadOf({ ...power, site_power_w: 1700 })).toMatchObject({ watts: 1700 });
});

test('what a reservation draws is measured where all its nodes are, else planned', () => {
  const of = (id: string, measured_nodes: number) => ({ reservation_id: id, nodes: 2, measured_nodes, measured_power_w: measured_nodes ? 310 : null, planned_power_w: 400 });
  const power = { reservations: [of('whole', 2), of('part', 1), of('none', 0)] } as unknown as PowerDocument;
  expect(drawOf(power, 'whole')).toEqual({ watts: 310, isMeasured: true });
  expect(drawOf(power, 'part')).toEqual({ watts: 400, isMeasured: false });
  expect(drawOf(power, 'none')).toEqual({ watts: 400, isMeasured: false });
  expect(drawOf(power, 'another')).toBeNull();
  expect(drawOf(undefined, 'whole')).toBeNull();
});

const item = (id: string, start: string, end: string, more: Partial<ScheduleItem> = {}): ScheduleItem => ({
  reservation_id: id, offer_id: id, owner: 'ada', state: 'confirmed', start: `2026-03-01T${start}:00Z`, end: `2026-03-01T${end}:00Z`, node_ranges: [[0, 3]], ...more,
});

test('what runs is told by size and what begins by time; what is only held is neither', () => {
  const { running, coming } = booked(
    [
      item('small', '11:00', '13:00', { state: 'active', node_ranges: [[9, 9]] }), item('large', '11:00', '14:00', { state: 'active' }),
      item('later', '15:00', '16:00'), item('soon', '13:00', '16:00'), item('held', '11:00', '13:00', { state: 'proposed' }), item('over', '09:00', '12:00', { state: 'completed' }),
    ],
    NOW,
  );
  expect(running.map(({ id, nodes }) => [id, nodes])).toEqual([['large', 4], ['small', 1]]);
  expect(coming.map((it) => it.id)).toEqual(['soon', 'later']);
});

test('a reservation whose nodes are several items is one, and runs once', () => {
  const parts = [item('r', '11:00', '13:00', { state: 'active' }), item('r', '11:30', '14:00', { state: 'active', node_ranges: [[7, 8]] }), item('r', '13:00', '14:00', { state: 'active' })];
  const { running, coming } = booked(parts, NOW);
  expect(running).toMatchObject([{ nodes: 6, end: Date.parse('2026-03-01T14:00:00Z') }]);
  expect(coming).toEqual([]);
});

test('a node sleeps from its last switch off until it is woken', () => {
  const action = (node: string, action: string, state = 'done', wake_at: string | null = null) => ({ node, action, state, wake_at }) as PowerActionDocument;
  const final = [
    action('n2', 'off', 'done', '2026-03-01T18:00:00Z'), action('n3', 'wake', 'given_up'), action('n1', 'wake'), action('n1', 'off'),
    action('n3', 'off', 'done', '2026-03-01T16:00:00Z'), action('n2', 'wake'), action('n4', 'limit'), action('n5', 'off', 'refused'),
  ];
  expect(asleep(final)).toEqual({ nodes: ['n2', 'n3'], next: Date.parse('2026-03-01T16:00:00Z') });
  expect(asleep([])).toEqual({ nodes: [], next: null });
});

test('jobs that wait are counted, and said to be the least where not all are listed', () => {
  const reservation = (states: string[], jobs_count = states.length) => ({ slurm: { jobs: states.map((state) => ({ state })), jobs_count } }) as unknown as ReservationDocument;
  const none = { slurm: null } as unknown as ReservationDocument;
  expect(waitingJobs([reservation(['PENDING', 'RUNNING']), none], true)).toEqual({ jobs: 1, isLeast: false });
  expect(waitingJobs([reservation(['PENDING', 'PENDING'], 12)], true)).toEqual({ jobs: 2, isLeast: true });
  expect(waitingJobs([], false)).toEqual({ jobs: 0, isLeast: true });
});

test('a month begins by the clocks of the site', () => {
  expect(new Date(monthStart(Date.parse('2026-03-31T22:30:00Z'), 'Europe/Paris')).toISOString()).toBe('2026-03-31T22:00:00.000Z');
  expect(new Date(monthStart(NOW, 'UTC')).toISOString()).toBe('2026-03-01T00:00:00.000Z');
});

test('savings are told as far as they are known', () => {
  const report = (row: object) => ({ rows: [{ currency: 'EUR', ...row }] }) as unknown as ReportDocument;
  expect(savedWords(report({ measured_saving_cost: 12.5, measured_saving_co2_kg: 3 }))).toEqual(['12.50 EUR', '3 kg CO₂']);
  expect(savedWords(report({ measured_saving_cost: -1, measured_saving_co2_kg: null }))).toEqual(['−1.00 EUR']);
  expect(savedWords({ rows: [] } as unknown as ReportDocument)).toEqual([]);
});
