import { expect, test } from 'vitest';

import type { DecisionDocument, ReservationDocument } from '../api/schema';
import { offer } from '../ui/testOffer';
import { choicesOf, onlyAt, whyNotAlone, whyRecommended } from './choices';

const first = offer({ rankings: [] });
const cheap = offer({ start: '2026-11-22T01:00:00Z', end: '2026-11-22T03:00:00Z', cost: 0.3, rankings: ['cost_co2_energy'], saves: { energy_j: 0, cost: 0.2, co2_g: 0 } });
const between = offer({
  start: '2026-11-21T12:15:00Z', end: '2026-11-21T14:15:00Z', cost: 0.375, co2_g: 126, energy_j: 1.05e7,
  saves: { energy_j: -5e5, cost: 0.125, co2_g: 42 },
});
const decision = (values: Partial<DecisionDocument>): DecisionDocument => ({
  decision: 'choice', candidate_starts: 9, reasons: [], pareto: [], offers: [cheap], as_soon_as_possible: first, ...values,
});

test('what is recommended and what is first are there once each, in time order', () => {
  const shown = (it: DecisionDocument) => choicesOf(it, undefined).map(({ name, isRecommended, isFirst }) => [name, isRecommended, isFirst]);
  expect(shown(decision({ compromise: between }))).toEqual([
    ['As soon as possible', false, true],
    ['Good at everything', true, false],
    ['Cheapest', false, false],
  ]);
  expect(shown(decision({ compromise: { ...cheap } }))).toEqual([['As soon as possible', false, true], ['Cheapest', true, false]]);
  expect(shown(decision({ compromise: { ...first } }))).toEqual([['Good at everything', true, true], ['Cheapest', false, false]]);
});

test('of what is held only that can be chosen', () => {
  const held = { offers: [cheap] } as unknown as ReservationDocument;
  expect(choicesOf(decision({ compromise: between }), held).map((it) => it.name)).toEqual(['Cheapest']);
  const both = { offers: [{ ...between, compromise: true }, cheap] } as unknown as ReservationDocument;
  expect(choicesOf(decision({}), both).map((it) => [it.name, it.isRecommended])).toEqual([['Good at everything', true], ['Cheapest', false]]);
});

test('a sentence says why a start is recommended', () => {
  const least = 'of all starts it gives up least of what is best in cost, CO₂, energy and waiting.';
  // 0.5 EUR and 168 g at once; 0.375 EUR and 126 g four hours later, for half a megajoule more of ten.
  expect(whyRecommended(between, decision({}))).toBe(
    `Waiting 4 h saves 25 % of the cost and 25 % of the CO₂ against starting at once, and takes 5 % more energy; ${least}`,
  );
  expect(whyRecommended(first, decision({}))).toBe(`Nothing is gained by waiting that is worth it: ${least}`);
  const optimum = decision({ decision: 'optimum' });
  expect(whyRecommended(cheap, optimum)).toMatch(/^It is best in everything/);
  expect(whyRecommended(between, optimum)).toMatch(/^Waiting 4 h saves/);
});

test('a start that wins no ranking is asked for by itself', () => {
  const request = { nodes: 8, duration_s: 7200, earliest_start: '2026-11-21T08:00:00Z', latest_end: '2026-11-23T08:00:00Z', alternatives: [{ nodes: 16, duration_s: 3600 }] };
  const slowed = { ...between, end: '2026-11-21T14:30:00Z', later_s: 900, node_count: 8 };
  expect(onlyAt(request, slowed)).toEqual({
    nodes: 8, duration_s: 7200, earliest_start: '2026-11-21T12:15:00Z', latest_start: '2026-11-21T12:15:00Z',
  });
});

test('one start alone is asked for at full speed, and a slower one only where it is offered', () => {
  const request = { nodes: 8, duration_s: 7200, earliest_start: '2026-11-21T08:00:00Z', slowest_speed: 0.5, latest_end: '2026-11-22T08:00:00Z' };
  expect(onlyAt(request, offer({}))).toEqual({
    nodes: 8, duration_s: 7200, earliest_start: '2026-11-21T08:15:00Z', latest_start: '2026-11-21T08:15:00Z',
  });
  expect(whyNotAlone(offer({}), false)).toBe('');
  const slower = offer({ speed: 0.8, later_s: 1800 });
  expect(whyNotAlone(slower, true)).toBe('');
  expect(whyNotAlone(slower, false)).toMatch(/^This start runs slower and wins no ranking/);
});
