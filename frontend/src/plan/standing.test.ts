import { expect, test } from 'vitest';

import { withTimes } from '../time/words';
import { standingWords } from './standing';

test('a standing is told with the digits that tell before and after apart', () => {
  const words = (factor: number, factor_after: number) => standingWords({ factor, factor_after, uses: 1 });
  expect(words(0.968123, 0.95124)).toBe('Standing: 0.951 after it, 0.968 now');
  expect(words(0.96812, 0.96788)).toBe('Standing: 0.9679 after it, 0.9681 now');
  expect(words(0.9, 0.9)).toBe('Standing: stays 0.900');
});

test('instants in a sentence stand in the zone of the page', () => {
  expect(withTimes('in 2 days, 2026-12-01T00:00:00Z, it is 0.981', (at) => new Date(at).toISOString().slice(0, 10))).toBe(
    'in 2 days, 2026-12-01, it is 0.981',
  );
});
