import { expect, test } from 'vitest';

import type { PowerDocument } from '../api/schema';
import { powerLines, siteSentence } from './powerNow';

const none = { nodes: 4, measured_nodes: 0, measured_power_w: null, planned_of_measured_w: 0, planned_power_w: 400 };
const now: PowerDocument = {
  at: '2026-03-01T12:00:00Z',
  reserved_power_w: 400,
  cap_w: 5000,
  site_power_w: 1700,
  cluster: { nodes: 8, measured_nodes: 2, measured_power_w: 240, planned_of_measured_w: 300, planned_power_w: 1000 },
  above_plan_since: null,
  partitions: [{ partition: 'gpu', ...none }],
  reservations: [
    {
      reservation_id: '01996e3e-2f7b-7c8e-b1de-5a1f2c3d4e5f',
      owner: 'ada',
      nodes: 2,
      measured_nodes: 2,
      measured_power_w: 500,
      planned_of_measured_w: 400,
      planned_power_w: 400,
      above_plan_since: '2026-03-01T11:45:00Z',
    },
  ],
};

test('nodes stand with what they draw, what was planned, and the difference', () => {
  const [cluster, partition, reservation] = powerLines(now);
  expect(cluster).toMatchObject({ name: 'all nodes', nodes: '2 of 8 nodes', measured: '240 W', planned: '300 W', difference: '−20 %', above: null });
  expect(partition).toMatchObject({ name: 'gpu', nodes: '0 of 4 nodes', measured: '–', planned: '–', difference: '' });
  expect(reservation).toMatchObject({ name: 'ada, 01996e3e', difference: '+25 %', above: '2026-03-01T11:45:00Z' });
});

test('the site is a sentence that leaves out what is not known', () => {
  expect(siteSentence(now)).toBe('1 kW planned of all nodes; the site draws 1.7 kW; 400 W count against the cap of 5 kW.');
  expect(siteSentence({ ...now, site_power_w: null, cap_w: null })).toBe('1 kW planned of all nodes.');
});
