import { expect, test } from 'vitest';

import { lanes } from './lanes';
import { widthOf } from './lines';
import { gaps, range, valueAt, within } from './steps';

const STEPS = [
  { start: 0, end: 10, value: 5 },
  { start: 10, end: 20, value: 5 },
  { start: 30, end: 40, value: -2 },
];

test('a value holds from its start until before its end', () => {
  expect(valueAt(STEPS, 0)).toBe(5);
  expect(valueAt(STEPS, 20)).toBeNull();
  expect(valueAt(STEPS, 30)).toBe(-2);
});

test('steps are cut at the ends of a span, and equal neighbours join', () => {
  expect(within(STEPS, 5, 35)).toEqual([
    { start: 5, end: 20, value: 5 },
    { start: 30, end: 35, value: -2 },
  ]);
});

test('gaps are what no step covers', () => {
  expect(gaps(STEPS, -5, 50)).toEqual([
    { start: -5, end: 0 },
    { start: 20, end: 30 },
    { start: 40, end: 50 },
  ]);
});

test('a range always has a height and shows zero', () => {
  expect(range([3, 9])).toEqual([0, 9]);
  expect(range([-2, 5])).toEqual([-2, 5]);
  expect(range([])).toEqual([0, 1]);
});

test('bars that overlap get lanes of their own', () => {
  const bars = [
    { start: 0, end: 10 },
    { start: 5, end: 15 },
    { start: 12, end: 20 },
    { start: 14, end: 20 },
  ];
  expect(lanes(bars, 1)).toEqual([0, 1, 0, 2]);
});

test('the scale of a chart has room for its widest value', () => {
  // As wide as DejaVu Sans, the widest of the usual typefaces, writes them at 11 pixels.
  const written = { '300': 21, '12.3 kW': 45.2, '−1,250 %': 54.7, '1,234.56 MW': 72.9, '12,345.6 EUR': 75.1 };
  for (const [text, width] of Object.entries(written)) expect([text, widthOf(text) >= width, widthOf(text) < 1.2 * width]).toEqual([text, true, true]);
});
