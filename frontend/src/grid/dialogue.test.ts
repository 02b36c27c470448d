import { expect, test } from 'vitest';

import type { MessageDocument, NegotiationDocument } from '../api/schema';
import { deliveryWords, messageWords } from './messages';
import { granted, isAsked, joined, merged, ordered, questionWords, stateWords, type Question } from '../ui/negotiations';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const CLOCK = { now: NOW, zone: 'UTC' };
const at = (time: string) => `2026-03-01T${time}:00Z`;

const question: Question = {
  power: [
    { start: at('14:00'), end: at('15:00'), power_w: 40_000 },
    { start: at('15:00'), end: at('18:00'), power_w: 20_000 },
  ],
  fee_limit: 3, reservations: [{ id: 'r1' }], degraded: [], answer: null,
};
function negotiation(values: Partial<NegotiationDocument>): NegotiationDocument {
  return {
    id: 'n1', kind: 'extra_power', state: 'open', outcome: null, subject: question as never,
    opened_at: at('11:55'), deadline: at('12:15'), closed_at: null, ...values,
  };
}
function message(kind: string, document: object, values: Partial<MessageDocument> = {}): MessageDocument {
  return {
    id: 1, said_at: at('11:55'), direction: 'to_supplier', kind, carrier: 'webhook', document: document as never,
    delivery: 'delivered', attempts: 1, next_attempt_at: null, delivered_at: at('11:55'), error: null, ...values,
  };
}
const said = (kind: string, document: object) => {
  const { text, lines } = messageWords(message(kind, document), 'EUR', CLOCK);
  return [text, ...lines];
};

test('what ends between the two readings is shown once, as ended', () => {
  const open = [negotiation({ id: 'asked' }), negotiation({ id: 'stays' })];
  const ended = [negotiation({ id: 'asked', state: 'closed', outcome: 'refused' })];
  expect(merged(open, ended).map((it) => [it.id, it.state])).toEqual([['stays', 'open'], ['asked', 'closed']]);
});

test('questions come first, then what goes on, then what has ended', () => {
  const all = [
    negotiation({ id: 'old', state: 'closed', opened_at: at('08:00') }),
    negotiation({ id: 'new', state: 'closed', opened_at: at('09:00') }),
    negotiation({ id: 'plan', kind: 'planned_consumption', subject: {} as never }),
    negotiation({ id: 'asked', opened_at: at('07:00') }),
  ];
  expect(ordered(all).map((it) => it.id)).toEqual(['asked', 'plan', 'new', 'old']);
});

test('a question waits until its deadline, or until it is answered', () => {
  expect(stateWords(negotiation({}), CLOCK)).toBe('Waits for an answer until today 12:15, 15 min from now');
  expect(stateWords(negotiation({ deadline: at('11:59') }), CLOCK)).toBe('Was not answered in time');
  const answered = negotiation({ subject: { ...question, answer: { granted: true } } as never });
  expect([isAsked(answered), stateWords(answered, CLOCK)]).toEqual([false, 'Answered']);
  const closed = negotiation({ state: 'closed', outcome: 'partly_granted', closed_at: at('11:58') });
  expect([isAsked(closed), stateWords(closed, CLOCK)]).toEqual([false, 'Partly granted, today 11:58']);
});

test('what is asked for stands in one line', () => {
  expect(questionWords(negotiation({}), CLOCK)).toBe('40 kW at most more, today 14:00 to 18:00, for 1 request');
  expect(questionWords(negotiation({ kind: 'notice', subject: {} as never }), CLOCK)).toBe('');
});

test('neighbours of the same power are one span, with the fees of both', () => {
  const [one, two] = [
    { start: at('14:00'), end: at('14:15'), power_w: 5, fee: 1 },
    { start: at('14:15'), end: at('14:30'), power_w: 5, fee: 2 },
  ];
  expect(joined([one, two])).toEqual([{ start: at('14:00'), end: at('14:30'), power_w: 5, fee: 3 }]);
  expect(joined([one, { ...two, start: at('14:20') }])).toHaveLength(2);
  expect(one.end).toBe(at('14:15'));
});

/** 40 kWh and 60 kWh: two fifths and three fifths of 5 EUR. */
test('a fee for all of a question is shared out by energy', () => {
  expect(granted(question, 5).map((it) => it.fee)).toEqual([2, 3]);
  expect(granted(question)).toEqual(question.power);
});

/** 30 kWh and 60 kWh: a third and two thirds of 3 EUR. */
test('a part of a question is no more than so much at any time', () => {
  const part = granted(question, 3, 30_000);
  expect(part.map((it) => it.power_w)).toEqual([30_000, 20_000]);
  expect(part.map((it) => it.fee)).toEqual([1, 2]);
  expect(granted(question, 0, 50_000)).toEqual(question.power);
});

test('both sides speak in words', () => {
  expect(said('request', { power: question.power, fee_limit: 3, answer_by: at('12:15') })).toEqual([
    'We need more power than the cap leaves. We pay 3.00 EUR for it at most. Please answer by today 12:15.',
    '40 kW more, today 14:00 to 15:00',
    '20 kW more, today 15:00 to 18:00',
  ]);
  expect(said('grant', { power: question.power.slice(0, 1) })).toEqual([
    'You get extra power, for no fee.', '40 kW more, today 14:00 to 15:00',
  ]);
  expect(said('offer', { power: [{ ...question.power[0], fee: 1.5 }] })[0]).toBe('You could have extra power, for 1.50 EUR in all.');
  expect(said('offer', { power: question.power.slice(0, 1), fee: 4 })[0]).toBe('You could have extra power, for 4.00 EUR in all.');
  expect(said('grant', { power: [] })).toEqual(['There is no extra power any more.']);
  expect(said('alert', { alert: 'ALERT_GRID_EMERGENCY', start: at('14:00'), end: at('15:00'), text: 'A line is down' })).toEqual([
    'Alert, grid emergency: A line is down.', 'today 14:00 to 15:00',
  ]);
  expect(said('unread', { parts: ['event e, interval 0: KVA is no unit of power'] })[1]).toBe('event e, interval 0: KVA is no unit of power');
  expect(said('decline', { fee: 5, fee_limit: 3, currency: 'CHF' })).toEqual([
    'Declined: 5.00 CHF is more than the 3.00 CHF that we pay.',
  ]);
  expect(said('refusal', { reason: 'the line is full' })).toEqual(['No: the line is full.']);
  expect(said('refusal', { reason: 'Not today!' })).toEqual(['No: Not today!']);
  expect(said('from_a_later_release', {})).toEqual(['from a later release.']);
});

test('many spans are summed up', () => {
  const power = Array.from({ length: 8 }, (_, hour) => ({ start: at(`0${hour}:00`), end: at(`0${hour + 1}:00`), power_w: hour + 1 }));
  const lines = said('request', { power });
  expect(lines).toHaveLength(7);
  expect(lines[6]).toBe('3 more spans, 8 W at most, today 05:00 to 08:00');
});

/** 10 kW for an hour and 30 kW for an hour: 40 kWh, 20 kW on average. */
test('a forecast is told by its energy, mean and peak', () => {
  const interval = (start: string, end: string, kw: number) => ({
    start: at(start), end: at(end), expected_w: kw * 1000, reserved_max_w: 50_000, expected_energy_kwh: kw,
  });
  expect(said('forecast', { intervals: [interval('12:00', '13:00', 10), interval('13:00', '14:00', 30)] })).toEqual([
    'We plan to consume 40 kWh, today 12:00 to 14:00.',
    '20 kW on average',
    '30 kW at most, today 13:00',
    'never more than 50 kW',
  ]);
});

test('quiet hours and meters are told too', () => {
  expect(said('low_consumption', { spans: [{ start: at('20:00'), end: at('23:00'), power_w: 12_000 }] })).toEqual([
    'We shall consume little.', '12 kW at most, today 20:00 to 23:00',
  ]);
  const spans = [{ start: at('08:00'), end: at('09:00'), energy_kwh: 12, forecast_w: 11_000 }];
  expect(said('usage', { spans, mean_absolute_error_w: 1000 })).toEqual([
    'We consumed 12 kWh, today 08:00 to 09:00.', '1 kW off the forecast on average',
  ]);
});

test('how a message fares is told in words', () => {
  const fares = (values: Partial<MessageDocument>) => deliveryWords(message('request', {}, values), CLOCK);
  expect(fares({})).toEqual({ text: 'arrived by webhook', kind: 'good' });
  expect(fares({ carrier: 'api' }).text).toBe('to be read through the API');
  expect(fares({ delivery: 'received', carrier: 'openadr' }).text).toBe('came by OpenADR');
  expect(fares({ delivery: 'waiting', attempts: 2, next_attempt_at: at('12:05'), error: '503' })).toEqual({
    text: 'not there yet after 2 tries by webhook, again today 12:05: 503', kind: 'warn',
  });
  expect(fares({ delivery: 'failed', error: '410 Gone' })).toEqual({ text: 'never arrived by webhook: 410 Gone', kind: 'bad' });
});
