import { expect, test } from 'vitest';

import type { FeedDocument, PowerProfileDocument } from '../api/schema';
import { ageWords, errorWords, lightOf } from './feeds';
import { powers, steps } from './pieces';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const feed: FeedDocument = {
  requests: 412, failures: 3, last_poll_at: '2026-03-01T11:59:00Z',
  id: 'entsoe-fr', quantity: 'price', provider: 'entsoe', status: 'failing',
  last_success_at: '2026-03-01T11:00:00Z', horizon: '2026-03-02T23:00:00Z', next_poll_at: '2026-03-01T12:15:00Z',
  last_error: { at: '2026-03-01T11:59:00Z', class: 'transient', detail: '503 Service Unavailable' },
};

test('a feed tells how old it is, how far it reaches and when it is asked next', () => {
  expect(ageWords(feed, NOW, 'UTC')).toBe('heard 1 h ago · known until tomorrow 23:00 · asked next in 15 min');
  expect(ageWords({ ...feed, last_success_at: null, horizon: null, next_poll_at: null }, NOW, 'UTC')).toBe('not heard of yet');
});

test('an error is told in words', () => {
  expect(errorWords(feed, NOW, 'UTC')).toBe(
    'The provider did not answer properly (today 11:59): 503 Service Unavailable',
  );
  expect(errorWords({ ...feed, last_error: null }, NOW, 'UTC')).toBe('');
});

test('lights have words of their own', () => {
  expect(lightOf(feed)).toEqual({ kind: 'warn', word: 'Last try failed' });
  expect(lightOf({ ...feed, status: 'brand new' })).toEqual({ kind: 'none', word: 'brand new' });
});

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
