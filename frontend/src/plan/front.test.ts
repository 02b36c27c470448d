import { expect, test } from 'vitest';

import type { DecisionDocument } from '../api/schema';
import { offer } from '../ui/testOffer';
import { choicesOf } from './choices';
import { keyOf, labelRows, ordered, startWords, indexAfter, frontStarts, frontStartWords } from './front';
import { labelPlace, letterMarks, nearestStart } from './scatter';

const at = (hour: number, cost: number, co2_g: number) =>
  offer({ start: `2026-11-21T${String(hour).padStart(2, '0')}:00:00Z`, end: `2026-11-21T${hour + 2}:00:00Z`, cost, co2_g });
// Soonest; sooner than others; cheapest; between; cleanest.
const [soonest, early, cheapest, between, cleanest] = [at(8, 9, 90), at(10, 5, 80), at(14, 1, 60), at(16, 2, 50), at(12, 3, 40)];
const clock = { now: Date.parse('2026-11-21T10:00:00Z'), zone: 'UTC' };

test('starts go from cheap over clean to soon', () => {
  expect(ordered([soonest, early, cleanest, cheapest, between])).toEqual([cheapest, between, cleanest, early, soonest]);
});

test('the soonest is last, also where it is the cheapest or the only one', () => {
  const first = at(8, 1, 90);
  expect(ordered([first, at(10, 2, 80), at(12, 3, 40)]).at(-1)).toBe(first);
  expect(ordered([first])).toEqual([first]);
  expect(ordered([])).toEqual([]);
});

const decision: DecisionDocument = {
  decision: 'choice', candidate_starts: 96, reasons: [], offers: [cheapest, cleanest], pareto: [soonest, early, structuredClone(cleanest), cheapest, between],
  as_soon_as_possible: soonest, compromise: between,
};

test('each start is walked once, with its letter and what it is best at', () => {
  const starts = frontStarts(decision, choicesOf(decision, undefined), false);
  expect(starts.map((it) => it.letter)).toEqual(['C', 'D', 'B', '', 'A']);
  expect(starts.map((it) => it.best)).toEqual([['cheapest'], ['recommended'], ['cleanest'], [], ['soonest']]);
  // The offer itself, which is what is booked.
  expect(starts[2]?.offer).toBe(cleanest);
});

test('of starts that cost the same one is called the cheapest', () => {
  const same = at(8, cheapest.cost, 90);
  const starts = frontStarts({ ...decision, pareto: [same, cheapest, cleanest], as_soon_as_possible: same, compromise: null }, [], false);
  expect(starts.map((it) => it.best)).toEqual([['cheapest'], ['cleanest'], ['soonest']]);
});

test('of what is held only that is walked', () => {
  const choices = choicesOf(decision, undefined).slice(0, 2);
  expect(frontStarts(decision, choices, true).map((it) => it.offer)).toEqual([cleanest, soonest]);
});

test('a start is spoken with when, what it takes and how long it waits', () => {
  const [first] = frontStarts(decision, choicesOf(decision, undefined), false);
  expect(startWords(cheapest, clock)).toBe('today 14:00, 1.00 EUR, 60 g CO₂, starts in 4 h');
  expect(first && frontStartWords(first, clock)).toBe('today 14:00, 1.00 EUR, 60 g CO₂, starts in 4 h, cheapest, offer C');
  expect(startWords(soonest, clock)).toMatch(/starts at once$/);
});

test('keys go along the starts and no further', () => {
  expect(['ArrowRight', 'ArrowLeft', 'Home', 'End', 'a'].map((key) => indexAfter(key, 3, 5))).toEqual([4, 2, 0, 4, null]);
  expect([indexAfter('ArrowRight', 4, 5), indexAfter('ArrowLeft', 0, 5)]).toEqual([4, 0]);
});

test('labels that would lie over each other go to another row, or are left out', () => {
  const labels = [{ share: 0, text: 'cheapest' }, { share: 0.1, text: 'cleanest' }, { share: 0.11, text: 'recommended' }, { share: 1, text: 'soonest' }];
  expect(labelRows(labels, 320, 2).map((it) => [it.text, it.row])).toEqual([['cheapest', 0], ['cleanest', 1], ['soonest', 0]]);
  expect(labelRows(labels, 2000, 2).map((it) => it.row)).toEqual([0, 0, 1, 0]);
});

test('letters whose marks would collide in the picture share one', () => {
  const starts = [at(8, 1, 100), at(9, 1.01, 101), at(10, 3, 50)].map((it, index) => ({ key: keyOf(it), offer: it, letter: 'ABC'[index] ?? '', best: [] }));
  const [x, y] = [(cost: number) => 100 * cost, (co2: number) => 2 * co2];
  expect(letterMarks(starts, x, y).map((it) => it.letters)).toEqual(['AB', 'C']);
  expect(nearestStart(starts, { x: 295, y: 103 }, x, y, 20)).toBe(starts[2]);
  expect(nearestStart(starts, { x: 200, y: 103 }, x, y, 20)).toBeNull();
});

// A mark of one letter is 20 pixels wide and high; the label here 50. Beside the dot it begins 15 pixels away.
test('a label lies over no mark and inside of the picture', () => {
  const picture = { width: 300, height: 200 };
  const at = { x: 100, y: 100 };
  const place = (marks: { x: number; y: number; letters: string }[], dot = at) => labelPlace(dot, marks, 50, picture);
  expect(place([])).toEqual({ x: 115, y: 100, anchor: 'start' });
  expect(place([{ ...at, letters: 'ABC' }])).toEqual({ x: 125, y: 100, anchor: 'start' });
  // At the right edge, and with a mark on the right.
  expect(place([], { x: 260, y: 100 })).toEqual({ x: 245, y: 100, anchor: 'end' });
  expect(place([{ x: 140, y: 95, letters: 'C' }])).toEqual({ x: 85, y: 100, anchor: 'end' });
  const both = [{ x: 140, y: 95, letters: 'C' }, { x: 60, y: 100, letters: 'B' }];
  expect(place(both)).toEqual({ x: 100, y: 75, anchor: 'middle' });
  expect(place([...both, { x: 90, y: 70, letters: 'A' }])).toEqual({ x: 100, y: 125, anchor: 'middle' });
});
