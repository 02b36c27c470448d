import { expect, test } from 'vitest';

import type { PredictedShape } from '../api/schema';
import { firstStart, questionOf, queueStartWords } from './queueStart';

const clock = { now: Date.parse('2026-11-21T10:00:00Z'), zone: 'UTC' };
const instants = (expected: string, p05: string, p95: string) => ({
  expected: `2026-11-21T${expected}:00Z`, p05: `2026-11-21T${p05}:00Z`, p95: `2026-11-21T${p95}:00Z`,
});
const shape = (start: PredictedShape['start'], partition?: string): PredictedShape =>
  ({ nodes: 4, walltime_s: 3600, start, end: start, ...(partition ? { partition } : {}) });

test('the queue is asked for nodes, a walltime and the partition that is named', () => {
  const request = { nodes: 4, duration_s: 3600, earliest_start: '2026-11-21T10:00:00Z' };
  expect(questionOf(request)).toEqual({ nodes: 4, seconds: 3600, partition: '' });
  expect(questionOf({ ...request, partition: 'gpu' }).partition).toBe('gpu');
});

test('the partition that starts first is told', () => {
  const [late, early] = [shape(instants('14:00', '13:00', '18:00'), 'long'), shape(instants('11:05', '10:30', '12:20'), 'short')];
  const predictions = { now: '2026-11-21T10:00:00Z', running: 3, waiting: 1, shapes: [late, early] };
  expect(firstStart(predictions)).toBe(early);
  expect(firstStart({ ...predictions, shapes: [] })).toBeUndefined();
  expect(queueStartWords(early, clock)).toBe(
    "Slurm's queue would start it about today 11:05, in partition short. Of ten such jobs nine start within today 10:30 to 12:20.",
  );
});

test('an interval without width is not told', () => {
  expect(queueStartWords(shape(instants('14:39', '14:39', '14:40')), clock)).toBe("Slurm's queue would start it about today 14:39.");
});

test('what starts for sure within a minute starts at once', () => {
  expect(queueStartWords(shape(instants('10:00', '10:00', '10:01')), clock)).toBe("Slurm's queue would start it at once.");
});
