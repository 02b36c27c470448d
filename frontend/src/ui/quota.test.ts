import { expect, test } from 'vitest';

import { Failure } from '../api/failure';
import { said } from '../api/said';
import { amountWords, nextStartOf, perWords, quotaReason, refusalWords, refusedByQuota, ruleWords } from './quota';

const clock = { now: Date.parse('2026-11-26T10:00:00Z'), zone: 'UTC' };

test('a rule is told by whom it is about', () => {
  expect(ruleWords('*,*,*,*')).toBe('everybody together');
  expect(ruleWords('*,*,*,/')).toBe('each user');
  expect(ruleWords('gpu,ocean,*,ada')).toBe('the partition gpu, the project ocean, the user ada');
});

test('amounts stand in units that people read', () => {
  expect(amountWords('nodes', 1)).toBe('1 node');
  expect(amountWords('node_hours', 300)).toBe('300 node-hours');
  expect(amountWords('energy_kwh', 1500)).toBe('1.5 MWh');
  expect(amountWords('cost', 12, 'EUR')).toBe('12.00 EUR');
  expect(amountWords('co2_kg', 0.5)).toBe('500 g CO₂');
  expect(perWords('week')).toBe(' a week');
  expect(perWords(null)).toBe('');
});

test('a refusal says the rule, what is left, and since when', () => {
  const words = refusalWords(
    {
      rules: 'day', rule: '*,*,*,/', measure: 'nodes', limit: 16, used: 12, left: 4, asked: 8, per: null,
      from: '2026-11-26T12:00:00Z', to: '2026-11-26T14:00:00Z', next_start: null,
    },
    clock,
  );
  expect(words).toEqual([
    'The rule “day” allows each user 16 nodes.',
    '12 nodes are taken, 4 nodes left; this would take 8 nodes.',
    'This counts today 12:00 to 14:00.',
    'Within the next two months no start is known at which it fits.',
  ]);
  expect(refusalWords({ rules: 'day', rules_after: 'night' }, clock)).toHaveLength(1);
});

test('a refusal says that an operator adjusted the quota', () => {
  const refused = { rules: 'day', rule: '*,*,*,ada', adjustment: '1', measure: 'nodes', limit: 6, used: 0, left: 6, asked: 7, per: null };
  expect(refusalWords(refused, clock)[0]).toBe('An operator adjusted the quota: it allows the user ada 6 nodes.');
  const detail = 'the quota adjustment *,*,*,ada allows 6 nodes; 0 are used';
  expect(quotaReason(detail, clock)).toBe(`An adjusted quota for the user ada${said(' allows 6 nodes; 0 are used')}.`);
});

test('only a refusal by a quota is one', () => {
  const problem = { code: 'quota', detail: '', title: '', type: '', status: 422, limit: 16 };
  expect(refusedByQuota(new Failure('quota', '', [], problem))?.limit).toBe(16);
  expect(refusedByQuota(new Failure('impossible', '', [], problem))).toBeNull();
});

test("a quote's reason is told with its rule and times in words", () => {
  const detail = 'the quota *,*,*,/ of the rules "default" allows 20 nodes; 4 are used from 2026-11-26T15:00:00Z to 2026-11-26T16:00:00Z, 16 are left, and 18 more are asked for; the next start that keeps the quotas is 2026-11-26T16:00:00Z';
  expect(quotaReason(detail, clock)).toBe(
    `A quota for each user of${said(' the rules "default" allows 20 nodes; 4 are used from today 15:00 to today 16:00, 16 are left, and 18 more are asked for; the next start that keeps the quotas is today 16:00')}.`,
  );
  expect(nextStartOf(detail)).toBe('2026-11-26T16:00:00Z');
  expect(nextStartOf('within two months no start keeps the quotas')).toBeNull();
});
