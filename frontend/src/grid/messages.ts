// What was said in the dialogue with the supplier, and whether it arrived, in words.

import type { MessageDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { span, when, type Clock } from '../time/words';
import { energy, money, power } from '../units/format';
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

const textsOf = () => language.texts.grid.messages;

/** A sentence has one end, whether or not what stands at its end brings one. */
const ended = (text: string) => `${text}.`.replace(/([.!?])\.$/, '$1');

const spansOf = (document: Record<string, unknown>, name = 'power') => (document[name] ?? []) as PowerSpan[];

function request(document: Record<string, unknown>, currency: string, clock: Clock): Said {
  const texts = textsOf();
  const limit = Number(document.fee_limit ?? 0);
  const by = typeof document.answer_by === 'string' ? Date.parse(document.answer_by) : null;
  const sentences = [
    texts.needsMore,
    limit > 0 ? texts.pays(money(limit, currency)) : texts.paysNothing,
    ...(by === null ? [] : [texts.answerBy(when(by, clock.now, clock.zone))]),
  ];
  return { text: sentences.join(' '), lines: powerLines(spansOf(document), texts.more, clock) };
}

const given = (kind: 'grant' | 'offer' | 'acceptance'): Wording => (document, currency, clock) => {
  const texts = textsOf();
  if (spansOf(document).length === 0) return { text: texts.noExtraPower };
  const fee = typeof document.fee === 'number' ? document.fee : feesOf(spansOf(document));
  return {
    text: fee > 0 ? texts[kind].forFee(money(fee, currency)) : texts[kind].forNothing,
    lines: powerLines(spansOf(document), texts.more, clock),
  };
};

function forecast(document: Record<string, unknown>, _: string, { now, zone }: Clock): Said {
  const texts = textsOf();
  const intervals = (document.intervals ?? []) as Interval[];
  const [first, last] = [intervals[0], intervals.at(-1)];
  if (!first || !last) return { text: texts.plansNothing };
  const [start, end] = [Date.parse(first.start), Date.parse(last.end)];
  const joules = intervals.reduce((sum, it) => sum + it.expected_energy_kwh * JOULES_PER_KWH, 0);
  const peak = intervals.reduce((most, it) => (it.expected_w > most.expected_w ? it : most));
  const reserved = Math.max(...intervals.map((it) => it.reserved_max_w));
  return {
    text: texts.plans(energy(joules), span(start, end, now, zone)),
    lines: [
      texts.onAverage(power((joules / (end - start)) * 1000)),
      texts.peak(power(peak.expected_w), when(Date.parse(peak.start), now, zone)),
      texts.neverMore(power(reserved)),
    ],
  };
}

function usage(document: Record<string, unknown>, _: string, { now, zone }: Clock): Said {
  const texts = textsOf();
  const spans = (document.spans ?? []) as Metered[];
  const [first, last] = [spans[0], spans.at(-1)];
  if (!first || !last) return { text: texts.consumedNothing };
  const joules = spans.reduce((sum, it) => sum + it.energy_kwh * JOULES_PER_KWH, 0);
  const during = span(Date.parse(first.start), Date.parse(last.end), now, zone);
  const error = document.mean_absolute_error_w;
  return {
    text: texts.consumed(energy(joules), during),
    lines: typeof error === 'number' ? [texts.offForecast(power(error))] : [texts.noForecast],
  };
}

function alert(document: Record<string, unknown>, _: string, { now, zone }: Clock): Said {
  const texts = textsOf();
  const kinds: Record<string, string> = texts.alertKinds;
  const name = typeof document.alert === 'string' ? document.alert.replace(/^ALERT_/, '') : '';
  const kind = name === '' ? texts.noAlertKind : (kinds[name] ?? plain(name).toLowerCase());
  const [start, end] = [Date.parse(String(document.start)), Date.parse(String(document.end))];
  return {
    text: ended(texts.alert(kind, typeof document.text === 'string' ? document.text : '')),
    lines: Number.isNaN(start) || Number.isNaN(end) ? [] : [span(start, end, now, zone)],
  };
}

/** How messages are put in words, by kind. */
const WORDINGS: Record<string, Wording> = {
  request,
  withdrawal: () => ({ text: textsOf().needsNoMore }),
  grant: given('grant'),
  offer: given('offer'),
  acceptance: given('acceptance'),
  refusal: (document) => ({ text: ended(textsOf().refusal(String(document.reason ?? ''))) }),
  decline: (document, currency) => ({
    text: textsOf().decline(money(Number(document.fee ?? 0), currency), money(Number(document.fee_limit ?? 0), currency)),
  }),
  forecast,
  low_consumption: (document, _, clock) => ({
    text: textsOf().plansLittle,
    lines: powerLines(spansOf(document, 'spans'), textsOf().atMost, clock),
  }),
  low_consumption_withdrawn: (document, _, clock) => ({
    text: textsOf().plansLittleNoMore,
    lines: powerLines(spansOf(document, 'spans'), textsOf().wereAnnounced, clock),
  }),
  usage,
  alert,
  unread: (document) => ({
    text: textsOf().unread,
    lines: (document.parts ?? []) as string[],
  }),
  revocation: () => ({ text: textsOf().revocation }),
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
  const texts = language.texts.grid.delivery;
  const carriers: Record<string, string> = texts.carriers;
  const way = carriers[message.carrier] ?? texts.carrier(message.carrier);
  const error = message.error ?? '';
  switch (message.delivery) {
    case 'received':
      return { text: texts.received(way), kind: 'good' };
    case 'delivered':
      return { text: message.carrier === 'api' ? texts.toBeRead : texts.delivered(way), kind: 'good' };
    case 'superseded':
      return { text: texts.superseded, kind: 'good' };
    case 'failed':
      return { text: texts.failed(way, error), kind: 'bad' };
    default: {
      if (message.attempts === 0) return { text: texts.onItsWay(way), kind: 'good' };
      const next = message.next_attempt_at ? Date.parse(message.next_attempt_at) : 0;
      const again = next > now ? when(next, now, zone) : '';
      return { text: texts.notYet(message.attempts, way, again, error), kind: 'warn' };
    }
  }
}
