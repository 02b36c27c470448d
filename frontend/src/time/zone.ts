// Time zones: what clocks on walls show, and the instants they mean. Instants are milliseconds since
// the Unix epoch; wall times are what a clock in the zone shows, written as if they were UTC.

import { language } from '../texts/language.svelte';

const formats = new Map<string, Intl.DateTimeFormat>();

export function format(zone: string, options: Intl.DateTimeFormatOptions, locale = language.locale): Intl.DateTimeFormat {
  const key = locale + zone + JSON.stringify(options);
  let made = formats.get(key);
  if (!made) {
    made = new Intl.DateTimeFormat(locale, { timeZone: zone, hourCycle: 'h23', ...options });
    formats.set(key, made);
  }
  return made;
}

const FIELDS: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
};

/** What the wall clock shows at an instant. */
export function wallOf(instant: number, zone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of format(zone, FIELDS, 'en-GB').formatToParts(instant)) {
    parts[type] = Number(value);
  }
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Milliseconds by which the zone's clocks are ahead of UTC. */
export function offsetAt(instant: number, zone: string): number {
  return wallOf(instant, zone) - Math.floor(instant / 1000) * 1000;
}

/**
 * The instant at which the wall clock shows a time. Of an hour that comes twice it is the first; in
 * one that is skipped, as much later as clocks go forward.
 */
export function instantOf(wall: number, zone: string): number {
  const day = 86_400_000;
  const before = wall - offsetAt(wall - day, zone);
  if (wallOf(before, zone) === wall) return before;
  const after = wall - offsetAt(wall + day, zone);
  return wallOf(after, zone) === wall ? after : before;
}

/** What `datetime-local` writes, as an instant; null where it is no time. */
export function readWall(text: string, zone: string): number | null {
  const parsed = Date.parse(`${text}${text.length === 16 ? ':00' : ''}Z`);
  return Number.isNaN(parsed) ? null : instantOf(parsed, zone);
}

/** `2026-11-21T14:30`: an instant as `datetime-local` reads it. */
export const wallText = (instant: number, zone: string) => new Date(wallOf(instant, zone)).toISOString().slice(0, 16);

/** Whether the browser knows the zone. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
