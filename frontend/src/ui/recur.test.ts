import { expect, test } from 'vitest';

import { ONCE, chooseWords, recurWords, recurrenceOf, ruleOf } from './recur';

test('choices are rules, with days in the order of the week', () => {
  expect(ruleOf(ONCE)).toBe('');
  expect(ruleOf({ ...ONCE, every: 'day' })).toBe('FREQ=DAILY');
  expect(ruleOf({ ...ONCE, every: 'week', days: ['TH', 'MO'] })).toBe('FREQ=WEEKLY;BYDAY=MO,TH');
  expect(ruleOf({ ...ONCE, every: 'week' })).toBe('FREQ=WEEKLY');
  expect(ruleOf({ ...ONCE, every: 'rule', rule: ' RRULE:FREQ=DAILY;COUNT=3 ' })).toBe('FREQ=DAILY;COUNT=3');
});

test('the last day is meant as a whole, also where clocks change on it', () => {
  // 1 March in Berlin ends at 23:00 UTC.
  const march = recurrenceOf({ ...ONCE, every: 'day', until: '2027-03-01' }, 'Europe/Berlin');
  expect(march).toEqual({ recur: 'FREQ=DAILY', until: Date.parse('2027-03-01T23:00:00Z') });
  // On 28 March 2027 clocks go forward there: its end is at 22:00 UTC, 23 hours after its beginning.
  const forward = recurrenceOf({ ...ONCE, every: 'day', until: '2027-03-28' }, 'Europe/Berlin');
  expect('until' in forward && forward.until).toBe(Date.parse('2027-03-28T22:00:00Z'));
});

test('a repetition needs an end, its own or a day', () => {
  expect(recurrenceOf({ ...ONCE, every: 'month' }, 'UTC')).toEqual({ errors: { until: 'The last day.' } });
  expect(recurrenceOf({ ...ONCE, every: 'rule', rule: 'FREQ=DAILY;COUNT=3' }, 'UTC')).toEqual({ recur: 'FREQ=DAILY;COUNT=3', until: null });
  expect(recurrenceOf({ ...ONCE, every: 'rule', rule: 'often' }, 'UTC')).toHaveProperty('errors.rule');
});

test('rules are told in words where words say all of them', () => {
  expect(recurWords('FREQ=DAILY')).toBe('every day');
  expect(recurWords('FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,TH')).toBe('every 2 weeks on Mon, Wed and Thu');
  expect(recurWords('FREQ=MONTHLY;COUNT=6')).toBe('every month, 6 times');
  expect(recurWords('FREQ=MONTHLY;BYDAY=1MO')).toBe('FREQ=MONTHLY;BYDAY=1MO');
  expect(recurWords('FREQ=DAILY;BYHOUR=3')).toBe('FREQ=DAILY;BYHOUR=3');
});

test('what each time is the best at', () => {
  expect(chooseWords('cost')).toBe('the cheapest start');
  expect(chooseWords('co2_cost_energy')).toBe('the cleanest start');
});
