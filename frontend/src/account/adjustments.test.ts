import { expect, test } from 'vitest';

import type { QuotaAdjustmentDocument } from '../api/schema';
import { adjustedWords, empty, limitWords, readDraft, ruleOf, timeWords } from './adjustments';

const clock = { now: Date.parse('2026-11-26T12:00:00Z'), zone: 'UTC' };

const adjustment = (values: Partial<QuotaAdjustmentDocument>): QuotaAdjustmentDocument => ({
  id: '1', made_by: 'olga', created_at: '2026-11-26T10:00:00Z', from: '2026-11-26T10:00:00Z', to: null, reason: 'a paper',
  partition: '*', project: '*', job_type: '*', user: 'ada', nodes: null, reservations: null, node_hours: null, energy_kwh: null,
  cost: null, co2_kg: null, with_below: false, per: null, per_from: null, per_to: null, ...values,
});

test('what the form says is what the API takes, and what is empty is left out', () => {
  const draft = { ...empty(), user: ' ada ', limit: '36', end: '2026-11-27T18:00', reason: 'a paper' };
  expect(readDraft(draft, clock)).toEqual({ body: { user: 'ada', nodes: '36', to: '2026-11-27T18:00:00Z', reason: 'a paper' } });
  const budget = { ...empty(), project: 'ocean', measure: 'cost' as const, limit: '1500,5', per: 'quarter', below: true };
  expect(readDraft(budget, clock)).toEqual({ body: { project: 'ocean', cost: '1500.5', per: 'quarter', with_below: true, reason: '' } });
  // A period that was chosen for another measure is none of nodes.
  expect(readDraft({ ...budget, measure: 'nodes', limit: '0.5*ALL' }, clock)).toEqual({ body: { project: 'ocean', nodes: '0.5*ALL', reason: '' } });
});

test('what is wrong is told at its field', () => {
  const wrong = (values: object) => {
    const read = readDraft({ ...empty(), limit: '4', ...values }, clock);
    return 'errors' in read ? Object.keys(read.errors) : [];
  };
  expect(wrong({})).toEqual([]);
  expect(wrong({ limit: 'many' })).toEqual(['limit']);
  expect(wrong({ measure: 'energy_kwh', limit: '0.5*ALL' })).toEqual(['limit', 'per']);
  expect(wrong({ measure: 'node_hours' })).toEqual([]);
  expect(wrong({ start: '2026-11-26T11:59' })).toEqual(['start']);
  expect(wrong({ end: '2026-11-26T12:00' })).toEqual(['end']);
  expect(wrong({ start: '2026-11-28T12:00', end: '2026-11-28T12:00' })).toEqual(['end']);
});

test('an adjustment is told by whom, how much and how long', () => {
  const it = adjustment({ nodes: '36', reservations: '-1', node_hours: '0.5*ALL', per: 'week' });
  expect(ruleOf(it)).toBe('*,*,*,ada');
  expect(limitWords(it, 'EUR')).toBe('36 nodes, Reservations: unlimited, Node-hours: 0.5 × all nodes a week');
  expect(limitWords(adjustment({ cost: '12', per: 'month' }), 'EUR')).toBe('12.00 EUR a month');
  expect(timeWords(it, clock)).toBe('since today 10:00, until somebody ends it');
  expect(timeWords(adjustment({ to: '2026-11-26T18:00:00Z' }), clock)).toBe('today 10:00 to 18:00');
});

test('whoever it concerns is told why and until when', () => {
  expect(adjustedWords({ until: '2026-11-26T18:00:00Z', reason: 'a paper' }, clock)).toBe('In force until today 18:00: a paper');
  expect(adjustedWords({ until: null, reason: '' }, clock)).toBe('In force until an operator ends it');
});
