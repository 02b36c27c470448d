import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { coalesced } from './coalesce';
import { placedWords } from './failure';
import { said } from './said';
import { EventReader, readEvents, type ServiceEvent } from './sse';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const STREAM =
  ': still here\n\nevent: reservation.confirmed\ndata: {"state":\ndata: "confirmed"}\nid: 7\nretry: 2000\n\ndata: plain\n\nevent: lost\n\n';

test('events are read however the stream is cut', () => {
  const expected: ServiceEvent[] = [
    { type: 'reservation.confirmed', id: '7', data: '{"state":\n"confirmed"}' },
    { type: 'message', id: '7', data: 'plain' },
  ];
  for (const text of [STREAM, STREAM.replaceAll('\n', '\r\n')]) {
    for (let size = 1; size <= text.length; size += 1) {
      const reader = new EventReader();
      const found: ServiceEvent[] = [];
      for (let at = 0; at < text.length; at += size) found.push(...reader.push(text.slice(at, at + size)));
      expect(found).toEqual(expected);
    }
  }
});

test('an event that has not ended is not told', () => {
  const reader = new EventReader();
  expect(reader.push('event: a\ndata: 1\n')).toEqual([]);
  expect(reader.push('\n')).toEqual([{ type: 'a', id: '', data: '1' }]);
});

test('a stream that falls silent is given up', async () => {
  const text = new TextEncoder().encode('data: 1\n\n');
  const body = new ReadableStream({ start: (to) => to.enqueue(text) });
  const found: ServiceEvent[] = [];
  const end = readEvents(new Response(body), (event) => found.push(event), 20_000);
  await vi.advanceTimersByTimeAsync(30_000);
  await end;
  expect(found.map((it) => it.data)).toEqual(['1']);
});

test('a flood of calls is a trickle of work, and the last call is heard', async () => {
  const began: number[] = [];
  const start = Date.now();
  const work = coalesced(async () => void began.push(Date.now() - start), 150, 2000);
  for (let at = 0; at <= 5000; at += 10) {
    work.poke();
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(began).toEqual([150, 2150, 4150]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(began).toEqual([150, 2150, 4150, 6150]);
});

test('work that takes long is not begun again meanwhile, but once it is done', async () => {
  let [running, most, runs] = [0, 0, 0];
  const work = coalesced(
    async () => {
      [running, runs] = [running + 1, runs + 1];
      most = Math.max(most, running);
      await new Promise((done) => setTimeout(done, 5000));
      running -= 1;
    },
    100,
    1000,
  );
  work.poke();
  await vi.advanceTimersByTimeAsync(200);
  work.poke();
  await vi.advanceTimersByTimeAsync(4000);
  expect(runs).toBe(1);
  await vi.advanceTimersByTimeAsync(20_000);
  expect([runs, most]).toEqual([2, 1]);
});

test('work that was stopped is not begun', async () => {
  let runs = 0;
  const work = coalesced(async () => void (runs += 1), 100, 1000);
  work.poke();
  work.stop();
  work.poke();
  await vi.advanceTimersByTimeAsync(5000);
  expect(runs).toBe(0);
});

test('mistakes are told by the names that forms have, not by the API\'s', () => {
  const detail = 'between 1 and 10,000';
  expect(placedWords({ pointer: '/parameters/runs', detail })).toBe(`Runs: ${said(detail)}`);
  expect(placedWords({ pointer: '/duration_s', detail })).toBe(`For how long: ${said(detail)}`);
  expect(placedWords({ pointer: '/features/0', detail })).toBe(`Features: ${said(detail)}`);
  expect(placedWords({ detail })).toBe(said(detail));
});
