import { expect, test } from 'vitest';

import type { SlurmJob, SlurmReservation } from '../api/schema';
import { jobWords, slurmWords, usedWords } from './slurm';

const slurm: SlurmReservation = {
  reservation: 'wattbook-r1', state: 'in_force', because: null, jobs: [], jobs_count: 0, node_seconds: { reserved: 28_800, used: 17_640 },
};
const job: SlurmJob = {
  id: '7', user: 'ada', account: '', state: 'RUNNING', start: '2026-11-21T12:00:00Z', end: '2026-11-21T14:00:00Z',
  nodes: 'n[1-4]', energy_j: null,
};
const now = Date.parse('2026-11-21T13:30:00Z');

test('each state of the reservation in Slurm has words, and its reason follows', () => {
  expect(slurmWords(slurm)).toEqual({ kind: 'ok', text: 'Slurm has this reservation.' });
  const failed = slurmWords({ ...slurm, state: 'failed', because: 'nodes are busy.' });
  expect(failed.kind).toBe('bad');
  expect(failed.text).toMatch(/as it should be: nodes are busy\.$/);
  expect(slurmWords({ ...slurm, state: 'waiting' }).kind).toBe('warn');
  expect(slurmWords({ ...slurm, state: 'of_tomorrow' }).text).toBe('of_tomorrow.');
});

test('what is used stands beside what is reserved', () => {
  // 17,640 s and 28,800 s of nodes are 4.9 h and 8 h.
  expect(usedWords(slurm)).toBe('4.9 of 8 h of nodes used');
});

test('a job tells how long it has run, until now or its end', () => {
  expect(jobWords(job, now)).toBe('7 of ada, running, on n[1-4], for 1 h 30 min');
  const ended = { ...job, state: 'COMPLETED', account: 'physics', end: '2026-11-21T12:10:00Z', energy_j: 3.6e6 };
  expect(jobWords(ended, now)).toBe('7 of ada (physics), completed, on n[1-4], for 10 min, 1 kWh');
  expect(jobWords({ ...job, state: 'PENDING', start: null, end: null, nodes: '' }, now)).toBe('7 of ada, pending');
});
