import { expect, test } from 'vitest';

import { said } from '../api/said';
import type { AgendaDocument, FeedDocument } from '../api/schema';
import { ageWords, countsFrom, errorWords, lightOf, pollWords } from './feeds';

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
    `The provider did not answer properly (today 11:59): ${said('503 Service Unavailable')}`,
  );
  expect(errorWords({ ...feed, last_error: null }, NOW, 'UTC')).toBe('');
});

test('lights have words of their own', () => {
  expect(lightOf(feed)).toEqual({ kind: 'warn', word: 'Last try failed' });
  expect(lightOf({ ...feed, status: 'brand new' })).toEqual({ kind: 'none', word: 'brand new' });
});

test('how often it was asked is told with what failed', () => {
  expect(pollWords(feed, 'UTC')).toBe('Asked by 412 requests so far, last Sun 1 Mar 2026, 11:59:00 (UTC); 3 tries failed.');
  expect(pollWords({ ...feed, failures: 0 }, 'UTC')).toMatch(/\(UTC\)\.$/);
  expect(pollWords({ ...feed, last_poll_at: null }, 'UTC')).toBe('It has not been asked yet.');
});

test('a part of an agenda is from a source', () => {
  const from = (source: string, start: string, end: string) => ({ source, start, end });
  const provenance = [from('eu', '2026-03-01T00:00:00Z', '2026-03-01T06:00:00Z'), from('', '2026-03-01T06:00:00Z', '2026-03-01T12:00:00Z')];
  expect(countsFrom({ provenance } as unknown as AgendaDocument, 'eu')).toEqual([
    { start: Date.parse('2026-03-01T00:00:00Z'), end: Date.parse('2026-03-01T06:00:00Z') },
  ]);
});
