import { expect, test } from 'vitest';

import type { PowerProfileDocument } from '../api/schema';
import { estimatedSpans, powers, steps } from './agendas';
import { split } from './steps';

test('pieces of any agenda are steps', () => {
  const [start, end] = ['2026-03-01T00:00:00Z', '2026-03-01T06:00:00Z'];
  const [from, to] = [Date.parse(start), Date.parse(end)];
  expect(steps({ pieces: [{ start, end, price_per_mwh: -3 }] })).toEqual([{ start: from, end: to, value: -3 }]);
  expect(steps({ pieces: [{ start, end, cap_w: 9 }] })).toEqual([{ start: from, end: to, value: 9 }]);
});

test('the cap shown is the one in force, and unknown where none is', () => {
  const step = { start: '2026-03-01T12:00:00Z', end: '2026-03-01T13:00:00Z', reserved_power_w: 9_000, held_power_w: 0 };
  const later = { ...step, start: '2026-03-01T13:00:00Z', end: '2026-03-01T14:00:00Z', reserved_power_w: 500 };
  const profile = { steps: [{ ...step, cap_w: 10_000 }, { ...later, cap_w: null }] } as unknown as PowerProfileDocument;
  const { cap, reserved } = powers(profile);
  expect(cap.map((it) => it.value)).toEqual([10_000]);
  expect(reserved.map((it) => it.value)).toEqual([9_000, 500]);
  expect(reserved[1]?.start).toBe(cap[0]?.end);
});

test('what is estimated is told apart from what was announced', () => {
  const agenda = {
    pieces: [{ start: '2026-11-21T00:00:00Z', end: '2026-11-21T04:00:00Z', price_per_mwh: 50 }],
    provenance: [
      { start: '2026-11-21T00:00:00Z', end: '2026-11-21T03:00:00Z', quality: 'measured', source: 'a', standing: 'fresh' },
      { start: '2026-11-21T03:00:00Z', end: '2026-11-21T04:00:00Z', quality: 'estimated', source: '', standing: 'forecast' },
    ],
  };
  const at = (hour: number) => Date.UTC(2026, 10, 21, hour);
  expect(split(steps(agenda), estimatedSpans(agenda))).toEqual({
    outside: [{ start: at(0), end: at(3), value: 50 }],
    inside: [{ start: at(3), end: at(4), value: 50 }],
  });
});
