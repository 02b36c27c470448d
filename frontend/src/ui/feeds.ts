// The sources of agendas, as `GET /api/v1/feeds` tells of them, in words.

import type { AgendaDocument, FeedDocument } from '../api/schema';
import { exact, length, when } from '../time/words';
import type { Quantity } from '../ui/readAgendas';
import type { Span } from '../ui/steps';
import { count } from '../units/format';

/** The agendas of the API by what sources say of themselves. */
export const QUANTITIES: Record<string, Quantity> = { price: 'price', co2: 'co2', power_cap: 'power-cap' };

export interface Light {
  kind: 'good' | 'warn' | 'bad' | 'none';
  word: string;
}

/** What lights look like where colours are not seen. */
export const LIGHT_MARKS = { good: '●', warn: '◐', bad: '▲', none: '○' };

const LIGHTS: Record<string, Light> = {
  ok: { kind: 'good', word: 'Up to date' },
  failing: { kind: 'warn', word: 'Last try failed' },
  late: { kind: 'bad', word: 'Too old' },
  never: { kind: 'none', word: 'Not heard of yet' },
};

export const lightOf = (feed: FeedDocument): Light => LIGHTS[feed.status] ?? { kind: 'none', word: feed.status };

const CLASSES: Record<string, string> = {
  refused: 'The provider refused the request',
  busy: 'The provider asked to wait',
  transient: 'The provider did not answer properly',
  not_published: 'The provider has not published it yet',
  payload: 'The provider sent something unreadable',
  sandbox: 'The provider answered with test data',
  configuration: 'The settings are wrong',
};

/** A feed's last error, in a sentence. */
export function errorWords(feed: FeedDocument, now: number, zone: string): string {
  if (!feed.last_error) return '';
  const { at, class: kind, detail } = feed.last_error;
  return `${CLASSES[kind] ?? kind} (${when(Date.parse(at), now, zone)}): ${detail}`;
}

/** How old a feed's data is and how far it reaches. */
export function ageWords(feed: FeedDocument, now: number, zone: string): string {
  const heard = feed.last_success_at ? `heard ${length(now - Date.parse(feed.last_success_at))} ago` : 'not heard of yet';
  const until = feed.horizon ? `known until ${when(Date.parse(feed.horizon), now, zone)}` : '';
  const next = feed.next_poll_at && Date.parse(feed.next_poll_at) > now ? `asked next in ${length(Date.parse(feed.next_poll_at) - now)}` : '';
  return [heard, until, next].filter((it) => it !== '').join(' · ');
}

/** How often a source was asked, when last, and how often that failed. */
export function pollWords(feed: FeedDocument, zone: string): string {
  if (!feed.last_poll_at) return 'It has not been asked yet.';
  const failed = feed.failures > 0 ? `; ${count(feed.failures, 'try', 'tries')} failed` : '';
  return `Asked by ${count(feed.requests, 'request')} so far, last ${exact(Date.parse(feed.last_poll_at), zone)}${failed}.`;
}

/** The spans of an agenda that are from a source. */
export const countsFrom = ({ provenance }: AgendaDocument, source: string): Span[] =>
  provenance.filter((it) => it.source === source).map(({ start, end }) => ({ start: Date.parse(start), end: Date.parse(end) }));
