// What was said in the dialogue with the supplier, and whether it arrived, in words.

import type { MessageDocument } from '../api/schema';
import { span, when, type Clock } from '../time/words';
import { count, energy, money, power } from '../units/format';
import { plain, powerLines, type PowerSpan } from '../ui/negotiations';

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

const CARRIERS: Record<string, string> = { api: 'through the API', webhook: 'by webhook', openadr: 'by OpenADR' };

const JOULES_PER_KWH = 3.6e6;

const feesOf = (spans: readonly PowerSpan[]) => spans.reduce((sum, it) => sum + (it.fee ?? 0), 0);

/** What a message says, and who says it. */
export interface MessageWords {
  who: 'site' | 'supplier';
  at: number;
  text: string;
  lines: string[];
}

interface Said {
  text: string;
  lines?: string[];
}

/** Puts a message's document in words. */
type Wording = (document: Record<string, unknown>, currency: string, clock: Clock) => Said;

const spansOf = (document: Record<string, unknown>, name = 'power') => (document[name] ?? []) as PowerSpan[];

function request(document: Record<string, unknown>, currency: string, clock: Clock): Said {
  const limit = Number(document.fee_limit ?? 0);
  const pays = limit > 0 ? `We pay ${money(limit, currency)} for it at most.` : 'We pay no fee for it.';
  const by = typeof document.answer_by === 'string' ? ` Please answer by ${when(Date.parse(document.answer_by), clock.now, clock.zone)}.` : '';
  return { text: `We need more power than the cap leaves. ${pays}${by}`, lines: powerLines(spansOf(document), 'more', clock) };
}

const given = (words: string): Wording => (document, currency, clock) => {
  if (spansOf(document).length === 0) return { text: 'There is no extra power any more.' };
  const fee = typeof document.fee === 'number' ? document.fee : feesOf(spansOf(document));
  return {
    text: fee > 0 ? `${words}, for ${money(fee, currency)} in all.` : `${words}, for no fee.`,
    lines: powerLines(spansOf(document), 'more', clock),
  };
};

function forecast(document: Record<string, unknown>, _: string, { now, zone }: Clock): Said {
  const intervals = (document.intervals ?? []) as Interval[];
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

function usage(document: Record<string, unknown>, _: string, { now, zone }: Clock): Said {
  const spans = (document.spans ?? []) as Metered[];
  const [first, last] = [spans[0], spans.at(-1)];
  if (!first || !last) return { text: 'We consumed nothing that was metered.' };
  const joules = spans.reduce((sum, it) => sum + it.energy_kwh * JOULES_PER_KWH, 0);
  const during = span(Date.parse(first.start), Date.parse(last.end), now, zone);
  const error = document.mean_absolute_error_w;
  return {
    text: `We consumed ${energy(joules)}, ${during}.`,
    lines: typeof error === 'number' ? [`${power(error)} off the forecast on average`] : ['nothing had been forecast'],
  };
}

function alert(document: Record<string, unknown>, _: string, { now, zone }: Clock): Said {
  const words = typeof document.text === 'string' && document.text !== '' ? `: ${document.text}` : '';
  const [start, end] = [Date.parse(String(document.start)), Date.parse(String(document.end))];
  return {
    text: `Alert, ${plain(String(document.alert ?? 'of no kind').replace(/^ALERT_/, '')).toLowerCase()}${words}.`.replace(/([.!?])\.$/, '$1'),
    lines: Number.isNaN(start) || Number.isNaN(end) ? [] : [span(start, end, now, zone)],
  };
}

/** How messages are put in words, by kind. */
const WORDINGS: Record<string, Wording> = {
  request,
  withdrawal: () => ({ text: 'We need no extra power any more.' }),
  grant: given('You get extra power'),
  offer: given('You could have extra power'),
  acceptance: given('We take it'),
  refusal: (document) => ({ text: `No: ${String(document.reason ?? 'without a reason')}.`.replace(/([.!?])\.$/, '$1') }),
  decline: (document, currency) => ({
    text: `Declined: ${money(Number(document.fee ?? 0), currency)} is more than the ${money(Number(document.fee_limit ?? 0), currency)} that we pay.`,
  }),
  forecast,
  low_consumption: (document, _, clock) => ({
    text: 'We shall consume little.',
    lines: powerLines(spansOf(document, 'spans'), 'at most', clock),
  }),
  low_consumption_withdrawn: (document, _, clock) => ({
    text: 'We shall not consume as little as we said.',
    lines: powerLines(spansOf(document, 'spans'), 'had been announced', clock),
  }),
  usage,
  alert,
  unread: (document) => ({
    text: 'A part of what the supplier says cannot be read. Until it is mended or cancelled, it grants nothing, and makes no cap higher and no price lower.',
    lines: (document.parts ?? []) as string[],
  }),
  revocation: () => ({ text: 'We take a grant back.' }),
};

/** What a message says. Kinds of a later release are told by their name. */
export function messageWords(message: MessageDocument, currency: string, clock: Clock): MessageWords {
  const document = (message.document ?? {}) as Record<string, unknown>;
  const own = typeof document.currency === 'string' ? document.currency : currency;
  const { text, lines = [] } = WORDINGS[message.kind]?.(document, own, clock) ?? { text: `${plain(message.kind)}.` };
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
