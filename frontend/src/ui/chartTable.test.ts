import { expect, test } from 'vitest';

import { csvOf } from './csv';
import { tableOver } from './chartTable';
import { wrapped } from './lines';

const at = (hour: number) => Date.parse('2026-11-21T00:00:00Z') + hour * 3_600_000;

test('a table has a row for each span in which nothing changes', () => {
  const price = { name: 'price', steps: [{ start: at(0), end: at(2), value: 50 }], estimated: [{ start: at(1), end: at(4) }] };
  const cap = { name: 'cap_w', steps: [{ start: at(0), end: at(3), value: 8000 }] };
  expect(tableOver([price, cap], at(0), at(3))).toEqual([
    ['start', 'end', 'price', 'price_estimated', 'cap_w'],
    ['2026-11-21T00:00:00Z', '2026-11-21T01:00:00Z', 50, 'no', 8000],
    ['2026-11-21T01:00:00Z', '2026-11-21T02:00:00Z', 50, 'yes', 8000],
    ['2026-11-21T02:00:00Z', '2026-11-21T03:00:00Z', null, 'yes', 8000],
  ]);
});

test('cells are quoted where they must be, and what is not known is empty', () => {
  expect(csvOf([['who', 'what'], ['a "b"', null], ['c, d', 1.5]])).toBe('who,what\n"a ""b""",\n"c, d",1.5\n');
});

test('words stay whole on their lines', () => {
  expect(wrapped('Power cap, and what is reserved of it', 16)).toEqual(['Power cap, and', 'what is reserved', 'of it']);
  expect(wrapped('', 16)).toEqual(['']);
});
