// The dialogue with the supplier: conversations and what was said in them, in words.

import type { MessageDocument, NegotiationDocument } from '../api/schema';
import { length, span, when } from '../time/words';
import { count, energy, money, power } from '../units/format';

export interface Clock {
  now: number;
  zone: string;
}

/** Power over a span, as it stands in messages; those of grants and offers may have a fee. */
export interface PowerSpan {
  start: string;
  end: string;
  power_w: number;
  fee?: number;
}

/** What a conversation about extra power is about. */
export interface Question {
  power: PowerSpan[];
  fee_limit: number;
  reservations: unknown[];
  degraded: unknown[];
  answer: unknown;
}

interface Interval {
  start: string;
  end: string;
  expected_w: number;
  reserved_max_w: number;
  expected_energy_kwh: number;
}

interface Metered {
  start: string;
  end: string;
  energy_kwh: number;
  forecast_w: number | null;
}

const TITLES: Record<string, string> = {
  extra_power: 'Extra power',
  planned_consumption: 'Planned consumption',
  low_consumption: 'Low consumption',
  actual_consumption: 'What was consumed',
  notice: 'What the supplier did by itself',
};

const OUTCOMES: Record<string, string> = {
  granted: 'Granted',
  partly_granted: 'Partly granted',
  refused: 'Refused',
  unanswered: 'Not answered',
  withdrawn: 'Withdrawn',
};

const CARRIERS: Record<string, string> = { api: 'through the API', webhook: 'by webhook', openadr: 'by OpenADR' };

/** Spans told one by one; what more there are is summed up. */
const MOST_SPANS = 5;

const JOULES_PER_KWH = 3.6e6;

const plain = (word: string) => word.replaceAll('_', ' ');
export const titleOf = (it: NegotiationDocument) => TITLES[it.kind] ?? plain(it.kind);

/** The question that a conversation about extra power puts; null for others. */
export function questionOf(it: NegotiationDocument): Question | null {
  return it.kind === 'extra_power' ? (it.subject as unknown as Question) : null;
}

/** Whether the supplier has yet to answer. */
export function isAsked(it: NegotiationDocument): boolean {
  const question = questionOf(it);
  return it.state === 'open' && question !== null && !question.answer;
}

/** Each conversation once, as it was read last. */
export function merged(open: readonly NegotiationDocument[], ended: readonly NegotiationDocument[]): NegotiationDocument[] {
  const over = new Set(ended.map((it) => it.id));
  return [...open.filter((it) => !over.has(it.id)), ...ended];
}

/** Questions first, then what goes on, then what has ended; the newest first among each. */
export function ordered(all: readonly NegotiationDocument[]): NegotiationDocument[] {
  const rank = (it: NegotiationDocument) => (isAsked(it) ? 0 : it.state === 'open' ? 1 : 2);
  return [...all].sort((a, b) => rank(a) - rank(b) || Date.parse(b.opened_at) - Date.parse(a.opened_at));
}

/** How a conversation stands. */
export function standing(it: NegotiationDocument, { now, zone }: Clock): string {
  if (it.state !== 'open') {
    const closed = it.closed_at ? `, ${when(Date.parse(it.closed_at), now, zone)}` : '';
    return `${OUTCOMES[it.outcome ?? ''] ?? plain(it.outcome ?? it.state)}${closed}`;
  }
  if (!isAsked(it)) return it.kind === 'extra_power' ? 'Answered' : 'Goes on';
  if (!it.deadline) return 'Waits for an answer';
  const deadline = Date.parse(it.deadline);
  if (deadline <= now) return 'Was not answered in time';
  return `Waits for an answer until ${when(deadline, now, zone)}, ${length(deadline - now)} from now`;
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
  const all = joined(spans);
  const line = (it: PowerSpan) =>
    `${power(it.power_w)} ${words}, ${span(Date.parse(it.start), Date.parse(it.end), now, zone)}`;
  const lines = all.slice(0, MOST_SPANS).map(line);
  const rest = all.slice(MOST_SPANS);
  const [first, last] = [rest[0], rest.at(-1)];
  if (first && last) {
    const most = Math.max(...rest.map((it) => it.power_w));
    const during = span(Date.parse(first.start), Date.parse(last.end), now, zone);
    lines.push(`${count(rest.length, 'more span')}, ${power(most)} at most, ${during}`);
  }
  return lines;
}

/** What is asked for, in a line. */
export function summary(it: NegotiationDocument, clock: Clock): string {
  const question = questionOf(it);
  const [first, last] = [question?.power[0], question?.power.at(-1)];
  if (!question || !first || !last) return '';
  const most = Math.max(...question.power.map((it) => it.power_w));
  const during = span(Date.parse(first.start), Date.parse(last.end), clock.now, clock.zone);
  return `${power(most)} ${question.power.length > 1 ? 'at most ' : ''}more, ${during}, for ${asking(question)}`;
}

function asking({ reservations, degraded }: Question): string {
  const parts = [
    reservations.length > 0 ? `${count(reservations.length, 'request')}` : '',
    degraded.length > 0 ? `${count(degraded.length, 'reservation')} that lost power` : '',
  ];
  return parts.filter((it) => it !== '').join(' and ') || 'nobody any more';
}

const feesOf = (spans: readonly PowerSpan[]) => spans.reduce((sum, it) => sum + (it.fee ?? 0), 0);

/** The whole question granted, for a fee that is shared out by energy. */
export function allOf(question: Question, fee = 0): PowerSpan[] {
  const energyOf = (it: PowerSpan) => it.power_w * (Date.parse(it.end) - Date.parse(it.start));
  const sum = question.power.reduce((sum, it) => sum + energyOf(it), 0);
  return question.power.map(({ start, end, power_w }, index) => {
    const share = (fee * energyOf(question.power[index] as PowerSpan)) / sum;
    return { start, end, power_w, ...(fee > 0 ? { fee: share } : {}) };
  });
}

export interface Speech {
  who: 'site' | 'supplier';
  at: number;
  text: string;
  lines: string[];
}

interface Spoken {
  text: string;
  lines?: string[];
}

type Speaker = (said: Record<string, unknown>, currency: string, clock: Clock) => Spoken;

const spansOf = (said: Record<string, unknown>, name = 'power') => (said[name] ?? []) as PowerSpan[];

function request(said: Record<string, unknown>, currency: string, clock: Clock): Spoken {
  const limit = Number(said.fee_limit ?? 0);
  const pays = limit > 0 ? `We pay ${money(limit, currency)} for it at most.` : 'We pay no fee for it.';
  const by = typeof said.answer_by === 'string' ? ` Please answer by ${when(Date.parse(said.answer_by), clock.now, clock.zone)}.` : '';
  return { text: `We need more power than the cap leaves. ${pays}${by}`, lines: powerLines(spansOf(said), 'more', clock) };
}

const given = (words: string): Speaker => (said, currency, clock) => {
  if (spansOf(said).length === 0) return { text: 'There is no extra power any more.' };
  const fee = typeof said.fee === 'number' ? said.fee : feesOf(spansOf(said));
  return {
    text: fee > 0 ? `${words}, for ${money(fee, currency)} in all.` : `${words}, for no fee.`,
    lines: powerLines(spansOf(said), 'more', clock),
  };
};

function forecast(said: Record<string, unknown>, _: string, { now, zone }: Clock): Spoken {
  const intervals = (said.intervals ?? []) as Interval[];
  const [first, last] = [intervals[0], intervals.at(-1)];
  if (!first || !last) return { text: 'We plan to consume nothing.' };
  const [start, end] = [Date.parse(first.start), Date.parse(last.end)];
  const joules = intervals.reduce((sum, it) => sum + it.expected_energy_kwh * JOULES_PER_KWH, 0);
  const peak = intervals.reduce((most, it) => (it.expected_w > most.expected_w ? it : most));
  const reserved = Math.max(...intervals.map((it) => it.reserved_max_w));
  return {
    text: `We plan to consume ${energy(joules)}, ${span(start, end, now, zone)}.`,
    lines: [
      `${power((joules / (end - start)) * 1000)} on average`,
      `${power(peak.expected_w)} at most, ${when(Date.parse(peak.start), now, zone)}`,
      `never more than ${power(reserved)}`,
    ],
  };
}

function usage(said: Record<string, unknown>, _: string, { now, zone }: Clock): Spoken {
  const spans = (said.spans ?? []) as Metered[];
  const [first, last] = [spans[0], spans.at(-1)];
  if (!first || !last) return { text: 'We consumed nothing that was metered.' };
  const joules = spans.reduce((sum, it) => sum + it.energy_kwh * JOULES_PER_KWH, 0);
  const during = span(Date.parse(first.start), Date.parse(last.end), now, zone);
  const error = said.mean_absolute_error_w;
  return {
    text: `We consumed ${energy(joules)}, ${during}.`,
    lines: typeof error === 'number' ? [`${power(error)} off the forecast on average`] : ['nothing had been forecast'],
  };
}

function alert(said: Record<string, unknown>, _: string, { now, zone }: Clock): Spoken {
  const words = typeof said.text === 'string' && said.text !== '' ? `: ${said.text}` : '';
  const [start, end] = [Date.parse(String(said.start)), Date.parse(String(said.end))];
  return {
    text: `Alert, ${plain(String(said.alert ?? 'of no kind').replace(/^ALERT_/, '')).toLowerCase()}${words}.`.replace(/([.!?])\.$/, '$1'),
    lines: Number.isNaN(start) || Number.isNaN(end) ? [] : [span(start, end, now, zone)],
  };
}

const SPEAKERS: Record<string, Speaker> = {
  request,
  withdrawal: () => ({ text: 'We need no extra power any more.' }),
  grant: given('You get extra power'),
  offer: given('You could have extra power'),
  acceptance: given('We take it'),
  refusal: (said) => ({ text: `No: ${String(said.reason ?? 'without a reason')}.`.replace(/([.!?])\.$/, '$1') }),
  decline: (said, currency) => ({
    text: `No, thank you: ${money(Number(said.fee ?? 0), currency)} is more than the ${money(Number(said.fee_limit ?? 0), currency)} that we pay.`,
  }),
  forecast,
  low_consumption: (said, _, clock) => ({
    text: 'We shall consume little.',
    lines: powerLines(spansOf(said, 'spans'), 'at most', clock),
  }),
  low_consumption_withdrawn: (said, _, clock) => ({
    text: 'We shall not consume as little as we said.',
    lines: powerLines(spansOf(said, 'spans'), 'had been announced', clock),
  }),
  usage,
  alert,
  unread: (said) => ({
    text: 'A part of what the supplier says cannot be read. Until it is mended or cancelled, it grants nothing, and makes no cap higher and no price lower.',
    lines: (said.parts ?? []) as string[],
  }),
  revocation: () => ({ text: 'We take a grant back.' }),
};

/** What a message says. Kinds of a later release are told by their name. */
export function speech(message: MessageDocument, currency: string, clock: Clock): Speech {
  const said = (message.document ?? {}) as Record<string, unknown>;
  const own = typeof said.currency === 'string' ? said.currency : currency;
  const { text, lines = [] } = SPEAKERS[message.kind]?.(said, own, clock) ?? { text: `${plain(message.kind)}.` };
  const who = message.direction === 'to_supplier' ? 'site' : 'supplier';
  return { who, at: Date.parse(message.said_at), text, lines };
}

export interface DeliveryWords {
  text: string;
  kind: 'good' | 'warn' | 'bad';
}

/** Whether and how a message arrived. */
export function deliveryWords(message: MessageDocument, { now, zone }: Clock): DeliveryWords {
  const way = CARRIERS[message.carrier] ?? `by ${message.carrier}`;
  const error = message.error ? `: ${message.error}` : '';
  switch (message.delivery) {
    case 'received':
      return { text: `came ${way}`, kind: 'good' };
    case 'delivered':
      return { text: message.carrier === 'api' ? 'to be read through the API' : `arrived ${way}`, kind: 'good' };
    case 'superseded':
      return { text: 'not sent: a later message says more', kind: 'good' };
    case 'failed':
      return { text: `never arrived ${way}${error}`, kind: 'bad' };
    default: {
      if (message.attempts === 0) return { text: `on its way ${way}`, kind: 'good' };
      const next = message.next_attempt_at ? Date.parse(message.next_attempt_at) : 0;
      const again = next > now ? `again ${when(next, now, zone)}` : 'again now';
      return { text: `not there yet after ${count(message.attempts, 'try', 'tries')} ${way}, ${again}${error}`, kind: 'warn' };
    }
  }
}
