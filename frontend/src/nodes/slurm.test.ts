import { expect, test } from 'vitest';

import type { Slurm } from '../api/schema';
import { occupantSpan, slurmLine, sourceWords } from './slurm';

const slurm: Slurm = { mode: 'drive', version: '25.05.3', state: 'connected' };

test('what others have of the nodes is told to operators, and how Slurm stands to all', () => {
  expect(slurmLine(undefined)).toBeUndefined();
  expect(slurmLine({ mode: 'none', version: null, state: 'absent' })).toBeUndefined();
  expect(slurmLine(slurm)).toBe('Slurm 25.05.3 answers.');
  const occupied = (jobs: number, reservations: number, nodes: number) =>
    slurmLine({ ...slurm, occupied: { jobs, reservations, nodes } });
  expect(occupied(3, 1, 12)).toBe('Slurm 25.05.3 answers. 12 nodes are occupied by 3 jobs and 1 reservation of others, now or later.');
  expect(occupied(2, 0, 1)).toBe('Slurm 25.05.3 answers. 1 node is occupied by 2 jobs of others, now or later.');
  expect(occupied(0, 0, 0)).toMatch(/Nobody else's/);
});

test('what is wrong with Slurm is told with its reason', () => {
  const denied: Slurm = { ...slurm, state: 'denied', because: 'the token has expired.' };
  expect(slurmLine(denied)).toBe('Slurm 25.05.3 does not answer as it should (denied): the token has expired.');
  expect(slurmLine({ mode: 'observe', version: null, state: 'unknown' })).toBe('Slurm has not been asked yet.');
});

test('others have nodes for a while, or until nobody knows when', () => {
  const now = Date.parse('2026-11-23T10:00:00Z');
  const start = '2026-11-23T09:00:00Z';
  expect(occupantSpan({ start, end: null }, now, 'UTC')).toMatch(/^since .*09:00.*, no end known$/);
  expect(occupantSpan({ start, end: '2026-11-23T11:30:00Z' }, now, 'UTC')).toMatch(/09:00.*11:30/);
});

test('outages say who says so', () => {
  expect(sourceWords({ owner: 'slurm' })).toBe('by Slurm');
  expect(sourceWords({ owner: 'olga' })).toBe('by olga');
});
