import { expect, test } from 'vitest';

import { barAt, barsOf, hueOf, inView, timed } from './bars';
import { columnsOf } from './barColumns';
import { breaches, powerSteps, tellPower, type PowerStep } from '../ui/power';
import { around, covers, loaded, moved, pinched, queryOf, viewOf, zoomed } from './view';

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
  const { starts, firsts, lasts, styles, owners } = columnsOf(bars);
  expect([...firsts, ...lasts]).toEqual([2, 10, 2, 10, 4, 10, 4, 10]);
  expect(starts[3]).toBe(Date.parse(item.start));
  expect([...styles]).toEqual([0, 0, 3, 3]);
  expect(owners).toEqual(['climate', 'fluids']);
  expect(columnsOf(bars)).toBe(columnsOf(bars));
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

const at = (hour: number) => Date.parse('2026-11-21T00:00:00Z') + hour * HOUR;
const step = (start: number, end: number, confirmed: number, reserved: number, cap: number | null): PowerStep => ({
  start: at(start), end: at(end), confirmed, reserved, cap, headroom: cap === null ? null : cap - reserved,
});

test('breaches that touch are one, and a column is one only where some instant is', () => {
  const steps = [step(0, 1, 5, 5, 9), step(1, 2, 9, 10, 9), step(2, 3, 9, 11, 9), step(3, 4, 9, 99, null), step(4, 5, 9, 10, 9)];
  expect(breaches(steps)).toEqual([{ start: at(1), end: at(3) }, { start: at(4), end: at(5) }]);
  // The most that is reserved and the least cap at different times.
  expect(breaches([{ ...step(0, 5, 10, 10, 9), headroom: 2 }])).toEqual([]);
});

test('power is told of an instant, or of a column with from when to when', () => {
  const place = { now: at(-30), zone: 'UTC' };
  const exact = [step(9, 10, 2000, 2470, 8000), step(10, 15, 0, 0, null)];
  expect(tellPower(exact, false, at(9.5), place)).toBe('Sat 21 Nov 09:30 · 2 kW booked + 470 W held · cap 8 kW');
  expect(tellPower(exact, false, at(12), place)).toBe('Sat 21 Nov 12:00 · 0 W booked · no cap known');
  expect(tellPower(exact, false, at(9.5), place, [{ start: at(9), end: at(10) }])).toMatch(/ · cap 8 kW \(estimated\)$/);
  expect(tellPower(exact, false, at(9.5), place, [{ start: at(10), end: at(12) }])).toMatch(/ · cap 8 kW$/);
  const columns = [step(9, 14, 2000, 2470, 8000), step(14, 19, 0, 0, 8000)];
  expect(tellPower(columns, true, at(13), place)).toBe(
    'Sat 21 Nov 09:00 to 14:00 · at most 2 kW booked, at most 2.47 kW with what is held · cap at least 8 kW',
  );
  expect(tellPower(columns, true, at(15), place)).toContain('at most 0 W booked ·');
});

test('a profile is read with what is left of the cap', () => {
  const { start, end } = item;
  const told = { start, end, reserved_power_w: 10, confirmed_power_w: 5, cap_w: 9, headroom_w: 2 };
  const profile = { from: start, to: end, cap_scope: 'reserved_nodes', base_power_w: 0, column_s: 3600, steps: [told] };
  const [read] = powerSteps(profile);
  expect(read).toMatchObject({ reserved: 10, confirmed: 5, cap: 9, headroom: 2 });
});

test('what is under two fingers stays under them', () => {
  const view = { from: 0, to: 10 * HOUR };
  // From 40 % and 60 % of the width to 20 % and 80 %: three times as far apart.
  expect(pinched(view, [0.4, 0.6], [0.2, 0.8])).toEqual({ from: 12_000_000, to: 24_000_000 });
  // Both moved by a tenth to the right: an hour earlier is seen.
  expect(pinched(view, [0.4, 0.6], [0.5, 0.7])).toEqual({ from: -HOUR, to: 9 * HOUR });
});

test('a view comes back from its address, and one around now goes on with the time', () => {
  const now = Date.parse('2026-11-21T10:03:00Z');
  const week = around(now, 7 * 24 * HOUR);
  expect(queryOf(week, now)).toEqual({ hours: '168', from: '', to: '' });
  expect(viewOf({ hours: '168' }, now)).toEqual(week);
  expect(viewOf({}, now)).toEqual(around(now, 24 * HOUR));
  const past = moved(week, -2);
  expect(viewOf(queryOf(past, now), now)).toEqual(past);
  expect(viewOf({ from: 'soon', to: '2026-11-21T10:00:00Z', hours: '-3' }, now)).toEqual(around(now, 24 * HOUR));
});
