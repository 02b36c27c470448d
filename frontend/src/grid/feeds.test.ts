import { expect, test } from 'vitest';

import type { FeedDocument } from '../api/schema';
import { ageWords, errorWords, lightOf } from './feeds';

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
