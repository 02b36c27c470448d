import { expect, test } from 'vitest';

import type { QuotaDocument, ShareDocument, SharesDocument } from '../api/schema';
import { byNearness, factorWords, fullestFirst, matchesQuota, timeWords, usage, usedPart, usedText } from './standing';
import { minutesOf, withKind } from './notifications';

const account = (values: Partial<ShareDocument>): ShareDocument => ({
  account: 'ada', parent: 'ocean', is_user: true, share: 0.5, usage_node_seconds: 7200, usage_energy_j: 3.6e6,
  usage_cost: 0, usage_co2_g: 0, normalised_usage: 0.1, factor: 0.9, advice: [], ...values,
});

test('what counts of an account is what the site counts', () => {
  const counting = (counts: string) => ({ counts }) as SharesDocument;
  expect(usedText('energy', usage(account({}), counting('energy')), 'EUR')).toBe('1 kWh');
  expect(usedText('node_seconds', usage(account({}), counting('node_seconds')), 'EUR')).toBe('2 node-hours');
  expect(usedText('cost', usage(account({ usage_cost: 3 }), counting('cost')), 'EUR')).toBe('3.00 EUR');
});

test("one's own accounts come first, then groups, then others", () => {
  const all = [account({ account: 'bob' }), account({ account: 'ocean', is_user: false }), account({})];
  expect(byNearness(all, 'ada').map((it) => it.account)).toEqual(['ada', 'ocean', 'bob']);
});

test('a half is where the share is used up', () => {
  expect(factorWords(0.5)).toContain('used up');
  expect(factorWords(0.3)).toContain('more than the share');
  expect(factorWords(0.99)).toContain('very well');
});

test('a quota fills up to its limit and not beyond', () => {
  const quota = (values: Partial<QuotaDocument>) => ({ limit: 20, used: 5, ...values }) as QuotaDocument;
  expect(usedPart(quota({}))).toBe(0.25);
  expect(usedPart(quota({ used: 30 }))).toBe(1);
  expect(usedPart(quota({ limit: 0 }))).toBe(1);
  const clock = { now: Date.parse('2026-11-26T12:00:00Z'), zone: 'UTC' };
  expect(timeWords(quota({ from: '2026-11-26T12:00:00Z', to: '2026-11-26T12:00:01Z' }), clock)).toBe('now');
});

test('of many quotas the fullest come first, and words find some', () => {
  const quota = (user: string, used: number) =>
    ({ rules: 'day', measure: 'node_hours', partition: '*', project: 'ocean', job_type: '*', user, limit: 20, used }) as QuotaDocument;
  const all = [quota('ada', 5), quota('bob', 20), quota('eve', 7)];
  expect(fullestFirst(all).map((it) => it.user)).toEqual(['bob', 'eve', 'ada']);
  expect(all.filter((it) => matchesQuota(it, 'OCEAN eve')).map((it) => it.user)).toEqual(['eve']);
  expect(all.filter((it) => matchesQuota(it, 'node hours')).length).toBe(3);
});

test('kinds keep their order whichever is ticked last', () => {
  expect(withKind(['ended'], 'confirmed', true)).toEqual(['confirmed', 'ended']);
  expect(withKind(['confirmed', 'ended'], 'ended', false)).toEqual(['confirmed']);
});

test('minutes are whole, up to a week', () => {
  expect(minutesOf(' 30 ')).toBe(30);
  expect(minutesOf('10081')).toBeNull();
  expect(minutesOf('0.5')).toBeNull();
});
