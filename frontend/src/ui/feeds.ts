// The sources of agendas, as `GET /api/v1/feeds` tells of them, in words.

import { said } from '../api/said';
import type { AgendaDocument, FeedDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { exact, length, when } from '../time/words';
import type { Quantity } from '../ui/readAgendas';
import type { Span } from '../ui/steps';

/** The agendas of the API by what sources say of themselves. */
export const QUANTITIES: Record<string, Quantity> = { price: 'price', co2: 'co2', power_cap: 'power-cap' };

export interface Light {
  kind: 'good' | 'warn' | 'bad' | 'none';
  word: string;
}

/** What lights look like where colours are not seen. */
export const LIGHT_MARKS = { good: '●', warn: '◐', bad: '▲', none: '○' };

const LIGHTS: Record<string, Light['kind']> = { ok: 'good', failing: 'warn', late: 'bad', never: 'none' };

export function lightOf({ status }: FeedDocument): Light {
  const words: Record<string, string> = language.texts.ui.feeds.lights;
  return { kind: LIGHTS[status] ?? 'none', word: words[status] ?? status };
}

/** A feed's last error, in a sentence. */
export function errorWords(feed: FeedDocument, now: number, zone: string): string {
  if (!feed.last_error) return '';
  const { at, class: kind, detail } = feed.last_error;
  const texts = language.texts.ui.feeds;
  const words: Record<string, string> = texts.errors;
  return texts.error(words[kind] ?? kind, when(Date.parse(at), now, zone), said(detail));
}

/** How old a feed's data is and how far it reaches. */
export function ageWords(feed: FeedDocument, now: number, zone: string): string {
  const texts = language.texts.ui.feeds;
  const heard = feed.last_success_at ? texts.heard(length(now - Date.parse(feed.last_success_at))) : texts.notHeard;
  const until = feed.horizon ? texts.knownUntil(when(Date.parse(feed.horizon), now, zone)) : '';
  const wait = feed.next_poll_at ? Date.parse(feed.next_poll_at) - now : 0;
  const next = wait > 0 ? texts.askedNext(length(wait)) : '';
  return [heard, until, next].filter((it) => it !== '').join(' · ');
}

/** How often a source was asked, when last, and how often that failed. */
export function pollWords(feed: FeedDocument, zone: string): string {
  const texts = language.texts.ui.feeds;
  if (!feed.last_poll_at) return texts.notAsked;
  return texts.asked(feed.requests, exact(Date.parse(feed.last_poll_at), zone), feed.failures);
}

/** The spans of an agenda that are from a source. */
export const countsFrom = ({ provenance }: AgendaDocument, source: string): Span[] =>
  provenance.filter((it) => it.source === source).map(({ start, end }) => ({ start: Date.parse(start), end: Date.parse(end) }));
