// Months of the site's calendar.

import { language } from '../texts/language.svelte';
import { instantOf, wallOf } from './zone';

export interface Month {
  /** Such as `2026-03`. */
  id: string;
  /** Such as `March 2026`. */
  name: string;
  /** RFC 3339. */
  from: string;
  /** The first instant after it, RFC 3339. */
  to: string;
}

/** The month in which an instant lies in a zone, and as many before it as are asked for, the newest first. */
export function months(now: number, zone: string, count: number): Month[] {
  const wall = new Date(wallOf(now, zone));
  const [year, month] = [wall.getUTCFullYear(), wall.getUTCMonth()];
  const start = (at: number) => new Date(instantOf(Date.UTC(year, at, 1), zone)).toISOString();
  return Array.from({ length: count }, (_, back) => {
    const first = new Date(Date.UTC(year, month - back, 1));
    return {
      id: first.toISOString().slice(0, 7),
      name: first.toLocaleDateString(language.locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
      from: start(month - back),
      to: start(month - back + 1),
    };
  });
}
