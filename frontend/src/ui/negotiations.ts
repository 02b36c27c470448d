// The negotiations with the supplier, in words: what they are about and how they stand.

import type { NegotiationDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { length, span, when, type Clock } from '../time/words';
import { power } from '../units/format';

/** Power over a span, as it stands in messages; those of grants and offers may have a fee. */
export interface PowerSpan {
  start: string;
  end: string;
  power_w: number;
  fee?: number;
}

/** What a negotiation about extra power is about. */
export interface Question {
  power: PowerSpan[];
  fee_limit: number;
  /** Those that wait for the power. */
  reservations: { id: string }[];
  /** Ids of those that lost power. */
  degraded: string[];
  answer: unknown;
}

/** Spans told one by one; what more there are is summed up. */
const MOST_SPANS = 5;

/** A word of the API as people read it. */
export const plain = (word: string) => word.replaceAll('_', ' ');
/** What a negotiation is called by its kind. */
export function titleOf(it: NegotiationDocument): string {
  const titles: Record<string, string> = language.texts.ui.negotiations.kinds;
  return titles[it.kind] ?? plain(it.kind);
}

/** The question of a negotiation about extra power; null for others. */
export function questionOf(it: NegotiationDocument): Question | null {
  return it.kind === 'extra_power' ? (it.subject as unknown as Question) : null;
}

/** Whether the supplier has yet to answer. */
export function isAsked(it: NegotiationDocument): boolean {
  const question = questionOf(it);
  return it.state === 'open' && question !== null && !question.answer;
}

/** Each negotiation once, as it was read last. */
export function merged(open: readonly NegotiationDocument[], ended: readonly NegotiationDocument[]): NegotiationDocument[] {
  const over = new Set(ended.map((it) => it.id));
  return [...open.filter((it) => !over.has(it.id)), ...ended];
}

/** Questions first, then what goes on, then what has ended; the newest first among each. */
export function ordered(all: readonly NegotiationDocument[]): NegotiationDocument[] {
  const rank = (it: NegotiationDocument) => (isAsked(it) ? 0 : it.state === 'open' ? 1 : 2);
  return [...all].sort((a, b) => rank(a) - rank(b) || Date.parse(b.opened_at) - Date.parse(a.opened_at));
}

/** The state of a negotiation. */
export function stateWords(it: NegotiationDocument, { now, zone }: Clock): string {
  const texts = language.texts.ui.negotiations;
  if (it.state !== 'open') {
    const outcomes: Record<string, string> = texts.outcomes;
    const closed = it.closed_at ? `, ${when(Date.parse(it.closed_at), now, zone)}` : '';
    return `${outcomes[it.outcome ?? ''] ?? plain(it.outcome ?? it.state)}${closed}`;
  }
  if (!isAsked(it)) return it.kind === 'extra_power' ? texts.answered : texts.ongoing;
  if (!it.deadline) return texts.waits;
  const deadline = Date.parse(it.deadline);
  if (deadline <= now) return texts.late;
  return texts.waitsUntil(when(deadline, now, zone), length(deadline - now));
}

/** Neighbours of the same power as one, their fees added. */
export function joined(spans: readonly PowerSpan[]): PowerSpan[] {
  const found: PowerSpan[] = [];
  for (const it of spans) {
    const last = found.at(-1);
    if (last && Date.parse(last.end) === Date.parse(it.start) && last.power_w === it.power_w) {
      last.end = it.end;
      last.fee = (last.fee ?? 0) + (it.fee ?? 0);
    } else found.push({ ...it });
  }
  return found;
}

/** A line for each span: `400 W more, today 14:00 to 15:00`. */
export function powerLines(spans: readonly PowerSpan[], words: string, { now, zone }: Clock): string[] {
  const texts = language.texts.ui.negotiations;
  const all = joined(spans);
  const line = (it: PowerSpan) => texts.line(power(it.power_w), words, span(Date.parse(it.start), Date.parse(it.end), now, zone));
  const lines = all.slice(0, MOST_SPANS).map(line);
  const rest = all.slice(MOST_SPANS);
  const [first, last] = [rest[0], rest.at(-1)];
  if (first && last) {
    const most = Math.max(...rest.map((it) => it.power_w));
    const during = span(Date.parse(first.start), Date.parse(last.end), now, zone);
    lines.push(texts.moreSpans(rest.length, power(most), during));
  }
  return lines;
}

/** What a negotiation about extra power asks for, in a line; empty for others. */
export function questionWords(it: NegotiationDocument, clock: Clock): string {
  const question = questionOf(it);
  const [first, last] = [question?.power[0], question?.power.at(-1)];
  if (!question || !first || !last) return '';
  const most = Math.max(...question.power.map((it) => it.power_w));
  const during = span(Date.parse(first.start), Date.parse(last.end), clock.now, clock.zone);
  const texts = language.texts.ui.negotiations;
  const askers = texts.askers(question.reservations.length, question.degraded.length);
  return texts.question(power(most), question.power.length > 1, during, askers);
}

/** The reservations that a question is asked for, with what they have to do with it. */
export function concerned({ reservations, degraded }: Question): { id: string; words: string }[] {
  const { waitsForPower, lostPower } = language.texts.ui.negotiations;
  return [
    ...reservations.map(({ id }) => ({ id, words: waitsForPower })),
    ...degraded.map((id) => ({ id, words: lostPower })),
  ];
}

/** The question granted, with no more than so many watts at any time, for a fee that is shared out by energy. */
export function granted(question: Question, fee = 0, most = Infinity): PowerSpan[] {
  const spans = question.power.map((it) => ({ ...it, power_w: Math.min(it.power_w, most) }));
  const energyOf = (it: PowerSpan) => it.power_w * (Date.parse(it.end) - Date.parse(it.start));
  const sum = spans.reduce((sum, it) => sum + energyOf(it), 0);
  return spans.map((it) => {
    const { start, end, power_w } = it;
    return { start, end, power_w, ...(fee > 0 ? { fee: (fee * energyOf(it)) / sum } : {}) };
  });
}
