import { expect, test } from 'vitest';

import { usualGap } from './freshness';

const HOUR = 3_600_000;

test('what happens untold is looked for often, unless that is much work', () => {
  expect([usualGap(true, {}), usualGap(false, {})]).toEqual([300_000, 10_000]);
  expect([usualGap(true, { every: HOUR }), usualGap(false, { every: HOUR })]).toEqual([HOUR, 10_000]);
  expect(usualGap(false, { every: 5000 })).toBe(5000);
  const costly = { every: HOUR, costly: true };
  expect([usualGap(true, costly), usualGap(false, costly)]).toEqual([HOUR, HOUR]);
});
