// Whatever goes wrong when the service is asked.

import type { PlacedError, Problem } from './schema';

/** Why an answer is not what was asked for. */
export class Failure extends Error {
  constructor(
    /** The problem's stable word, or `unreachable`. */
    readonly code: string,
    message: string,
    readonly errors: PlacedError[] = [],
    readonly problem?: Problem,
  ) {
    super(message);
  }
}

/** Names of fields as forms have them, by the last name of a pointer; others are said by their words. */
const FIELDS: Record<string, string> = {
  nodes: 'Nodes',
  duration_s: 'For how long',
  earliest_start: 'Not before',
  latest_start: 'Latest start',
  latest_end: 'Finished by',
  max_delay_h: 'May wait, hours',
  requests: 'Requests in a run',
  runs: 'Runs',
  days: 'Days',
  start: 'From the day',
};

/** What is wrong with a field, called what people know it by: `Runs: must be 1 to 10,000`. */
export function placedWords({ pointer, place, detail }: PlacedError): string {
  const name = (pointer ?? place ?? '').split('/').findLast((part) => part !== '' && !/^\d+$/.test(part)) ?? '';
  const called = FIELDS[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
  return called ? `${called}: ${detail}` : detail;
}

/** What is wrong with each field, by the first part of its pointer. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof Failure)) return {};
  const entries = error.errors.map((it): [string, string] => [it.pointer?.split('/')[1] ?? '', it.detail]);
  return Object.fromEntries(entries.filter(([field]) => field !== ''));
}
