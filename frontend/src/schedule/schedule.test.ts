import { expect, test } from 'vitest';

import { barAt, barsOf, breaches, hueOf, inView, timed } from './bars';
import { packed } from './packed';
import { around, covers, loaded, moved, zoomed } from './view';

const HOUR = 3_600_000;
const item = {
  reservation_id: 'r1', offer_id: 'o1', owner: 'climate', state: 'confirmed',
  start: '2026-11-21T10:00:00Z', end: '2026-11-21T15:00:00Z', node_ranges: [[2, 4], [10, 10]],
};

test('an item is a bar for each run of neighbouring nodes', () => {
  const bars = barsOf(timed([item]));
  expect(bars.map((bar) => [bar.first, bar.last])).toEqual([[2, 4], [10, 10]]);
  expect(barAt(bars, 3, Date.parse('2026-11-21T10:00:00Z'))?.id).toBe('r1');
  expect(barAt(bars, 3, Date.parse('2026-11-21T15:00:00Z'))).toBeNull();
  expect(barAt(bars, 5, Date.parse('2026-11-21T12:00:00Z'))).toBeNull();
});

test('a view has the items that touch it, and counts reservations once', () => {
  const [from, to] = [Date.parse(item.start), Date.parse(item.end)];
  const items = timed([item, { ...item, offer_id: 'o2' }, { ...item, reservation_id: 'r2' }]);
  const { shown, count, reservations } = inView(items, { from, to }, 2);
  expect([shown.length, count, reservations]).toEqual([2, 3, 2]);
  expect(inView(items, { from: to, to: to + HOUR }, 2).count).toBe(0);
  expect(inView(items, { from: from - HOUR, to: from }, 2).count).toBe(0);
  expect(inView(items, { from: to - 1, to: to + HOUR }, 2).count).toBe(3);
});

test('bars are packed once, with their owners and whether they are only held', () => {
  const bars = barsOf(timed([item, { ...item, owner: 'fluids', state: 'proposed' }]));
  const { starts, firsts, lasts, styles, owners } = packed(bars);
  expect([...firsts, ...lasts]).toEqual([2, 10, 2, 10, 4, 10, 4, 10]);
  expect(starts[3]).toBe(Date.parse(item.start));
  expect([...styles]).toEqual([0, 0, 3, 3]);
  expect(owners).toEqual(['climate', 'fluids']);
  expect(packed(bars)).toBe(packed(bars));
});

test('an owner keeps one hue', () => {
  expect(hueOf('climate')).toBe(hueOf('climate'));
  expect(hueOf('climate')).not.toBe(hueOf('fluids'));
  expect(hueOf('')).toBeGreaterThanOrEqual(0);
});

test('zooming keeps what is under the pointer where it is', () => {
  const view = { from: 0, to: 24 * HOUR };
  const near = zoomed(view, 0.5, 6 * HOUR);
  expect(near).toEqual({ from: 3 * HOUR, to: 15 * HOUR });
  expect(zoomed(view, 1e-9).to - zoomed(view, 1e-9).from).toBe(HOUR);
});

test('a view around now shows a tenth of the past', () => {
  const now = Date.parse('2026-11-21T10:07:00Z');
  const view = around(now, 10 * HOUR);
  expect(view.from).toBe(Date.parse('2026-11-21T09:00:00Z'));
  expect(view.to - view.from).toBe(10 * HOUR);
});

test('small moves stay within what was read', () => {
  const view = around(Date.parse('2026-11-21T10:00:00Z'), 24 * HOUR);
  const read = loaded(view);
  expect(covers(read, view)).toBe(true);
  expect(covers(read, moved(view, 0.4))).toBe(true);
  expect(covers(read, moved(view, 2))).toBe(false);
});

test('breaches that touch are one', () => {
  const step = (start: number, reserved: number, cap: number | null) => ({ start, end: start + 1, reserved, cap });
  expect(breaches([step(0, 5, 9), step(1, 10, 9), step(2, 11, 9), step(3, 99, null), step(4, 10, 9)])).toEqual([
    { start: 1, end: 3 },
    { start: 4, end: 5 },
  ]);
});
