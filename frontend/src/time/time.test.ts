import { expect, test } from 'vitest';

import { allZones, usualZones, zoneOf } from './zoneChoice';
import { labelled, ticks } from './ticks';
import { HOUR, MINUTE, countdown, exact, length, nearDay, span, timeOfDay } from './words';
import { instantOf, isZone, offsetAt, wallOf } from './zone';

const PARIS = 'Europe/Paris';
const at = (text: string) => Date.parse(text);

test('clocks in Paris are an hour ahead in winter and two in summer', () => {
  expect(offsetAt(at('2026-01-15T12:00:00Z'), PARIS)).toBe(HOUR);
  expect(offsetAt(at('2026-07-15T12:00:00Z'), PARIS)).toBe(2 * HOUR);
  expect(timeOfDay(at('2026-07-15T12:00:00Z'), PARIS)).toBe('14:00');
});

test('a wall time that comes twice means its first instant', () => {
  // 2026-10-25: at 03:00 CEST (01:00Z) clocks go back to 02:00 CET.
  const wall = Date.UTC(2026, 9, 25, 2, 30);
  expect(instantOf(wall, PARIS)).toBe(at('2026-10-25T00:30:00Z'));
  expect(wallOf(at('2026-10-25T01:30:00Z'), PARIS)).toBe(wall);
});

test('a wall time that is skipped means as much later as clocks go forward', () => {
  // 2026-03-29: at 02:00 CET (01:00Z) clocks go forward to 03:00 CEST.
  expect(instantOf(Date.UTC(2026, 2, 29, 2, 30), PARIS)).toBe(at('2026-03-29T01:30:00Z'));
});

test('every wall time of a year comes back as it went', () => {
  for (const zone of [PARIS, 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC']) {
    for (let instant = at('2026-01-01T00:00:00Z'); instant < at('2027-01-01T00:00:00Z'); instant += 7 * HOUR) {
      const again = instantOf(wallOf(instant, zone), zone);
      expect(wallOf(again, zone)).toBe(wallOf(instant, zone));
    }
  }
});

test('a day of 25 hours has its marks at round wall times', () => {
  const marks = ticks(at('2026-10-24T22:00:00Z'), at('2026-10-25T23:00:00Z'), PARIS, 10);
  expect(marks.map((tick) => tick.label)).toEqual([
    'Sun 25 Oct', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00', '21:00', 'Mon 26 Oct',
  ]);
  // Midnight to three o'clock takes four hours that night.
  expect((marks[1]?.at ?? 0) - (marks[0]?.at ?? 0)).toBe(4 * HOUR);
});

test('a day of 23 hours has its marks at round wall times', () => {
  const marks = ticks(at('2026-03-28T23:00:00Z'), at('2026-03-29T22:00:00Z'), PARIS, 5);
  expect(marks.map((tick) => tick.label)).toEqual(['Sun 29 Mar', '06:00', '12:00', '18:00', 'Mon 30 Mar']);
  expect((marks[1]?.at ?? 0) - (marks[0]?.at ?? 0)).toBe(5 * HOUR);
});

test('marks never crowd and never leave the span', () => {
  for (const hours of [1, 5, 24, 72, 24 * 7, 24 * 60]) {
    const [from, to] = [at('2026-03-27T05:12:00Z'), at('2026-03-27T05:12:00Z') + hours * HOUR];
    const marks = ticks(from, to, PARIS, 8);
    expect(marks.length).toBeLessThanOrEqual(10);
    expect(marks.length).toBeGreaterThan(1);
    expect(marks.every((tick) => tick.at >= from && tick.at <= to)).toBe(true);
  }
});

test('labels of marks never touch and are never cut off', () => {
  for (const hours of [5, 24, 26, 72, 24 * 7]) {
    for (const width of [300, 345, 700, 1050]) {
      for (let shift = 0; shift < 24; shift += 1) {
        const from = at('2026-11-26T00:10:00Z') + shift * HOUR;
        const to = from + hours * HOUR;
        const found = labelled(ticks(from, to, PARIS, Math.max(3, width / 84)), (it) => ((it - from) / (to - from)) * width, width);
        expect(found.length).toBeGreaterThan(0);
        found.forEach(({ mark, middle }, index) => {
          const half = 3.2 * mark.label.length;
          const next = found[index + 1];
          expect(middle - half).toBeGreaterThanOrEqual(0);
          expect(middle + half).toBeLessThanOrEqual(width);
          if (next) expect(next.middle - 3.2 * next.mark.label.length).toBeGreaterThan(middle + half);
        });
      }
    }
  }
});

test('days near now have names, by the wall calendar', () => {
  const now = at('2026-11-21T22:30:00Z');
  expect(nearDay(at('2026-11-21T23:30:00Z'), now, 'UTC')).toBe('today');
  expect(nearDay(at('2026-11-21T23:30:00Z'), now, PARIS)).toBe('tomorrow');
  expect(nearDay(at('2026-11-25T10:00:00Z'), now, PARIS)).toBe('Wed 25 Nov');
});

test('spans name a second day only where there is one', () => {
  const now = at('2026-11-21T08:00:00Z');
  expect(span(at('2026-11-21T12:00:00Z'), at('2026-11-21T14:00:00Z'), now, PARIS)).toBe('today 13:00 to 15:00');
  expect(span(at('2026-11-21T21:00:00Z'), at('2026-11-22T01:00:00Z'), now, PARIS)).toBe(
    'today 22:00 to tomorrow 02:00',
  );
});

test('exact times tell seconds and offset', () => {
  expect(exact(at('2026-11-21T13:30:05Z'), PARIS)).toBe('Sat 21 Nov 2026, 14:30:05 (UTC+01:00)');
  expect(exact(at('2026-11-21T13:30:05Z'), 'UTC')).toBe('Sat 21 Nov 2026, 13:30:05 (UTC)');
});

test('lengths have two parts at most', () => {
  expect(length(2 * HOUR + 30 * MINUTE)).toBe('2 h 30 min');
  expect(length(49 * HOUR)).toBe('2 d 1 h');
  expect(length(90_000)).toBe('1 min 30 s');
  expect(length(24 * HOUR)).toBe('1 d');
  expect(countdown(845_000)).toBe('14:05');
});

test('zones that no browser knows are told apart', () => {
  expect(isZone('Europe/Paris')).toBe(true);
  expect(isZone('Europe/Atlantis')).toBe(false);
});

test('times are in the zone that was chosen, else in the site’s, else in the device’s', () => {
  expect(zoneOf('Asia/Tokyo', 'Europe/Paris', 'UTC')).toBe('Asia/Tokyo');
  expect(zoneOf(null, 'Europe/Paris', 'America/New_York')).toBe('Europe/Paris');
  expect(zoneOf('Mars/Olympus', 'Europe/Paris', 'UTC')).toBe('Europe/Paris');
  expect(zoneOf(null, null, 'America/New_York')).toBe('America/New_York');
});

test('zones are listed by the names in use today', () => {
  expect(allZones()).toEqual(expect.arrayContaining(['Asia/Kolkata', 'Europe/Kyiv', 'Europe/Paris', 'UTC']));
  expect(new Set(allZones()).size).toBe(allZones().length);
});

test('the site’s zone is offered first, beside UTC', () => {
  const zones = usualZones('Europe/Paris', 'Europe/Paris', 'America/New_York');
  expect(zones.map((it) => it.words)).toEqual(['Europe/Paris (the site)', 'UTC', 'America/New_York (this device)']);
  expect(usualZones('UTC', 'UTC', 'UTC').map((it) => it.words)).toEqual(['UTC (the site, this device)']);
});

test('on the days that clocks change, times of the site stand beside UTC as they should', () => {
  const zone = zoneOf(null, 'Europe/Paris', 'UTC');
  const shown = (text: string) => [exact(Date.parse(text), zone), exact(Date.parse(text), 'UTC')];
  // Clocks go from 2 to 3 in spring, and from 3 to 2 in autumn.
  expect(shown('2026-03-29T00:59:59Z')[0]).toBe('Sun 29 Mar 2026, 01:59:59 (UTC+01:00)');
  expect(shown('2026-03-29T01:00:00Z')).toEqual([
    'Sun 29 Mar 2026, 03:00:00 (UTC+02:00)',
    'Sun 29 Mar 2026, 01:00:00 (UTC)',
  ]);
  expect(shown('2026-10-25T00:30:00Z')[0]).toBe('Sun 25 Oct 2026, 02:30:00 (UTC+02:00)');
  expect(shown('2026-10-25T01:30:00Z')[0]).toBe('Sun 25 Oct 2026, 02:30:00 (UTC+01:00)');
});
