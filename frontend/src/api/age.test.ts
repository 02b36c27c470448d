import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { age } from './age.svelte';

const at = (seconds: number) => Date.parse('2026-03-01T12:00:00Z') + seconds * 1000;

beforeEach(() => void vi.useFakeTimers());

afterEach(() => void vi.useRealTimers());

function answer(seconds: number | null, status = 200): Response {
  const headers: Record<string, string> = {};
  if (seconds !== null) headers['X-Wattbook-As-Of'] = new Date(at(seconds)).toISOString();
  return new Response('{}', { status, headers });
}

/** A question that is answered at once. */
const answered = (seconds: number | null, route = '/api/v1/nodes', status = 200) =>
  age.answered(route, answer(seconds, status), age.asked());

test('the oldest instant is told until answers are as new as ever for a while', () => {
  let fresh = 0;
  const stop = age.onFresh(() => void (fresh += 1));
  answered(null);
  vi.advanceTimersByTime(5000);
  expect([age.asOf, fresh]).toEqual([null, 0]);
  answered(20);
  answered(10);
  answered(30);
  expect(age.asOf).toBe(at(10));
  vi.advanceTimersByTime(5000);
  // What fails tells nothing, nor does what needs no database.
  answered(null, '/api/v1/reservations', 503);
  answered(null, '/wattbook/api/v1/sign-in');
  answered(null, '/health/live');
  vi.advanceTimersByTime(5000);
  expect([age.asOf, fresh]).toEqual([at(10), 0]);
  answered(null, '/api/v1/reservations');
  answered(null);
  vi.advanceTimersByTime(4999);
  expect([age.asOf, fresh]).toEqual([at(10), 0]);
  vi.advanceTimersByTime(1);
  answered(null);
  expect([age.asOf, fresh]).toEqual([null, 1]);
  stop();
  answered(40);
  vi.advanceTimersByTime(5000);
  answered(null);
  vi.advanceTimersByTime(5000);
  expect([age.asOf, fresh]).toEqual([null, 1]);
});

// Of three reads every ten seconds a proxy gives each process some: in turn, the one that is cut off first, second or last.
test('while one of several processes is cut off nothing flickers, and nothing is read again', () => {
  let fresh = 0;
  const stop = age.onFresh(() => void (fresh += 1));
  const rounds = [[20, null, null], [null, 20, null], [null, null, 20], [20, null, null]];
  for (const round of rounds) {
    for (const seconds of round) {
      answered(seconds);
      vi.advanceTimersByTime(500);
      expect(age.asOf).toBe(at(20));
    }
    vi.advanceTimersByTime(8500);
    expect([age.asOf, fresh]).toEqual([at(20), 0]);
  }
  // It is back: the first read of the next round is believed five seconds later.
  answered(null);
  answered(null);
  vi.advanceTimersByTime(5000);
  expect([age.asOf, fresh]).toEqual([null, 1]);
  stop();
});

test('an answer that comes late says nothing of now', () => {
  const [first, second] = [age.asked(), age.asked()];
  age.answered('/api/v1/nodes', answer(50), second);
  vi.advanceTimersByTime(5000);
  age.answered('/api/v1/site', answer(null), first);
  vi.advanceTimersByTime(5000);
  expect(age.asOf).toBe(at(50));
  const [third, fourth] = [age.asked(), age.asked()];
  age.answered('/api/v1/nodes', answer(null), fourth);
  age.answered('/api/v1/site', answer(50), third);
  vi.advanceTimersByTime(5000);
  expect(age.asOf).toBeNull();
});
