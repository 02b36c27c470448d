import { expect, test } from 'vitest';

import type { CalibrationDocument } from '../api/schema';
import { driftSteps, restsOn } from './calibrations';

const of = (measured_at: string, idle_power_w: number): CalibrationDocument => ({
  node: 'n1', measured_at, idle_power_w, idle_spread_w: 1, idle_samples: 30, max_power_w: 200, max_spread_w: 2, max_samples: 20, outliers: 0, source: 'samples',
});

test('each calibration holds until the next, against the newest', () => {
  const all = [of('2026-03-03T00:00:00Z', 100), of('2026-03-02T00:00:00Z', 110), of('2026-03-01T00:00:00Z', 95)];
  const until = Date.parse('2026-03-04T00:00:00Z');
  const steps = driftSteps(all, (it) => it.idle_power_w, until);
  expect(steps.map((it) => [new Date(it.start).getUTCDate(), Math.round(it.value)])).toEqual([[1, -5], [2, 10], [3, 0]]);
  expect(steps.at(-1)?.end).toBe(until);
  expect(driftSteps([], (it) => it.idle_power_w, until)).toEqual([]);
});

test('a calibration says what it rests on', () => {
  expect(restsOn(of('2026-03-01T00:00:00Z', 90))).toBe('samples that were sent: 30 idle, 20 at most');
  expect(restsOn({ ...of('2026-03-01T00:00:00Z', 90), source: 'meters', outliers: 3 })).toBe('what meters measured: 30 idle, 20 at most, 3 left out');
});
